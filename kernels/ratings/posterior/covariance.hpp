// The covariance of all strengths.
#pragma once

#include "core/linalg.hpp"
#include "ratings/posterior/learning.hpp"

namespace maxin {

// S = S0 - K'K.
inline NewMatrix rating_cov(const PosteriorState &state) {
    NewMatrix cov = gram(rows_of(state));
    for (Int x = 0; x < cov.n_rows; x++) {
        for (Int y = 0; y < cov.n_rows; y++) cov(x, y) = state.base_cov(x, y) - cov(x, y);
    }
    return cov;
}

// C = G S G' + kappa^2 Lap(f) / n^2.
inline NewMatrix strength_cov(const PosteriorState &state) {
    const auto &members = state.members;
    double n_members = field_size(state);
    NewMatrix cov = field_rows(state, transposed(field_rows(state, rating_cov(state))));
    double unit = state.scales[KAPPA2] / (n_members * n_members);
    NewFloats open_sums = open_effects(state);
    for (Int x = 0; x < cov.n_rows; x++) {
        for (Int y = 0; y < cov.n_rows; y++) cov(x, y) -= unit * members[x] * members[y];
        cov(x, x) += unit * (members[x] + open_sums[x]);
    }
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        double known = unit * (1.0 - open_share(state, pair)) * members[i] * members[j];
        cov(i, j) += known;
        cov(j, i) += known;
    }
    NewMatrix turned = transposed(cov);  // rounding differs on both sides of the diagonal
    for (Int x = 0; x < cov.n_rows; x++) {
        for (Int y = 0; y < cov.n_rows; y++) cov(x, y) = 0.5 * (cov(x, y) + turned(x, y));
    }
    return cov;
}

// L = Lap(w f), and b = L r + the slope of the log-likelihood at the ratings r.
//
// With the pair effects integrated out, the likelihood is about exp(b'r - r'Lr / 2).
inline std::pair<NewMatrix, NewFloats> likelihood_of(const PosteriorState &state,
                                                     ConstFloats gaps) {
    NewMatrix laplacian(state.n_players(), state.n_players(), 0.0);
    NewFloats pull(state.n_players(), 0.0);
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        double chance = prediction(state, pair, gaps[pair]).chance;
        double weight = state.weights[pair], share = open_share(state, pair);
        double expected = state.played[pair] * chance;
        double surprise = (state.points[pair] - expected) / state.scales[PHI];
        double tie = weight * share;
        double amount = share * (surprise + weight * state.effects[pair]);
        amount += tie * (state.ratings[i] - state.ratings[j]);
        pull[i] += amount;
        pull[j] -= amount;
        laplacian(i, i) += tie;
        laplacian(j, j) += tie;
        laplacian(i, j) -= tie;
        laplacian(j, i) -= tie;
    }
    return {std::move(laplacian), std::move(pull)};
}

}  // namespace maxin
