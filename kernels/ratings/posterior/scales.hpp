// The scales of a posterior, learnt from its own means and variances.
//
// They are the spread s of the ratings, the spread kappa of the pair effects, and the dispersion
// phi of the scores.
#pragma once

#include <array>

#include "core/blas.hpp"
#include "ratings/posterior/advantages.hpp"

namespace maxin {

constexpr double LEAST_SPREAD2 = 0.04, MOST_SPREAD2 = 9.0;  // bounds of s^2 when it is refitted
constexpr double LEAST_KAPPA = 0.005, MOST_KAPPA = 3.0;     // ends of the first grid of kappas
constexpr double NO_KAPPA = 0.01;   // the scale of kappa in a field without cycles
constexpr int N_KAPPAS = 12;        // in a grid, for the posterior mean
constexpr int N_GRIDS = 4;          // each spans what is likely in the last one
constexpr double GRID_REACH = 3.5;  // how many standard deviations of log kappa a grid extends
constexpr double LEAST_PHI = 0.02;  // no match counts for more than 50 coin flips
constexpr double PRIOR_INFORMATION = 2.5;  // of phi's prior: ten coin flips between equal players

// What was seen of the effects of pairs: the squares, and the variances of the noise.
struct SeenEffects {
    std::vector<double> squares, noises;
};

template <class State>
SeenEffects seen_effects(const State &state, ConstFloats gaps) {
    double kappa2 = state.scales[KAPPA2];
    SeenEffects seen;
    for (Int pair = 0; pair < gaps.size; pair++) {
        double share = open_share(state, pair);
        double variance = kappa2 * share + square(1.0 - share) * gaps[pair];
        double precision = 1.0 / variance - 1.0 / kappa2;
        if (precision <= 1e-9) continue;
        seen.squares.push_back(square(state.effects[pair] / (variance * precision)));
        seen.noises.push_back(1.0 / precision);
    }
    return seen;
}

// The sum of the log densities N(0, kappa^2 + noise) of what was seen, up to a constant.
//
// Logarithms take most of the time, so there is one for every eight pairs.
inline double effects_log_likelihood(const SeenEffects &seen, double kappa2) {
    double log = 0.0;
    size_t n_pairs = seen.squares.size();
    for (size_t start = 0; start < n_pairs; start += 8) {
        double product = 1.0;
        for (size_t pair = start; pair < std::min(start + 8, n_pairs); pair++) {
            double total = kappa2 + seen.noises[pair];
            product *= total;
            log -= seen.squares[pair] / total;
        }
        log -= std::log(product);
    }
    return 0.5 * log;
}

// The prior of kappa: a mixture of two half-normal densities, with the scales `cyclic` and
// `NO_KAPPA`. The first one has the share `cycles`.
struct KappaPrior {
    double cycles, cyclic;

