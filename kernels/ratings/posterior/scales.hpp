// The scales of a posterior, learnt from its own means and variances.
//
// They are the spread s of the ratings, the spread kappa of the pair effects, and the dispersion
// phi of the scores.
#pragma once

#include <array>

#include "core/blas.hpp"
#include "ratings/posterior/learning.hpp"

namespace maxin {

constexpr double LEAST_SPREAD2 = 0.04, MOST_SPREAD2 = 9.0;  // bounds of s^2 when it is refitted
constexpr double NO_KAPPA = 0.01;                           // of a field without cycles
constexpr double LEAST_KAPPA = 0.02, MOST_KAPPA = 3.0;      // of a field with cycles
constexpr double MAY_CYCLE = 0.15;  // the prior probability that a field has cycles
constexpr int N_KAPPAS = 16;        // values of log kappa at which the evidence is computed
constexpr int N_BETWEEN = 8;        // steps from one of them to the next, by interpolation
constexpr double HALF_NORMAL =
    0.63661977236758134;                   // 2 / pi: the square of a half-normal density at 0
constexpr double LEAST_WEIGHT = 1e-12;     // results that have faded away say nothing
constexpr double LEAST_PHI = 0.02;         // no match counts for more than 50 coin flips
constexpr double PRIOR_INFORMATION = 2.5;  // of phi's prior: ten coin flips between equal players

// What the results say of each advantage: about a normal observation, with this precision.
struct SeenAdvantages {
    std::vector<Int> places;  // of the pairs that met
    std::vector<double> values, weights;
    std::vector<double> repeated;  // 1 - phi / N: how much of kappa^2 shows in N matches
};

// The observations A + g / w, with the weight w of each, relative to the prior's means.
inline SeenAdvantages seen_advantages(const PosteriorState &state, ConstFloats gaps) {
    SeenAdvantages seen;
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        double weight = state.weights[pair];
        double repeated = 1.0 - state.scales[PHI] / std::max(state.played[pair], 1e-300);
        if (weight < LEAST_WEIGHT) continue;
        double expected = state.played[pair] * prediction(state, pair, gaps[pair]).chance;
        double surprise = (state.points[pair] - expected) / state.scales[PHI];
        double mean = state.ratings[i] - state.ratings[j] + state.effects[pair];
        mean -= state.prior_means[i] - state.prior_means[j];
        seen.places.push_back(pair);
        seen.values.push_back(mean + surprise / weight);
        seen.weights.push_back(weight);
        seen.repeated.push_back(std::max(repeated, 0.0));
    }
    return seen;
}

// The ratings by observations of some advantages: the factor of Q = prior + Lap(d), b and Q^-1 b.
struct SeenRatings {
    NewMatrix factor;
    NewFloats pull, means;
    bool is_definite;
};

// The ratings by the observations k with ties[k] > 0, where b is the sum of d y a, and d the ties.
inline SeenRatings seen_ratings(const PosteriorState &state, const SeenAdvantages &seen,
                                ConstFloats ties) {
    NewFloats prior(state.n_players()), all(state.n_pairs(), 0.0), pull(state.n_players(), 0.0);
    for (Int x = 0; x < prior.size; x++) prior[x] = state.prior_weights[x] / state.scales[SPREAD2];
    for (Int k = 0; k < ties.size; k++) {
        all[seen.places[k]] = ties[k];
        pull[state.pairs(seen.places[k], 0)] += ties[k] * seen.values[k];
        pull[state.pairs(seen.places[k], 1)] -= ties[k] * seen.values[k];
    }
    NewMatrix factor = precision_of(state, prior, all);
    NewFloats means = copied(pull);
    bool is_definite = factorise(factor);
    if (is_definite) solve_factorised(factor, {means.data, 1, means.size});
    return {std::move(factor), std::move(pull), std::move(means), is_definite};
}

inline double log_determinant(ConstMatrix factor) {
    double log = 0.0;
    for (Int x = 0; x < factor.n_rows; x++) log += 2.0 * std::log(factor(x, x));
    return log;
}

