// How informative a match is: the choices of the posterior's schedulers.
//
// The state may include pending matches (see `narrow`). A pair with a weight but no played match
// has its first match pending; it is asked again only if nothing else is informative.

#include "ratings/posterior/advantages.hpp"
#include "ratings/posterior/draws.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

using Players = std::pair<Int, Int>;

constexpr double CERTAIN = 1e-3;  // how little a match may lower P(misordered) to count for nothing
constexpr double LATE = 1e-6;     // factor of the value of a match whose pair's first is pending

// The player most likely to be better than x: the one with the largest (t_y - t_x) / sd.
//
// `variances` are those of the strengths.
Int nearest_rival(const PosteriorState &state, ConstFloats variances, Int x) {
    double nearest = -INFINITE;
    Int rival = -1;
    NewFloats differences = difference_variances(state, variances, x);
    for (Int y = 0; y < variances.size; y++) {
        double gap = (state.strengths[y] - state.strengths[x]) / std::sqrt(differences[y]);
        if (y != x && gap > nearest) nearest = gap, rival = y;
    }
    return rival;
}

// Marks of the k largest values.
std::vector<bool> top_places(ConstFloats values, Int k) {
    std::vector<bool> marks(values.size, false);
    for (Int count = 0; count < k; count++) {
        Int best = -1;
        for (Int x = 0; x < values.size; x++) {
            if (!marks[x] && (best < 0 || values[x] > values[best])) best = x;
        }
        marks[best] = true;
    }
    return marks;
}

// Two players whose membership in the top k is uncertain, as two draws show.
//
// x and y are the best players that are in the top k of only the first, and only the second draw;
// (-1, -1) if both have the same top.
Players boundary_pair(ConstFloats first, ConstFloats second, Int k) {
    std::vector<bool> top = top_places(first, k), other = top_places(second, k);
    Int x = -1, y = -1;
    for (Int player = 0; player < first.size; player++) {
        if (top[player] && !other[player] && (x < 0 || first[player] > first[x])) x = player;
        if (other[player] && !top[player] && (y < 0 || second[player] > second[y])) y = player;
    }
    return {x, y};
}

// The matches of a player against every other: mean and variance of the advantage, the pair's f,
// and the factor of a match whose pair's first match is pending.
struct Matches {
    NewFloats means, variances, shares, late;
};

Matches matches_of(const PosteriorState &state, Int player, ConstFloats cov_row) {
    auto [means, variances] = advantages(state, player, cov_row);
    NewFloats shares(means.size, 1.0), late(means.size, 1.0);
    for (Int end = state.heads[player]; end != NOBODY; end = state.nexts[end]) {
        Int rival = rival_at(state, end);
        shares[rival] = open_share(state, end / 2);
        if (state.played[end / 2] == 0.0) late[rival] = LATE;
    }
    return {std::move(means), std::move(variances), std::move(shares), std::move(late)};
}

// By how much a match of `player` against `rival` would lower Var(t_x - t_y), if by more than
// `least`; else no more than `least`.
//
// It is h c^2 / (1 + h Var(A_ij)) for players i, j, where h is the information of the match and
// c = Cov(t_x - t_y, A_ij) = f (cov_i - cov_j + kappa^2 q / n). Here cov is Cov(r, t_x - t_y),
// q = m_j ([i = x] - [i = y]) - m_i ([j = x] - [j = y]), and m marks members of the field. It grows
// with h, which is 1 / (4 phi) at most: where even that is too little, h need not be computed.
double variance_reduction(const PosteriorState &state, const Matches &matches, ConstFloats cov,
                          Players swap, Int player, Int rival, double unit, double least) {
    auto side = [&](Int z) { return double(z == swap.first) - double(z == swap.second); };
    double sign = state.members[rival] * side(player) - state.members[player] * side(rival);
    double teaches = matches.shares[rival] * (cov[player] - cov[rival] + unit * sign);
    double square = teaches * teaches * matches.late[rival], variance = matches.variances[rival];
    double phi = state.scales[PHI];
    if (square <= least * (4.0 * phi + variance)) return least;
    double weight = expected_score(matches.means[rival], variance).slope / phi;
    return weight * square / (1.0 + weight * variance);
}

// The mean effect's part of c, for two members.
double effect_unit(const PosteriorState &state) { return state.scales[KAPPA2] / field_size(state); }