    double log_density(double kappa) const {
        double with = cycles / cyclic * std::exp(-0.5 * square(kappa / cyclic));
        double without = (1.0 - cycles) / NO_KAPPA * std::exp(-0.5 * square(kappa / NO_KAPPA));
        return std::log(with + without);
    }
};

// The posterior of log kappa on an even grid from `low` to `high`.
struct KappaGrid {
    double kappa2;                  // the posterior mean of kappa^2
    double centre, variance, step;  // of log kappa
};

inline KappaGrid kappa_grid(const SeenEffects &seen, const KappaPrior &prior, double low,
                            double high) {
    double step = (high - low) / (N_KAPPAS - 1.0);
    std::array<double, N_KAPPAS> kappas, odds;
    for (int k = 0; k < N_KAPPAS; k++) {
        kappas[k] = std::exp(low + step * k);
        odds[k] = std::log(kappas[k]) + prior.log_density(kappas[k]);
        odds[k] += effects_log_likelihood(seen, kappas[k] * kappas[k]);
    }
    double most = *std::max_element(odds.begin(), odds.end()), total = 0.0;
    for (double &value : odds) value = std::exp(value - most), total += value;
    KappaGrid grid = {0.0, 0.0, 0.0, step};
    for (int k = 0; k < N_KAPPAS; k++) {
        odds[k] /= total;
        grid.kappa2 += odds[k] * kappas[k] * kappas[k];
        grid.centre += odds[k] * std::log(kappas[k]);
    }
    for (int k = 0; k < N_KAPPAS; k++) {
        grid.variance += odds[k] * square(std::log(kappas[k]) - grid.centre);
    }
    return grid;
}

// The posterior mean of kappa^2, given the effects of the pairs that met and their gaps.
//
// Dividing the prior N(0, kappa^2) out of a pair's posterior leaves a noisy observation of its
// effect, which is N(0, k^2 + noise) for any other k. The mean is taken on a grid of log k; each
// next grid spans what the last one found likely, so that the outcome is smooth however many pairs
// there are.
template <class State>
double likely_kappa2(const State &state, ConstFloats gaps) {
    if (state.scales[CYCLES] < 0.0) return state.scales[KAPPA2];
    SeenEffects seen = seen_effects(state, gaps);
    KappaPrior prior = {state.scales[CYCLES], std::sqrt(state.scales[CYCLIC_KAPPA2])};
    double least = std::log(LEAST_KAPPA), most = std::log(MOST_KAPPA);
    double low = least, high = most, kappa2 = 1.0;
    for (int k = 0; k < N_GRIDS; k++) {
        KappaGrid grid = kappa_grid(seen, prior, low, high);
        double reach = GRID_REACH * std::sqrt(grid.variance + 0.25 * grid.step * grid.step);
        low = std::max(least, grid.centre - reach), high = std::min(most, grid.centre + reach);
        kappa2 = grid.kappa2;
    }
    return kappa2;
}

// The dispersion phi of scores, from E[y (1 - y)] = (1 - phi) E[p (1 - p)].
//
// A coin has y (1 - y) = 0, so phi is 1 if every match was won or lost. The prior acts like ten
// more coins.
inline double likely_phi(const PosteriorState &state, ConstFloats gaps) {
    double information = PRIOR_INFORMATION;
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        double weight = prediction(state, pair, gaps[pair]).weight;
        information += state.played[pair] * weight * state.scales[PHI];
    }
    return std::max(1.0 - state.scales[SPLIT] / information, LEAST_PHI);
}

// The sum r'P r + trace(P S), the expected square of the ratings in units of their prior.
//
// S is the inverse of P / s^2 + Lap(w f), so trace(P S) = s^2 (n - trace(Lap(w f) S)), and the
// last trace is the sum over pairs of w f Var(r_i - r_j).
inline double expected_squares(const PosteriorState &state, ConstFloats gaps) {
    double n_free = double(state.n_players());
    for (Int pair = 0; pair < gaps.size; pair++) {
        n_free -= state.weights[pair] * open_share(state, pair) * gaps[pair];
    }
    double squares = product(state.ratings, times(state.prior_precision, state.ratings));
    return squares + state.scales[SPREAD2] * std::max(n_free, 0.0);
}

// Refit s^2 and kappa^2 to the ratings and effects, and phi to the scores.
//
// s^2 = (1 + sum of r_i^2 + Var(r_i)) / (n + 1): the prior acts like one more player, rated 1.
// With features the sum is that of `expected_squares`.
// If the field has outsiders, these players are not a sample of it, and only kappa^2 is refitted.
// All scales move by the share `pace` of their whole step; returns that step's relative size.
inline double fit_scales(PosteriorState &state, ConstFloats gaps, double pace) {
    const auto &scales = state.scales;
    double total = 1.0 + sum(state.rating_var) + product(state.ratings, state.ratings);
    if (state.has_features()) total = 1.0 + expected_squares(state, gaps);
    double n_players = double(state.n_players());
    double spread2 = clipped(total / (n_players + 1.0), LEAST_SPREAD2, MOST_SPREAD2);
    double kappa2 = likely_kappa2(state, gaps), phi = likely_phi(state, gaps);
    if (scales[OUTSIDERS] > 0.0) spread2 = scales[SPREAD2], phi = scales[PHI];
    double change = std::abs(spread2 / scales[SPREAD2] - 1.0);
    change += std::abs(kappa2 / scales[KAPPA2] - 1.0);
    change += std::abs(phi / scales[PHI] - 1.0);
    scales[SPREAD2] += pace * (spread2 - scales[SPREAD2]);
    scales[KAPPA2] += pace * (kappa2 - scales[KAPPA2]);
    scales[PHI] += pace * (phi - scales[PHI]);
    return change;
}

}  // namespace maxin
