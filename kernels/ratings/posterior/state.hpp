// The state of a posterior, and the list of the pairs that met.
//
// The symbols, and all equations, are those of docs/explanation/notes/posterior.md. A is the
// advantage, r the ratings, e the effects and t the strengths. A share f = 1 / (1 + kappa^2 w) of
// the effect of a pair with weight w is still unknown; f = 1 for a pair that never met.
//
// The covariance of the ratings is not kept up to date: it is S = S0 - K'K. S0 is that of the last
// refit, and every match since then has a row of K.
#pragma once

#include <stdexcept>

#include "core/bindings.hpp"
#include "core/loops.hpp"
#include "core/numbers.hpp"

namespace maxin {

// Indices of `scales`, of `counts`, and of the columns of `row_scales`.
enum Scale { SPREAD2, KAPPA2, CYCLIC_KAPPA2, PHI, SPLIT, OUTSIDERS };
enum Count { PAIRS, ROWS };
enum RowScale { SLOPE, NOISE };
constexpr Int NOBODY = -1;  // ends a list of pairs

struct PosteriorState {
    // s^2, kappa^2, the mean of kappa^2 in fields with cycles, phi, the sum of y (1 - y), how many
    // outsiders there are (players of the field who are not among these players), and the prior
    // probability that there are cycles, negative while kappa is kept as it is
    KeptLine<double> scales;
    KeptLine<double> members;  // 1 for the players in the field, 0 for those who left it
    KeptLine<Int> counts;      // how many pairs and rows there are; their arrays may have more room
    KeptLine<Int> heads;  // for each player, the end of its latest pair: 2 p if it is first in p
    KeptLine<Int>
        nexts;  // for each of both ends of a pair, the same player's end of the one before
    KeptTable<Int> pairs;          // the pairs i < j that met
    KeptLine<double> played;       // N, how many matches each pair played
    KeptLine<double> points;       // W, the points of the pair's first player in these matches
    KeptLine<double> weights;      // w, the information about the pair's advantage in these matches
    KeptLine<double> effects;      // e, means of what each pair adds to its rating difference
    KeptLine<double> prior_means;  // of the ratings; 0 unless matches with outsiders are in them
    KeptLine<double> prior_weights;  // their precisions, times s^2; 1 unless likewise
    KeptTable<const double>
        prior_precision;               // P, of all ratings, times s^2; empty without features
    KeptLine<double> ratings;          // r, means of the ratings
    KeptLine<double> strengths;        // t, means of the strengths, mean advantages over the field
    KeptLine<double> rating_var;       // the diagonal of S = Cov(r)
    KeptLine<double> strength_var;     // the diagonal of C = Cov(t)
    KeptLine<double> mean_cov;         // S m / n: Cov(r, the mean rating of the field m)
    KeptTable<const double> base_cov;  // S0, of the last refit
    KeptTable<const double> factor;    // lower triangular L, with L L' the inverse of S0
    KeptTable<double> rows;            // K, a row for each match since then
    KeptTable<Int> row_pairs;          // the two players of each row
    KeptTable<double> row_scales;      // for each row sqrt(eta) f and sqrt(eta (kappa^2 f + 1 / h))

