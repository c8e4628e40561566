// How likely players are to be better than the leaders, by a sparse posterior.
#pragma once

#include "ratings/sparse/state.hpp"

namespace maxin {

constexpr Int N_POINTS = 96;        // of the quadrature
constexpr double REACH = 6.0;       // how many standard deviations it extends
constexpr double BEYOND = 2.5;      // and how many times as far as the levels, for the prior's tail
constexpr double HOPELESS = 1e-15;  // players whose normal chance is below are not integrated
constexpr Int MOST_RIVALS = 24;     // players with more rivals have a rating close to normal

// Fill in P(r_x > level) for every member, where the level is normal; 0 for others.
inline void fill_chances(const SparseState &state, double mean, double variance, Floats chances) {
    for (Int x = 0; x < chances.size; x++) {
        double total = variance + 1.0 / state.precisions[x];
        chances[x] = state.members[x] ? normal_tail(mean - state.ratings[x], total) : 0.0;
    }
}

struct Rival {
    double mean, precision;  // of its rating
};

// The rating of the rival without the matches of this pair, of which the player has the `end`.
inline Rival rival_before(const SparseState &state, Int end) {
    Int pair = end / 2, other = end + 1 - 2 * (end % 2), rival = rival_at(state, end);
    double least = 1.0 / state.scales[SPREAD2];
    double precision = std::max(state.precisions[rival] - state.messages[other], least);
    double surprise = pair_surprise(state, pair).surprise;
    double pull = surprise + state.weights[pair] * state.effects[pair];
    double push = sign_at(other) * open_share(state, pair) * pull;
    return {state.ratings[rival] - push / precision, precision};
}

// Evenly spaced points from `low` to `high`, as NumPy spaces them.
inline NewFloats even_grid(double low, double high) {
    NewFloats grid(N_POINTS);
    double step = (high - low) / double(N_POINTS - 1);
    for (Int place = 0; place < N_POINTS; place++) grid[place] = low + step * double(place);
    grid[N_POINTS - 1] = high;
    return grid;
}

// Student's log density with four degrees of freedom and the variance s^2.
//
// With it, few matches cannot rule out that a player is far better than all others.
inline NewFloats heavy_prior(const SparseState &state, ConstFloats grid) {
    NewFloats logs(grid.size);
    for (Int place = 0; place < grid.size; place++) {
        double ratio = 0.5 * grid[place] * grid[place] / state.scales[SPREAD2];
        logs[place] = -2.5 * std::log(1.0 + ratio);
    }
    return logs;
}

// The log density of N(0, s^2), up to a constant.
inline NewFloats normal_prior(const SparseState &state, ConstFloats grid) {
    NewFloats logs(grid.size);
    for (Int place = 0; place < grid.size; place++) {
        logs[place] = -0.5 * grid[place] * grid[place] / state.scales[SPREAD2];
    }
    return logs;
}

// The logarithm of the density of r_x on a grid, up to a constant.
//
// It is the prior times the likelihood of each pair's results, averaged over the rival's rating
// without them and over the pair's effect.
inline NewFloats log_density(const SparseState &state, Int x, ConstFloats grid, ConstFloats prior) {
    NewFloats logs = copied(prior);
    for (Int end = state.heads[x]; end != NOBODY; end = state.nexts[end]) {
        auto [mean, precision] = rival_before(state, end);
        double variance = 1.0 / precision + state.scales[KAPPA2];
        double played = state.played[end / 2], points = state.points[end / 2];
        if (end % 2 == 1) points = played - points;
        for (Int place = 0; place < grid.size; place++) {
            double chance = expected_score(grid[place] - mean, variance).chance;
            double log_odds = points * std::log(std::max(chance, 1e-300));
            log_odds += (played - points) * std::log(std::max(1.0 - chance, 1e-300));
            logs[place] += log_odds / state.scales[PHI];
        }
    }
    return logs;
}

// The density of r_x on a grid, relative to its largest value there.
inline NewFloats density_of(const SparseState &state, Int x, ConstFloats grid, ConstFloats prior) {
    NewFloats density = log_density(state, x, grid, prior);
    double most = *std::max_element(density.begin(), density.end());
    for (double &value : density) value = std::exp(value - most);
    return density;
}

// Fill in P(r_x > level): normal, or by quadrature if x met few rivals.
inline void fill_survival(const SparseState &state, Int x, ConstFloats levels, Floats chances) {
    double deviation = 1.0 / std::sqrt(state.precisions[x]);
    for (Int place = 0; place < levels.size; place++) {
        double gap = levels[place] - state.ratings[x];
        chances[place] = normal_tail(gap, deviation * deviation);
    }
    if (state.degrees[x] > MOST_RIVALS || chances[0] < HOPELESS) return;
    double low = state.ratings[x] - REACH * deviation;
    double high =
        std::max(state.ratings[x] + REACH * deviation, levels[levels.size - 1] + deviation);
    NewFloats grid = even_grid(low, high);
    NewFloats above = density_of(state, x, grid, normal_prior(state, grid));
    double step = grid[1] - grid[0], total = sum(above);
    for (Int place = N_POINTS - 2; place >= 0; place--) above[place] += above[place + 1];
    for (double &value : above) value /= total;  // of all points from each one on
    for (Int place = 0; place < levels.size; place++) {
        double at = (levels[place] - low) / step + 0.5;
        Int point = std::min(std::max(Int(at), Int(0)), N_POINTS - 2);
        double part = clipped(at - double(point), 0.0, 1.0);
        chances[place] = (1.0 - part) * above[point] + part * above[point + 1];
    }
}

// Marks of the players in a list.
inline std::vector<bool> marked(ConstInts players, Int n_players) {
    std::vector<bool> marks(n_players, false);
    for (Int x : players) marks[x] = true;
    return marks;
}

// Fill in log P(no outsider's rating is above a level), and each one's chance to be above.
//
// Outsiders are independent. The levels are evenly spaced, and `tails` is the mean of
// P(r_x > level) with the weights `shares`; 0 for contenders and for players who left.
inline void fill_outsiders(const SparseState &state, ConstInts contenders, ConstFloats levels,
                           ConstFloats shares, Floats logs, Floats tails) {
    std::vector<bool> is_inside = marked(contenders, tails.size);
    NewFloats chances(levels.size);
    fill(logs, 0.0);
    fill(tails, 0.0);
    for (Int x = 0; x < tails.size; x++) {
        if (!state.members[x] || is_inside[x]) continue;
        fill_survival(state, x, levels, chances);
        for (Int place = 0; place < levels.size; place++) {
            logs[place] += std::log1p(-std::min(chances[place], 1.0 - 1e-12));
            tails[x] += shares[place] * chances[place];
        }
    }
}

// The sum over levels of P(r_x > level), by quadrature: x met few, and is not quite normal.
inline double tail_doubt(const SparseState &state, Int x, ConstFloats means,
                         ConstFloats variances) {
    double deviation = 1.0 / std::sqrt(state.precisions[x]);
    double low = state.ratings[x] - REACH * deviation;
    double high = state.ratings[x] + REACH * deviation;
    for (Int level = 0; level < means.size; level++) {
        high = std::max(high, BEYOND * means[level] + REACH * std::sqrt(variances[level]));
    }
    NewFloats grid = even_grid(low, high);
    NewFloats density = density_of(state, x, grid, heavy_prior(state, grid));
    double doubt = 0.0;
    for (Int place = 0; place < N_POINTS; place++) {
        for (Int level = 0; level < means.size; level++) {
            doubt += density[place] * normal_tail(means[level] - grid[place], variances[level]);
        }
    }
    return doubt / sum(density);
}

// Fill in, for every member, the sum over levels of P(r_x > level) that contenders lack.
//
// Levels are the ratings of the top. Contenders are counted elsewhere by a normal distribution;
// here they have what their real tails add to it. Players of the top have 0.
inline void fill_doubts(const SparseState &state, ConstInts contenders, ConstInts top,
                        ConstFloats means, ConstFloats variances, Floats doubts) {
    std::vector<bool> is_inside = marked(contenders, doubts.size);
    std::vector<bool> is_top = marked(top, doubts.size);
    for (Int x = 0; x < doubts.size; x++) {
        doubts[x] = 0.0;
        if (!state.members[x] || is_top[x]) continue;
        double normal = 0.0;
        for (Int level = 0; level < means.size; level++) {
            double variance = variances[level] + 1.0 / state.precisions[x];
            normal += normal_tail(means[level] - state.ratings[x], variance);
        }
        double doubt = normal;
        if (state.degrees[x] <= MOST_RIVALS) {
            doubt = std::max(normal, tail_doubt(state, x, means, variances));
        }
        doubts[x] = is_inside[x] ? doubt - normal : doubt;
    }
}

}  // namespace maxin
