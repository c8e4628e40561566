// Learning from a match, and the parts of a Newton step.
#pragma once

#include "core/blas.hpp"
#include "ratings/posterior/advantages.hpp"

namespace maxin {

constexpr double LONGEST_STEP = 2.0;  // no Newton step moves a rating or an effect by more, in nats

// Fill in Cov(t, A) = G Cov(r, A) + kappa^2 f / n at the pair itself.
inline void fill_strength_gain(const PosteriorState &state, ConstFloats shares, Int pair,
                               ConstFloats rating_gain, Floats strength_gain) {
    Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
    fill_mean_advantage(state, shares, rating_gain, strength_gain);
    double own = shares[pair] * state.scales[KAPPA2] / field_size(state);
    strength_gain[i] += own * state.members[j];
    strength_gain[j] -= own * state.members[i];
}

// Fill in Cov(r, A) and Cov(t, A) of a pair's advantage; returns Var(r_i - r_j).
inline double fill_gains(const PosteriorState &state, Int pair, Floats rating_gain,
                         Floats strength_gain) {
    Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
    double share = open_share(state, pair);
    fill_gap_row(state, i, j, rating_gain);
    double gap = std::max(rating_gain[i] - rating_gain[j], 0.0);
    for (double &gain : rating_gain) gain *= share;
    fill_strength_gain(state, open_shares(state), pair, rating_gain, strength_gain);
    return gap;
}

// Count the next row of K, which is filled in: a match with information `weight`.
//
// `root` is the square root of eta = h / (1 + h Var(A)). S loses the square of the row.
inline void count_row(PosteriorState &state, Int pair, double weight, double root) {
    Int row = state.n_rows();
    double share = open_share(state, pair);
    lower_squares(state.rating_var, state.rows[row], 1.0);
    double mean = product(state.members, state.rows[row]) / field_size(state);
    subtract(state.mean_cov, mean, state.rows[row]);
    copy(state.pairs[pair], state.row_pairs[row]);
    state.row_scales(row, SLOPE) = root * share;
    state.row_scales(row, NOISE) = root * std::sqrt(state.scales[KAPPA2] * share + 1.0 / weight);
    state.counts[ROWS]++;
    state.weights[pair] += weight;
}

// Learn from one match of i < j: the Gaussian update of every mean and variance.
inline void observe(PosteriorState &state, Int i, Int j, double score) {
    Int pair = list_pair(state, i, j);
    if (state.n_rows() >= state.rows.n_rows) throw std::length_error("no room for a row");
    NewFloats by_rating(state.n_players()), by_strength(state.n_players());
    double gap = fill_gains(state, pair, by_rating, by_strength);
    auto [chance, weight, variance] = prediction(state, pair, gap);
    double move = (score - chance) / (state.scales[PHI] * (1.0 + weight * variance));
    for (Int other = 0; other < state.n_pairs(); other++) {
        Int x = state.pairs(other, 0), y = state.pairs(other, 1);
        double known = 1.0 - open_share(state, other);
        state.effects[other] -= known * move * (by_rating[x] - by_rating[y]);
    }
    // What the pair's own effect learns in addition to its share through the ratings.
    double own = variance - open_share(state, pair) * (by_rating[i] - by_rating[j]);
    state.effects[pair] += move * own;
    double root = std::sqrt(weight / (1.0 + weight * variance));
    Floats row = state.rows[state.n_rows()];
    for (Int x = 0; x < by_rating.size; x++) {
        state.ratings[x] += move * by_rating[x];
        state.strengths[x] += move * by_strength[x];
        row[x] = root * by_rating[x];
    }
    lower_squares(state.strength_var, by_strength, root);
    count_row(state, pair, weight, root);
    state.played[pair] += 1.0;
    state.points[pair] += score;
    state.scales[SPLIT] += score * (1.0 - score);
}

// The equations of a Newton step: (diag(prior) + Lap(ties)) step = slope.
struct Balance {
    NewFloats prior;  // the prior's precision of each rating
    NewFloats ties;   // w f of each pair that met
    NewFloats slope;
    NewFloats surprise;  // of each pair that met
};

// The pull of the prior on each rating.
inline NewFloats prior_slope(const PosteriorState &state, ConstFloats prior) {
    if (state.has_features()) {
        NewFloats slope = times(state.prior_precision, state.ratings);
        for (double &pull : slope) pull = -pull / state.scales[SPREAD2];
        return slope;
    }
    NewFloats slope(state.n_players());
    for (Int x = 0; x < slope.size; x++) {
        slope[x] = -(state.ratings[x] - state.prior_means[x]) * prior[x];
    }
    return slope;
}

// The equations of a Newton step, with weights updated from the current advantages.
//
// The weights move by the share `pace` of their whole step.
inline Balance balance(PosteriorState &state, ConstFloats gaps, double pace) {
    double kappa2 = state.scales[KAPPA2], phi = state.scales[PHI];
    NewFloats surprise(state.n_pairs()), ties(state.n_pairs()), prior(state.n_players());
    for (Int x = 0; x < prior.size; x++) prior[x] = state.prior_weights[x] / state.scales[SPREAD2];
    NewFloats slope = prior_slope(state, prior);
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Prediction seen = prediction(state, pair, gaps[pair]);
        double weight = seen.weight * state.played[pair], before = state.weights[pair];
        if (before > 0.0) weight = before + pace * (weight - before);
        surprise[pair] = (state.points[pair] - state.played[pair] * seen.chance) / phi;
        state.weights[pair] = weight;
        double share = 1.0 / (1.0 + kappa2 * weight);
        double push = share * (surprise[pair] + weight * state.effects[pair]);
        slope[state.pairs(pair, 0)] += push;
        slope[state.pairs(pair, 1)] -= push;
        ties[pair] = weight * share;
    }
    return {std::move(prior), std::move(ties), std::move(slope), std::move(surprise)};
}