// The log density of the observations, up to a constant, if effects have the variance kappa^2.
//
// With d = 1 / (q kappa^2 + 1 / w), it is (sum of log d - d y^2, - log det Q + b'Q^-1 b) / 2.
inline double log_evidence(const PosteriorState &state, const SeenAdvantages &seen, double kappa2) {
    NewFloats ties(seen.places.size());
    double log = 0.0;
    for (Int k = 0; k < ties.size; k++) {
        ties[k] = seen.weights[k] / (1.0 + seen.repeated[k] * kappa2 * seen.weights[k]);
        log += std::log(ties[k]) - ties[k] * square(seen.values[k]);
    }
    SeenRatings ratings = seen_ratings(state, seen, ties);
    if (!ratings.is_definite) return -INFINITE;
    return 0.5 * (log - log_determinant(ratings.factor) + product(ratings.pull, ratings.means));
}

// The observations of pairs that met repeatedly, given those of all others, which say nothing of
// kappa: their means are `surprises` below what was seen, with the covariance `cov` + q kappa^2.
struct RepeatedAdvantages {
    NewMatrix cov;
    NewFloats surprises, repeated;
};

inline RepeatedAdvantages repeated_advantages(const PosteriorState &state,
                                              const SeenAdvantages &seen,
                                              const std::vector<Int> &often) {
    NewFloats ties(seen.places.size());
    for (Int k = 0; k < ties.size; k++) ties[k] = seen.repeated[k] > 0.0 ? 0.0 : seen.weights[k];
    SeenRatings others = seen_ratings(state, seen, ties);
    Int n_often = often.size();
    NewMatrix rows(n_often, state.n_players(), 0.0), cov(n_often, n_often);
    NewFloats surprises(n_often), repeated(n_often);
    auto players = [&](Int k) { return state.pairs[seen.places[often[k]]]; };
    for (Int k = 0; k < n_often; k++) rows(k, players(k)[0]) = 1.0, rows(k, players(k)[1]) = -1.0;
    solve_factorised(others.factor, rows);
    for (Int k = 0; k < n_often; k++) {
        for (Int l = 0; l < n_often; l++)
            cov(k, l) = rows(l, players(k)[0]) - rows(l, players(k)[1]);
        cov(k, k) += 1.0 / seen.weights[often[k]];
        double mean = others.means[players(k)[0]] - others.means[players(k)[1]];
        surprises[k] = seen.values[often[k]] - mean;
        repeated[k] = seen.repeated[often[k]];
    }
    return {std::move(cov), std::move(surprises), std::move(repeated)};
}

// The same log density as `log_evidence`, up to another constant.
inline double log_evidence(const RepeatedAdvantages &often, double kappa2) {
    NewMatrix factor(often.cov.n_rows, often.cov.n_rows);
    for (Int k = 0; k < factor.n_rows; k++) {
        copy(often.cov[k], factor[k]);
        factor(k, k) += often.repeated[k] * kappa2;
    }
    if (!factorise(factor)) return -INFINITE;
    NewFloats image = copied(often.surprises);
    solve_factorised(factor, {image.data, 1, image.size});
    return -0.5 * (log_determinant(factor) + product(often.surprises, image));
}

// The log densities of the observations for these kappa^2, up to a constant.
//
// While few pairs met repeatedly, it is the density of what was seen of these, given the rest.
inline NewFloats log_evidences(const PosteriorState &state, const SeenAdvantages &seen,
                               ConstFloats kappa2s) {
    std::vector<Int> often;
    for (Int k = 0; k < Int(seen.places.size()); k++) {
        if (seen.repeated[k] > 0.0) often.push_back(k);
    }
    NewFloats logs(kappa2s.size, 0.0);
    if (often.empty()) return logs;
    if (2 * Int(often.size()) > state.n_players()) {
        for (Int k = 0; k < logs.size; k++) logs[k] = log_evidence(state, seen, kappa2s[k]);
        return logs;
    }
    RepeatedAdvantages few = repeated_advantages(state, seen, often);
    for (Int k = 0; k < logs.size; k++) logs[k] = log_evidence(few, kappa2s[k]);
    return logs;
}