// By how much a match of `player` against each other would lower Var(t_x - t_y).
NewFloats variance_reductions(const PosteriorState &state, ConstFloats cov, Int x, Int y,
                              Int player) {
    NewFloats row(state.n_players()), drops(state.n_players(), 0.0);
    fill_cov_row(state, player, row);
    Matches matches = matches_of(state, player, row);
    double unit = effect_unit(state);
    for (Int rival = 0; rival < drops.size; rival++) {
        if (rival == player) continue;
        drops[rival] = variance_reduction(state, matches, cov, {x, y}, player, rival, unit, 0.0);
    }
    return drops;
}

struct Informative {
    Players match;
    double drop;  // by how much it lowers Var(t_x - t_y)
};

// For each two players x and y, the match of x or y that lowers Var(t_x - t_y) most: the best to
// learn who is stronger.
//
// In all runs tried, no match between two other players was ever more informative.
std::vector<Informative> most_informative(const PosteriorState &state,
                                          const std::vector<Players> &swaps) {
    std::vector<Int> places(state.n_players(), NOBODY), players;
    for (auto [x, y] : swaps) {
        for (Int player : {x, y}) {
            if (places[player] != NOBODY) continue;
            places[player] = players.size();
            players.push_back(player);
        }
    }
    Int n_players = players.size();
    NewMatrix vectors(n_players + swaps.size(), state.n_players(), 0.0);
    for (Int place = 0; place < n_players; place++) vectors(place, players[place]) = 1.0;
    for (Int swap = 0; swap < Int(swaps.size()); swap++) {
        auto [x, y] = swaps[swap];
        copy(contrast(state, x, y), vectors[n_players + swap]);
    }
    NewMatrix covs = cov_times(state, vectors);
    std::vector<Matches> matches;
    for (Int place = 0; place < n_players; place++) {
        matches.push_back(matches_of(state, players[place], covs[place]));
    }
    double unit = effect_unit(state);
    std::vector<Informative> found;
    for (auto [x, y] : swaps) {
        Informative best = {{x, y}, -1.0};
        ConstFloats cov = covs[n_players + found.size()];
        for (Int player : {x, y}) {
            const Matches &own = matches[places[player]];
            for (Int rival = 0; rival < state.n_players(); rival++) {
                if (rival == x || rival == player) continue;
                double drop =
                    variance_reduction(state, own, cov, {x, y}, player, rival, unit, best.drop);
                if (drop > best.drop) best = {{player, rival}, drop};
            }
        }
        found.push_back(best);
    }
    return found;
}

Players most_informative_match(const PosteriorState &state, Int x, Int y) {
    return most_informative(state, {{x, y}})[0].match;
}

// The logarithm of `mean_excess`, which does not underflow: far out, it is sd density(z) / z^2.
double log_mean_excess(double gap, double variance) {
    double deviation = std::sqrt(std::max(variance, 1e-300)), z = gap / deviation;
    if (z <= 30.0) return std::log(mean_excess(gap, deviation * deviation));
    return std::log(deviation * 0.3989422804014327) - 0.5 * z * z - 2.0 * std::log(z);
}

struct Swap {
    double value;
    Players players;
};

// The swaps of x in the top k and y outside with the largest improvement if their strengths were
// learnt completely, best first. `strengths` order the players, `variances` are theirs.
std::vector<Players> likely_swaps(const PosteriorState &state, ConstFloats strengths,
                                  ConstFloats variances, Int k, Int n_swaps) {
    std::vector<bool> top = top_places(strengths, k);
    std::vector<Swap> swaps;
    for (Int x = 0; x < strengths.size; x++) {
        if (!top[x]) continue;
        NewFloats differences = difference_variances(state, variances, x);
        for (Int y = 0; y < strengths.size; y++) {
            if (top[y]) continue;
            double value = log_mean_excess(strengths[x] - strengths[y], differences[y]);
            swaps.push_back({value, {x, y}});
        }
    }
    auto last = swaps.begin() + std::min<Int>(n_swaps, swaps.size());
    auto is_better = [](const Swap &one, const Swap &other) { return one.value > other.value; };
    std::partial_sort(swaps.begin(), last, swaps.end(), is_better);
    std::vector<Players> likely;
    for (auto swap = swaps.begin(); swap != last; swap++) likely.push_back(swap->players);
    return likely;
}