// Q = diag(prior) + Lap(ties), its lower triangle; with features P / s^2 + Lap(ties).
inline NewMatrix precision_of(const PosteriorState &state, ConstFloats prior, ConstFloats ties) {
    NewMatrix precision(prior.size, prior.size, 0.0);
    for (Int x = 0; x < prior.size; x++) {
        precision(x, x) = prior[x];
        if (!state.has_features()) continue;
        for (Int y = 0; y < prior.size; y++) {
            precision(x, y) = state.prior_precision(x, y) / state.scales[SPREAD2];
        }
    }
    for (Int pair = 0; pair < ties.size; pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        precision(i, i) += ties[pair];
        precision(j, j) += ties[pair];
        precision(j, i) -= ties[pair];
    }
    return precision;
}

// Move ratings and effects by a Newton step, or the share `pace` of it.
//
// Returns the largest change of an effect, or whole step of a rating.
inline double move(PosteriorState &state, Floats step, ConstFloats surprise, double pace) {
    double kappa2 = state.scales[KAPPA2], size = largest_size(step);
    double shortening = pace * std::min(1.0, LONGEST_STEP / std::max(size, 1e-300));
    for (Int x = 0; x < step.size; x++) {
        step[x] *= shortening;
        state.ratings[x] += step[x];
    }
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        double weight = state.weights[pair];
        double pull = surprise[pair] - weight * (step[i] - step[j]);
        double change = (kappa2 * pull - state.effects[pair]) / (1.0 + kappa2 * weight);
        state.effects[pair] += clipped(change, -LONGEST_STEP, LONGEST_STEP);
        size = std::max(size, std::abs(change));
    }
    return size;
}

// Fill in the variances of ratings, and of their differences in each pair, from S.
inline void fill_gaps(PosteriorState &state, ConstMatrix cov, Floats gaps) {
    for (Int x = 0; x < cov.n_rows; x++) state.rating_var[x] = cov(x, x);
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        gaps[pair] = std::max(cov(i, i) - 2.0 * cov(i, j) + cov(j, j), 0.0);
    }
}

// G'S g - 2 g'c, for g the row of x and its rivals, and c Cov(r, the field's mean).
//
// It empties the row.
inline double field_variance(const PosteriorState &state, Int x, Floats row, ConstFloats mean_cov) {
    std::vector<Int> players = {x};
    for (Int end = state.heads[x]; end != NOBODY; end = state.nexts[end]) {
        players.push_back(rival_at(state, end));
    }
    double variance = 0.0;
    for (Int one : players) {
        double total = -2.0 * mean_cov[one];
        for (Int other : players) total += row[other] * state.base_cov(one, other);
        variance += row[one] * total;
    }
    for (Int one : players) row[one] = 0.0;
    return variance;
}

// Compute t and its variances from the ratings, effects and weights, just after a refit.
inline void update_strengths(PosteriorState &state) {
    const auto &members = state.members;
    double n_members = field_size(state), mean = product(members, state.ratings) / n_members;
    for (Int x = 0; x < members.size; x++) state.strengths[x] = state.ratings[x] - mean;
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        state.strengths[i] += members[j] * state.effects[pair] / n_members;
        state.strengths[j] -= members[i] * state.effects[pair] / n_members;
    }
    double own = state.scales[KAPPA2] / (n_members * n_members);
    NewFloats open_sums = open_effects(state);
    copy(times(state.base_cov, members), state.mean_cov);
    for (double &cov : state.mean_cov) cov /= n_members;
    double mean_var = product(members, state.mean_cov) / n_members;
    NewFloats row(members.size, 0.0);
    for (Int x = 0; x < members.size; x++) {
        add_field_row(state, x, 1.0, row);
        state.strength_var[x] =
            own * open_sums[x] + (mean_var + field_variance(state, x, row, state.mean_cov));
    }
}

// G M: for each player i, the mean over the field of f_ij (M_i - M_j).
inline NewMatrix field_rows(const PosteriorState &state, ConstMatrix matrix) {
    const auto &members = state.members;
    double n_members = field_size(state);
    NewMatrix means(matrix.n_rows, matrix.n_columns);
    NewFloats mean = transposed_times(matrix, members);
    for (double &value : mean) value /= n_members;
    for (Int i = 0; i < matrix.n_rows; i++) {
        for (Int x = 0; x < matrix.n_columns; x++) means(i, x) = matrix(i, x) - mean[x];
    }
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        Int i = state.pairs(pair, 0), j = state.pairs(pair, 1);
        double known = (1.0 - open_share(state, pair)) / n_members;
        for (Int x = 0; x < matrix.n_columns; x++) {
            double amount = known * (matrix(i, x) - matrix(j, x));
            means(i, x) -= members[j] * amount;
            means(j, x) += members[i] * amount;
        }
    }
    return means;
}

}  // namespace maxin
