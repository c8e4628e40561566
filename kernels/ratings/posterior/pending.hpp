// Pending matches, counted all at once.
#pragma once

#include "ratings/posterior/learning.hpp"

namespace maxin {

enum Found { WEIGHT, ROOT };  // the columns of what `narrow` returns

// row -= amount * other, in the columns from `start` to `stop`.
inline void subtract_part(Floats row, double amount, ConstFloats other, Int start, Int stop) {
    if (amount == 0.0) return;
    for (Int column = start; column < stop; column++) row[column] -= amount * other[column];
}

// Cov(r, r_i - r_j) of each pair, as rows.
inline NewMatrix gap_rows_of(const PosteriorState &state, ConstInts asked) {
    Int n_players = state.n_players(), n_rows = state.n_rows();
    NewMatrix gap_rows(asked.size, n_players), amounts(asked.size, n_rows);
    NewMatrix taught(asked.size, n_players);
    for (Int k = 0; k < asked.size; k++) {
        Int i = state.pairs(asked[k], 0), j = state.pairs(asked[k], 1);
        for (Int z = 0; z < n_players; z++) {
            gap_rows(k, z) = state.base_cov(i, z) - state.base_cov(j, z);
        }
        for (Int row = 0; row < n_rows; row++) {
            amounts(k, row) = state.rows(row, i) - state.rows(row, j);
        }
    }
    multiply(amounts, rows_of(state), taught);
    for (Int k = 0; k < asked.size; k++) subtract(gap_rows[k], 1.0, taught[k]);
    return gap_rows;
}

// Count pending matches of the listed pairs `asked`: S shrinks, and the means stay.
//
// The row of K of a pending match combines Cov(r, r_i - r_j) of its pair with the rows before
// it. What it takes of each depends on the players of these matches alone, so that is found
// first, and then all rows are one product. Returns, for each match, its information h and the
// square root of eta = h / (1 + h Var(A)).
inline NewMatrix narrow(PosteriorState &state, ConstInts asked) {
    Int n_asked = asked.size;
    NewFloats before = copied(state.weights);
    NewMatrix gap_rows = gap_rows_of(state, asked), found(n_asked, 2);
    NewMatrix mixes(n_asked, n_asked, 0.0);  // what each row takes of all `gap_rows`
    NewMatrix between(n_asked, n_asked);     // each row at the first players, minus at the second
    for (Int k = 0; k < n_asked; k++) {
        for (Int other = 0; other < n_asked; other++) {
            Int i = state.pairs(asked[other], 0), j = state.pairs(asked[other], 1);
            between(k, other) = gap_rows(k, i) - gap_rows(k, j);
        }
        mixes(k, k) = 1.0;
        for (Int other = 0; other < k; other++) {
            double amount = between(other, k);
            subtract_part(between[k], amount, between[other], k, n_asked);
            subtract_part(mixes[k], amount, mixes[other], 0, other + 1);
        }
        auto [chance, weight, variance] = prediction(state, asked[k], std::max(between(k, k), 0.0));
        double root = std::sqrt(weight / (1.0 + weight * variance));
        double slope = root * open_share(state, asked[k]);
        for (double &value : between[k]) value *= slope;
        for (double &value : mixes[k]) value *= slope;
        state.weights[asked[k]] += weight;
        found(k, WEIGHT) = weight, found(k, ROOT) = root;
    }
    multiply(mixes, gap_rows, {state.rows[state.n_rows()].data, n_asked, gap_rows.n_columns});
    copy(before, state.weights);
    for (Int k = 0; k < n_asked; k++) count_row(state, asked[k], found(k, WEIGHT), found(k, ROOT));
    return found;
}

// Lower the variances of strengths for the pending matches, whose rows begin at `first`.
//
// `found` is what `narrow` returned; the state's weights are those before it, and are raised.
inline void lower_strength_var(PosteriorState &state, Int first, ConstInts asked,
                               ConstMatrix found) {
    NewFloats by_rating(state.n_players()), by_strength(state.n_players());
    NewFloats shares = open_shares(state);
    for (Int k = 0; k < asked.size; k++) {
        double root = found(k, ROOT);
        for (Int x = 0; x < by_rating.size; x++) by_rating[x] = state.rows(first + k, x) / root;
        fill_strength_gain(state, shares, asked[k], by_rating, by_strength);
        lower_squares(state.strength_var, by_strength, root);
        state.weights[asked[k]] += found(k, WEIGHT);
        shares[asked[k]] = open_share(state, asked[k]);
    }
}

}  // namespace maxin