// The match from which the strength of the top k is expected to gain most.
//
// For each of the likeliest swaps, it is the match that is most informative about it; the gain is
// E[max(d, 0)], where d is the posterior mean of t_y - t_x after this match.
Players most_improving_match(const PosteriorState &state, ConstFloats strengths,
                             ConstFloats variances, Int k, Int n_swaps) {
    double most = -INFINITE;
    Players best = {0, 1};
    std::vector<Players> swaps = likely_swaps(state, strengths, variances, k, n_swaps);
    std::vector<Informative> found = most_informative(state, swaps);
    for (Int swap = 0; swap < Int(swaps.size()); swap++) {
        auto [x, y] = swaps[swap];
        double value = log_mean_excess(strengths[x] - strengths[y], found[swap].drop);
        if (value > most) most = value, best = found[swap].match;
    }
    return best;
}

// The most informative match about the first boundary pair among draws, if any.
//
// The first draw is compared with the others, one after another, until one has another top;
// (-1, -1) if none has. `scales` are the factors of the noise of the first draw and of the others.
Players drawn_match(const PosteriorState &state, const Noise &noise, Int k,
                    std::pair<double, double> scales) {
    NewFloats spreads = effect_spreads(state);
    NewFloats first(state.n_players()), second(state.n_players());
    fill_draw(state, spreads, noise, 0, scales.first, first);
    for (Int other = 1; other < noise.bases.n_rows; other++) {
        fill_draw(state, spreads, noise, other, scales.second, second);
        auto [x, y] = boundary_pair(first, second, k);
        if (x >= 0) return most_informative_match(state, x, y);
    }
    return {-1, -1};
}

// The x in the top k and y outside with the largest (t_y - t_x) / sd.
Players nearest_boundary(const PosteriorState &state, ConstFloats variances, Int k) {
    std::vector<bool> top = top_places(state.strengths, k);
    double nearest = -INFINITE;
    Players pair = {0, 1};
    for (Int x = 0; x < state.n_players(); x++) {
        if (!top[x]) continue;
        NewFloats differences = difference_variances(state, variances, x);
        for (Int y = 0; y < state.n_players(); y++) {
            double gap = (state.strengths[y] - state.strengths[x]) / std::sqrt(differences[y]);
            if (!top[y] && gap > nearest) nearest = gap, pair = {x, y};
        }
    }
    return pair;
}

// P(the lower rated of two players is better) if their means are `gap` apart.
double misorder(double gap, double variance) { return normal_tail(std::abs(gap), variance); }

struct Moments {
    double between, variance;
};

// Cov(r_x - r_y, p'r) and Var(p'r) for the contrast p of x and y.
Moments contrast_moments(const PosteriorState &state, Int x, Int y) {
    NewFloats vector = contrast(state, x, y), image(vector.size, 0.0);
    for (Int z = 0; z < vector.size; z++) {
        if (vector[z] != 0.0) subtract(image, -vector[z], state.base_cov[z]);
    }
    Moments found = {image[x] - image[y], product(vector, image)};
    for (Int k = 0; k < state.n_rows(); k++) {
        double amount = product(vector, state.rows[k]);
        found.between -= amount * (state.rows(k, x) - state.rows(k, y));
        found.variance -= amount * amount;
    }
    return found;
}

struct Advantage {
    double mean, variance, share;
    bool is_late;  // whether the pair's first match is pending
};

// Mean and variance of A_xy, and the pair's f.
Advantage advantage(const PosteriorState &state, Int x, Int y) {
    Int pair = pair_place(state, std::min(x, y), std::max(x, y));
    double kappa2 = state.scales[KAPPA2], gap = gap_of(state, x, y);
    double mean = state.ratings[x] - state.ratings[y];
    if (pair == NOBODY) return {mean, gap + kappa2, 1.0, false};
    double share = open_share(state, pair);
    mean += x < y ? state.effects[pair] : -state.effects[pair];
    return {mean, share * share * gap + kappa2 * share, share, state.played[pair] == 0.0};
}

struct OrderDoubt {
    double value;  // by how much a match of the two lowers P(misordered)
    double lead;   // of the higher rated one, in standard deviations
};