// The cubic through four values at the places -1, 0, 1 and 2, at a place from 0 to 1.
inline double interpolated(const double *values, double place) {
    double a = place + 1.0, b = place, c = place - 1.0, d = place - 2.0;
    double outer = values[3] * a * b * c - values[0] * b * c * d;
    return outer / 6.0 + (values[1] * a * c * d - values[2] * a * b * d) / 2.0;
}

// The posterior mean of kappa^2.
//
// A field has no cycles, kappa = 0.01, with probability 0.85; else the density of kappa is
// half-normal, with the scale that the state has for it. The evidence of log kappa is computed at
// even steps, and interpolated between them: it is smooth however many pairs there are.
inline double likely_kappa2(const PosteriorState &state, ConstFloats gaps) {
    SeenAdvantages seen = seen_advantages(state, gaps);
    double scale2 = state.scales[CYCLIC_KAPPA2];
    double low = std::log(LEAST_KAPPA), step = (std::log(MOST_KAPPA) - low) / (N_KAPPAS - 1.0);
    NewFloats kappa2s(N_KAPPAS + 1);
    for (int k = 0; k < N_KAPPAS; k++) kappa2s[k] = std::exp(2.0 * (low + step * k));
    kappa2s[N_KAPPAS] = square(NO_KAPPA);
    NewFloats logs = log_evidences(state, seen, kappa2s);
    double none = logs[N_KAPPAS], most = *std::max_element(logs.begin(), logs.end());
    double total = 0.0, squares = 0.0;
    for (int k = 0; k <= (N_KAPPAS - 1) * N_BETWEEN; k++) {
        double place = double(k) / N_BETWEEN, kappa2 = std::exp(2.0 * (low + step * place));
        int first = std::min(std::max(int(place) - 1, 0), N_KAPPAS - 4);
        double log = interpolated(&logs[first], place - first - 1.0);
        double density = std::sqrt(kappa2) * std::exp(log - most - 0.5 * kappa2 / scale2);
        if (k == 0 || k == (N_KAPPAS - 1) * N_BETWEEN) density *= 0.5;
        total += density, squares += density * kappa2;
    }
    double share = MAY_CYCLE * step / N_BETWEEN * std::sqrt(HALF_NORMAL / scale2);
    double without = (1.0 - MAY_CYCLE) * std::exp(none - most);
    return (share * squares + without * square(NO_KAPPA)) / (share * total + without);
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

// Refit s^2 to the ratings, and phi to the scores.
//
// s^2 = (1 + sum of r_i^2 + Var(r_i)) / (n + 1): the prior acts like one more player, rated 1.
// With features the sum is that of `expected_squares`.
// If the field has outsiders, these players are not a sample of it, and nothing is refitted.
// Both scales move by the share `pace` of their whole step; returns that step's relative size.
inline double fit_scales(PosteriorState &state, ConstFloats gaps, double pace) {
    const auto &scales = state.scales;
    double total = 1.0 + sum(state.rating_var) + product(state.ratings, state.ratings);
    if (state.has_features()) total = 1.0 + expected_squares(state, gaps);
    double n_players = double(state.n_players());
    double spread2 = clipped(total / (n_players + 1.0), LEAST_SPREAD2, MOST_SPREAD2);
    double phi = likely_phi(state, gaps);
    if (scales[OUTSIDERS] > 0.0) return 0.0;
    double change = std::abs(spread2 / scales[SPREAD2] - 1.0);
    change += std::abs(phi / scales[PHI] - 1.0);
    scales[SPREAD2] += pace * (spread2 - scales[SPREAD2]);
    scales[PHI] += pace * (phi - scales[PHI]);
    return change;
}

}  // namespace maxin
