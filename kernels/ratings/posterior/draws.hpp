// Draws of the strengths from a posterior.
#pragma once

#include "ratings/posterior/state.hpp"

namespace maxin {

// For each player, how much of a normal number its mean effect has, before it is centred.
inline NewFloats effect_spreads(const PosteriorState &state) {
    double n_members = field_size(state);
    NewFloats spreads = open_effects(state);
    for (Int x = 0; x < spreads.size; x++) {
        spreads[x] = std::sqrt(spreads[x] * (1.0 + state.members[x] / (n_members - 1.0)));
    }
    return spreads;
}

// Normal numbers for draws, a row each: `bases` from N(0, S0), the others independent.
struct Noise {
    ConstMatrix bases, row_noise, effect_noise;
};

// Fill in strengths t + scale * noise: a draw from the posterior, if `scale` is 1.
//
// The base is a draw x from N(0, S0), and the other numbers are normal. Every row of K takes from
// x what its match taught, by Matheron's rule: x - K' xi, where xi = sqrt(eta) (f (x_i - x_j) +
// noise) has variance 1 and covariance K with x. The strengths are G x plus the mean effects.
//
// Mean effects have the covariance kappa^2 Lap(f) / n^2. Their variances here are exact, but
// their covariances are as if each f_ij was the product of a number for i and one for j: exact
// if all f are equal, and of order 1 / n of the variances in any case.
inline void fill_draw(const PosteriorState &state, ConstFloats spreads, const Noise &noise, Int row,
                      double scale, Floats draw) {
    const auto &members = state.members;
    double n_members = field_size(state);
    ConstFloats effect_noise = noise.effect_noise[row];
    NewFloats x = copied(noise.bases[row]);
    for (Int k = 0; k < state.n_rows(); k++) {
        Int i = state.row_pairs(k, 0), j = state.row_pairs(k, 1);
        double amount = state.row_scales(k, SLOPE) * (x[i] - x[j]);
        amount += state.row_scales(k, NOISE) * noise.row_noise(row, k);
        subtract(x, amount, state.rows[k]);
    }
    fill_mean_advantage(state, open_shares(state), x, draw);
    double total = 0.0, common = 0.0;
    for (Int z = 0; z < x.size; z++) {
        total += members[z] * spreads[z] * spreads[z];
        common += members[z] * spreads[z] * effect_noise[z];
    }
    common /= total + state.scales[OUTSIDERS] * n_members;
    double unit = std::sqrt(state.scales[KAPPA2]) / n_members;
    for (Int z = 0; z < x.size; z++) {
        double effect = spreads[z] * (effect_noise[z] - members[z] * spreads[z] * common);
        draw[z] = state.strengths[z] + scale * (draw[z] + unit * effect);
    }
}

// Draws, one row for each row of numbers; see `fill_draw`.
inline NewMatrix drawn(const PosteriorState &state, const Noise &noise, double scale) {
    NewFloats spreads = effect_spreads(state);
    NewMatrix draws(noise.bases.n_rows, noise.bases.n_columns);
    for (Int row = 0; row < draws.n_rows; row++) {
        fill_draw(state, spreads, noise, row, scale, draws[row]);
    }
    return draws;
}

}  // namespace maxin