// The doubt about the order of x and y. The value is P(misordered) now, minus its mean over the two
// possible scores of their match. `open_sums` are those of `open_effects`.
OrderDoubt order_doubt(const PosteriorState &state, ConstFloats open_sums, Int x, Int y) {
    const auto &members = state.members;
    double n_members = field_size(state), phi = state.scales[PHI];
    double unit = state.scales[KAPPA2] / (n_members * n_members);
    auto [between, variance_now] = contrast_moments(state, x, y);
    auto [mean, variance, share, is_late] = advantage(state, x, y);
    auto [chance, slope] = expected_score(mean, variance);
    double weight = slope / phi;
    double own = open_sums[x] + open_sums[y] + 2.0 * share * members[x] * members[y];
    double before = std::max(variance_now + unit * own, 1e-300);
    double teaches = share * (between + unit * n_members * (members[x] + members[y]));
    double drop = weight * teaches * teaches / (1.0 + weight * variance);
    double after = std::max(before - drop, 1e-300);
    double gap = state.strengths[x] - state.strengths[y];
    // A score is about sqrt(phi) as far from its mean as a coin, and counts 1 / phi as much.
    double reach = std::sqrt(drop / (phi * weight * (1.0 + weight * variance)));
    double won = misorder(gap + (1.0 - chance) * reach, after);
    double lost = misorder(gap - chance * reach, after);
    double value = misorder(gap, before) - chance * won - (1.0 - chance) * lost;
    return {is_late ? value * LATE : value, std::abs(gap) / std::sqrt(before)};
}

// The neighbours in the ranking, given from the best player to the worst, for which a match
// lowers P(misordered) most.
//
// Where no match lowers it by more than `CERTAIN`, they are those with the least certain order: the
// differences of such small probabilities say nothing.
Players doubtful_neighbours(const PosteriorState &state, ConstInts ranking) {
    NewFloats open_sums = open_effects(state);
    double most = CERTAIN, least = INFINITE;
    Players pair = {ranking[0], ranking[1]}, open = pair;
    for (Int place = 0; place + 1 < ranking.size; place++) {
        Int x = ranking[place], y = ranking[place + 1];
        auto [value, lead] = order_doubt(state, open_sums, x, y);
        if (value > most) most = value, pair = {x, y};
        if (lead < least) least = lead, open = {x, y};
    }
    return most > CERTAIN ? pair : open;
}

// The expected information of a match of each pair about the ratings, in nats.
//
// It is what the match reveals about the advantage A, minus what it would reveal about the
// effect of the pair if the ratings were known:
//
//     (log(1 + h Var(A)) - log(1 + h kappa^2 f)) / 2,
//
// where h is the information of the match about A.
NewMatrix rating_gains(const PosteriorState &state) {
    Int n_players = state.n_players();
    double kappa2 = state.scales[KAPPA2];
    NewMatrix gains(n_players, n_players, 0.0);
    NewFloats shares(n_players);
    for (Int x = 0; x < n_players; x++) {
        auto [means, variances] = advantages(state, x);
        fill(Floats(shares), 1.0);
        for (Int end = state.heads[x]; end != NOBODY; end = state.nexts[end]) {
            shares[rival_at(state, end)] = open_share(state, end / 2);
        }
        for (Int y = x + 1; y < n_players; y++) {
            double weight = expected_score(means[y], variances[y]).slope / state.scales[PHI];
            double own = std::log1p(weight * kappa2 * shares[y]);
            gains(x, y) = gains(y, x) = 0.5 * (std::log1p(weight * variances[y]) - own);
        }
    }
    return gains;
}

}  // namespace

void bind_information(nb::module_ &room) {
    room.def("nearest_rival", &nearest_rival);
    room.def("boundary_pair", &boundary_pair);
    room.def("variance_reductions", &variance_reductions);
    room.def("most_informative_match", &most_informative_match);
    room.def("drawn_match",
             [](const PosteriorState &state, ConstMatrix bases, ConstMatrix row_noise,
                ConstMatrix effect_noise, Int k, std::pair<double, double> scales) {
                 return drawn_match(state, {bases, row_noise, effect_noise}, k, scales);
             });
    room.def("nearest_boundary", &nearest_boundary);
    room.def("log_mean_excess", &log_mean_excess);
    room.def("most_improving_match", &most_improving_match);
    room.def("misorder", &misorder);
    room.def("doubtful_neighbours", &doubtful_neighbours, Unlocked());
    room.def("rating_gains", &rating_gains, Unlocked());
}

}  // namespace maxin
