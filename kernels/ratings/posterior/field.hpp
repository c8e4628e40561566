// Relax a whole field, and its scales, on the graph of the pairs that met.
#pragma once

#include "ratings/posterior/learning.hpp"
#include "ratings/posterior/mixing.hpp"
#include "ratings/posterior/relaxation.hpp"
#include "ratings/posterior/scales.hpp"

namespace maxin {

constexpr std::array<Scale, 2> LEARNT = {SPREAD2, PHI};  // the scales that a fit moves
constexpr double NEARBY = 0.3;      // steps that change no more than this are mixed
constexpr int N_STEPS = 2;          // of the means and variances, before the scales move
constexpr double LEAST_PACE = 0.1;  // share of a Newton step
constexpr double ACCURACY = 1e-4;   // of the solution of a Newton step, relative

// The logarithms of the scales that are learnt.
inline NewFloats log_scales(ConstFloats scales) {
    NewFloats logs(LEARNT.size());
    for (Int k = 0; k < logs.size; k++) logs[k] = std::log(scales[LEARNT[k]]);
    return logs;
}

// Set the scales to a mixture, unless it would move one of them against its own step.
inline void set_ahead(Floats scales, ConstFloats before, ConstFloats mixed) {
    NewFloats logs = log_scales(scales);
    for (Int k = 0; k < logs.size; k++) {
        bool is_ahead = (mixed[k] - before[k]) * (logs[k] - before[k]) >= 0.0;
        if (!is_ahead) return;
    }
    for (Int k = 0; k < logs.size; k++) scales[LEARNT[k]] = std::exp(mixed[k]);
    scales[PHI] = std::min(scales[PHI], 1.0);
}

// Refit the scales; returns the change of everything, of which `size` is that of the ratings.
//
// If that is more than `tolerance`, but near, the scales' step is mixed with the ones before.
// `last` is the change before.
inline double step_scales(PosteriorState &state, ConstFloats gaps, Steps &steps, double size,
                          double last, double tolerance) {
    NewFloats before = log_scales(state.scales);
    double change = size + fit_scales(state, gaps, 1.0);
    if (change <= tolerance) return change;
    if (change > NEARBY || change > 2.0 * last) steps.filled[0] = 0;
    NewFloats step = log_scales(state.scales);
    for (Int k = 0; k < step.size; k++) step[k] -= before[k];
    keep(steps, before, step);
    if (steps.filled[0] > 1) set_ahead(state.scales, before, mixture(steps));
    return change;
}

// (diag(prior) + Lap(ties))^-1 b by conjugate gradients, preconditioned by the diagonal.
inline NewFloats graph_solution(const PosteriorState &state, ConstFloats prior, ConstFloats ties,
                                ConstFloats right) {
    Int size = right.size;
    NewFloats diagonal = copied(prior), rest = copied(right);
    NewFloats solution(size, 0.0), scaled(size), image(size);
    for (Int pair = 0; pair < ties.size; pair++) {
        diagonal[state.pairs(pair, 0)] += ties[pair];
        diagonal[state.pairs(pair, 1)] += ties[pair];
    }
    for (Int x = 0; x < size; x++) scaled[x] = rest[x] / diagonal[x];
    NewFloats direction = copied(scaled);
    double power = product(rest, scaled), enough = ACCURACY * ACCURACY * power;
    for (Int k = 0; k < 2 * size + 10 && power > enough; k++) {
        for (Int x = 0; x < size; x++) image[x] = diagonal[x] * direction[x];
        for (Int pair = 0; pair < ties.size; pair++) {
            Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
            image[i] -= ties[pair] * direction[j];
            image[j] -= ties[pair] * direction[i];
        }
        double length = power / product(direction, image), last = power;
        for (Int x = 0; x < size; x++) {
            solution[x] += length * direction[x];
            rest[x] -= length * image[x];
            scaled[x] = rest[x] / diagonal[x];
        }
        power = product(rest, scaled);
        double turn = power / last;
        for (Int x = 0; x < size; x++) direction[x] = direction[x] * turn + scaled[x];
    }
    return solution;
}

// Relax everyone until a round moves nothing by more than `tolerance`; returns the last move.
//
// A round is two Newton steps with fixed scales, and then a step of the scales. Near the fixed
// point these shrink slowly, so they are mixed, in `steps`. Where results are nearly certain, whole
// Newton steps may oscillate forever: a larger advantage makes a smaller weight, and a smaller
// weight a larger advantage. So a step that is longer than the last one and goes back shortens the
// next. Variances of ratings and of their differences are those of belief propagation, corrected
// by `var_scales` and the graph's `gap_scales`.
inline double relax_field(PosteriorState &state, Relaxation &graph, ConstFloats var_scales,
                          Floats gaps, Steps &steps, double tolerance, Int most_rounds) {
    double change = 1.0, size = INFINITE, pace = 1.0;
    NewFloats step(state.n_players(), 0.0);
    for (Int round = 0; round < most_rounds && (round == 0 || change > tolerance); round++) {
        double last = change;
        for (int k = 0; k < N_STEPS; k++) {
            auto [prior, ties, slope, surprise] = balance(state, gaps, pace);
            NewFloats next = graph_solution(state, prior, ties, slope);
            bool is_back = product(step, next) < 0.0;
            double before_size = size;
            size = move(state, next, surprise, pace);
            bool is_wild = is_back && size > before_size;
            pace = is_wild ? std::max(0.7 * pace, LEAST_PACE) : std::min(1.05 * pace, 1.0);
            pass_messages(graph, prior, ties);
            fill_relaxed_gaps(graph, gaps);
            step = std::move(next);
        }
        for (Int x = 0; x < step.size; x++) {
            state.rating_var[x] = var_scales[x] / graph.precisions[x];
        }
        change = step_scales(state, gaps, steps, size, last, tolerance);
    }
    return change;
}

}  // namespace maxin