    Int n_players() const { return ratings.size; }
    Int n_pairs() const { return counts[PAIRS]; }
    Int n_rows() const { return counts[ROWS]; }
    bool has_features() const { return prior_precision.n_rows > 0; }
};

// The rival of a player in the pair of which it has this end.
template <class State>
Int rival_at(const State &state, Int end) {
    return state.pairs(end / 2, 1 - end % 2);
}

// 1 at the end of a pair's first player, -1 at that of the second.
inline double sign_at(Int end) { return 1.0 - 2.0 * double(end % 2); }

// The number n of players against whom strength is measured, outsiders included.
inline double field_size(const PosteriorState &state) {
    return sum(state.members) + state.scales[OUTSIDERS];
}

// The unknown share f = 1 / (1 + kappa^2 w) of the effect of a pair that met.
template <class State>
double open_share(const State &state, Int pair) {
    return 1.0 / (1.0 + state.scales[KAPPA2] * state.weights[pair]);
}

// The place of a pair i < j in the list; -1 if it is not listed.
template <class State>
Int pair_place(const State &state, Int i, Int j) {
    for (Int end = state.heads[j]; end != NOBODY; end = state.nexts[end]) {
        if (state.pairs(end / 2, 0) == i && state.pairs(end / 2, 1) == j) return end / 2;
    }
    return NOBODY;
}

// The place of a pair i < j, which is listed if it is not yet and if there is room.
template <class State>
Int list_pair(State &state, Int i, Int j) {
    Int pair = pair_place(state, i, j);
    if (pair != NOBODY) return pair;
    if (state.counts[PAIRS] >= state.pairs.n_rows) throw std::length_error("no room for a pair");
    pair = state.counts[PAIRS]++;
    state.pairs(pair, 0) = i, state.pairs(pair, 1) = j;
    state.nexts[2 * pair] = state.heads[i], state.nexts[2 * pair + 1] = state.heads[j];
    state.heads[i] = 2 * pair, state.heads[j] = 2 * pair + 1;
    state.played[pair] = state.points[pair] = 0.0;
    state.weights[pair] = state.effects[pair] = 0.0;
    return pair;
}

// The places of pairs i < j, given as rows, that there is room for.
template <class State>
NewInts list_pairs(State &state, Rows pairs) {
    NewInts places(pairs.n_rows);
    for (Int pair = 0; pair < pairs.n_rows; pair++) {
        places[pair] = list_pair(state, pairs(pair, 0), pairs(pair, 1));
    }
    return places;
}

// The weights and the effects of these pairs, 0 for those that are not listed, as two rows.
inline NewMatrix known_pairs(const PosteriorState &state, Rows pairs) {
    NewMatrix known(2, pairs.n_rows, 0.0);
    for (Int pair = 0; pair < pairs.n_rows; pair++) {
        Int place = pair_place(state, pairs(pair, 0), pairs(pair, 1));
        if (place == NOBODY) continue;
        known(0, pair) = state.weights[place], known(1, pair) = state.effects[place];
    }
    return known;
}

// The rows of K so far.
inline ConstMatrix rows_of(const PosteriorState &state) {
    return {state.rows.data, state.n_rows(), state.rows.n_columns};
}

// Fill in Cov(r, r_x).
inline void fill_cov_row(const PosteriorState &state, Int x, Floats row) {
    NewFloats amounts(state.n_rows());
    for (Int k = 0; k < amounts.size; k++) amounts[k] = state.rows(k, x);
    copy(state.base_cov[x], row);
    subtract_rows(row, amounts, rows_of(state));
}

// Fill in Cov(r, r_i - r_j).
inline void fill_gap_row(const PosteriorState &state, Int i, Int j, Floats row) {
    NewFloats amounts(state.n_rows());
    for (Int k = 0; k < amounts.size; k++) amounts[k] = state.rows(k, i) - state.rows(k, j);
    for (Int z = 0; z < row.size; z++) row[z] = state.base_cov(i, z) - state.base_cov(j, z);
    subtract_rows(row, amounts, rows_of(state));
}

// Cov(r_x, r_y).
inline double cov_of(const PosteriorState &state, Int x, Int y) {
    double cov = state.base_cov(x, y);
    for (Int k = 0; k < state.n_rows(); k++) cov -= state.rows(k, x) * state.rows(k, y);
    return cov;
}

// Var(r_x - r_y).
inline double gap_of(const PosteriorState &state, Int x, Int y) {
    double both = state.rating_var[x] + state.rating_var[y];
    return std::max(both - 2.0 * cov_of(state, x, y), 0.0);
}

// Var(r_i - r_j) for each pair that met.
inline NewFloats gaps_of(const PosteriorState &state) {
    NewFloats gaps(state.n_pairs());
    for (Int pair = 0; pair < gaps.size; pair++) {
        gaps[pair] = gap_of(state, state.pairs(pair, 0), state.pairs(pair, 1));
    }
    return gaps;
}

// The unknown share f of every pair that met.
inline NewFloats open_shares(const PosteriorState &state) {
    NewFloats shares(state.n_pairs());
    for (Int pair = 0; pair < shares.size; pair++) shares[pair] = open_share(state, pair);
    return shares;
}

// Fill in G v: for each player i, the mean over the field of f_ij (v_i - v_j), given all f.
inline void fill_mean_advantage(const PosteriorState &state, ConstFloats shares, ConstFloats vector,
                                Floats means) {
    const auto &members = state.members;
    double n_members = field_size(state), mean = product(members, vector) / n_members;
    for (Int x = 0; x < vector.size; x++) means[x] = vector[x] - mean;
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        double known = (1.0 - shares[pair]) * (vector[i] - vector[j]) / n_members;
        means[i] -= members[j] * known;
        means[j] += members[i] * known;
    }
}

// For each player i, the sum over the field of f_ij: n^2 / kappa^2 of Var(mean effect).
inline NewFloats open_effects(const PosteriorState &state) {
    const auto &members = state.members;
    NewFloats sums(members.size);
    double n_members = field_size(state);
    for (Int x = 0; x < sums.size; x++) sums[x] = n_members - members[x];
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        double known = 1.0 - open_share(state, pair);
        sums[i] -= members[j] * known;
        sums[j] -= members[i] * known;
    }
    return sums;
}

}  // namespace maxin
