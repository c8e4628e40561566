// What a posterior predicts of matches, and what else it says of two players.
#pragma once

#include "ratings/posterior/state.hpp"

namespace maxin {

// For A ~ N(m, V), E[sigmoid(A)] is about sigmoid(m / sqrt(1 + PROBIT V)).
constexpr double PROBIT = 3.14159265358979323846 / 8.0;

struct Score {
    double chance;
    double slope;  // of the chance in the mean advantage: a coin's information
};

// P(win) averaged over a normal advantage, and its slope in the mean.
inline Score expected_score(double mean, double variance) {
    double shrink = 1.0 / std::sqrt(1.0 + PROBIT * variance);
    double chance = sigmoid(shrink * mean);
    return {chance, shrink * chance * (1.0 - chance)};
}

struct Prediction {
    double chance;
    double weight;    // the information of a match about A
    double variance;  // of A
};

// P(win) of a pair, a match's information about A, and Var(A) = f^2 Var(r_i - r_j) + kappa^2 f.
//
// `gap` is Var(r_i - r_j). The variance of a score is phi p (1 - p), so a match has 1 / phi of the
// information of a coin.
inline Prediction prediction(const PosteriorState &state, Int pair, double gap) {
    Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
    double share = open_share(state, pair);
    double variance = share * share * gap + state.scales[KAPPA2] * share;
    double mean = state.ratings[i] - state.ratings[j] + state.effects[pair];
    Score score = expected_score(mean, variance);
    return {score.chance, score.slope / state.scales[PHI], variance};
}

struct Advantages {
    NewFloats means, variances;
};

// Mean and variance of the advantage of x over every player, given Cov(r, r_x).
inline Advantages advantages(const PosteriorState &state, Int x, ConstFloats cov_row) {
    double kappa2 = state.scales[KAPPA2];
    NewFloats means(state.n_players()), variances(state.n_players());
    for (Int y = 0; y < means.size; y++) {
        means[y] = state.ratings[x] - state.ratings[y];
        double gap = state.rating_var[x] + state.rating_var[y] - 2.0 * cov_row[y];
        variances[y] = std::max(gap, 0.0) + kappa2;
    }
    for (Int end = state.heads[x]; end != NOBODY; end = state.nexts[end]) {
        Int y = rival_at(state, end);
        double share = open_share(state, end / 2);
        means[y] += sign_at(end) * state.effects[end / 2];
        variances[y] = share * share * (variances[y] - kappa2) + kappa2 * share;
    }
    variances[x] = 0.0;
    return {std::move(means), std::move(variances)};
}

inline Advantages advantages(const PosteriorState &state, Int x) {
    NewFloats cov_row(state.n_players());
    fill_cov_row(state, x, cov_row);
    return advantages(state, x, cov_row);
}

// P(win) of every player against every other.
inline NewMatrix expected_scores(const PosteriorState &state) {
    NewMatrix chances(state.n_players(), state.n_players(), 0.5);
    for (Int x = 0; x < chances.n_rows; x++) {
        auto [means, variances] = advantages(state, x);
        for (Int y = x + 1; y < chances.n_rows; y++) {
            chances(x, y) = expected_score(means[y], variances[y]).chance;
            chances(y, x) = 1.0 - chances(x, y);
        }
    }
    return chances;
}

// Add row x of G to a row, times `amount`, but for its common part, -1 / n per member.
inline void add_field_row(const PosteriorState &state, Int x, double amount, Floats row) {
    double n_members = field_size(state);
    row[x] += amount;
    for (Int end = state.heads[x]; end != NOBODY; end = state.nexts[end]) {
        Int y = rival_at(state, end);
        double known = amount * (1.0 - open_share(state, end / 2)) * state.members[y] / n_members;
        row[x] -= known;
        row[y] += known;
    }
}

// S v for each row v, which has few entries other than 0. K is read once for all of them.
inline NewMatrix cov_times(const PosteriorState &state, ConstMatrix vectors) {
    NewMatrix results(vectors.n_rows, vectors.n_columns, 0.0);
    std::vector<std::vector<Int>> places(vectors.n_rows);  // of entries other than 0
    for (Int row = 0; row < vectors.n_rows; row++) {
        for (Int x = 0; x < vectors.n_columns; x++) {
            if (vectors(row, x) == 0.0) continue;
            places[row].push_back(x);
            subtract(results[row], -vectors(row, x), state.base_cov[x]);
        }
    }
    for (Int k = 0; k < state.n_rows(); k++) {
        for (Int row = 0; row < vectors.n_rows; row++) {
            double amount = 0.0;
            for (Int x : places[row]) amount += vectors(row, x) * state.rows(k, x);
            subtract(results[row], amount, state.rows[k]);
        }
    }
    return results;
}

// G'(e_x - e_y), by which t_x - t_y depends on the ratings.
inline NewFloats contrast(const PosteriorState &state, Int x, Int y) {
    NewFloats vector(state.n_players(), 0.0);
    add_field_row(state, x, 1.0, vector);
    add_field_row(state, y, -1.0, vector);
    return vector;
}

// Cov(t, t_x) = G S G'e_x + kappa^2 / n^2 of the Laplacian of f.
inline NewFloats strength_row(const PosteriorState &state, Int x) {
    const auto &members = state.members;
    double n_members = field_size(state);
    NewFloats vector(members.size, 0.0), row(members.size);
    add_field_row(state, x, 1.0, vector);
    NewMatrix image = cov_times(state, {vector.data, 1, vector.size});
    subtract(image[0], 1.0, state.mean_cov);
    fill_mean_advantage(state, open_shares(state), image[0], row);
    double unit = state.scales[KAPPA2] / (n_members * n_members);
    for (Int z = 0; z < row.size; z++) row[z] -= unit * members[x] * members[z];
    row[x] += unit * (members[x] + open_effects(state)[x]);
    for (Int end = state.heads[x]; end != NOBODY; end = state.nexts[end]) {
        Int y = rival_at(state, end);
        row[y] += unit * (1.0 - open_share(state, end / 2)) * members[x] * members[y];
    }
    return row;
}

// Var(t_x - t_y) for every y, kept above zero, given the variances of all strengths.
inline NewFloats difference_variances(const PosteriorState &state, ConstFloats variances, Int x) {
    NewFloats differences = strength_row(state, x);
    for (Int y = 0; y < variances.size; y++) {
        differences[y] = std::max(variances[x] + variances[y] - 2.0 * differences[y], 1e-300);
    }
    return differences;
}

}  // namespace maxin
