// Local steps towards the fixed point of a posterior, one player at a time.
//
// The equations are those of docs/explanation/notes/posterior.md. Variances are those of belief
// propagation, which is exact if the graph of matches is a tree: see
// docs/explanation/notes/sieve.md. Where exact ones are known too, `gap_scales` corrects it.
//
// A graph is any state with the list of pairs of `PosteriorState`, and with
// - `precisions`: 1 / Var(r), by belief propagation;
// - `messages`: the precision that each end of a pair receives from the other;
// - `gap_scales`: for each pair, Var(r_i - r_j) relative to belief propagation; 1 if not known.
#pragma once

#include "ratings/posterior/advantages.hpp"

namespace maxin {

constexpr double LONGEST_MOVE = 1.0;  // of a rating at one visit, in nats
constexpr double HALF =
    0.5;  // share of the way of a pair's weight at a visit: whole ones oscillate

// The graph of a posterior's own arrays, to relax it.
struct Relaxation {
    KeptLine<double> scales;
    KeptLine<Int> counts, heads, nexts;
    KeptTable<Int> pairs;
    KeptLine<double> played, points, weights, effects;
    KeptLine<double> ratings;
    KeptLine<double> precisions, messages, gap_scales;
};

// The precision of a player without the matches of one pair, in which it has this end.
template <class Graph>
double without_message(const Graph &graph, Int player, Int end) {
    double least = 1e-3 / graph.scales[SPREAD2];  // rounding must not make it negative
    return std::max(graph.precisions[player] - graph.messages[end], least);
}

// Var(r_i - r_j) of a pair that met: 1 / (w f + 1 / (1 / a + 1 / b)), corrected.
//
// a and b are the precisions of both players without this pair's matches.
template <class Graph>
double pair_gap(const Graph &graph, Int pair) {
    double first = without_message(graph, graph.pairs(pair, 0), 2 * pair);
    double second = without_message(graph, graph.pairs(pair, 1), 2 * pair + 1);
    double tie = graph.weights[pair] * open_share(graph, pair);
    return graph.gap_scales[pair] / (tie + first * second / (first + second));
}

struct Surprise {
    double surprise;  // g = (W - N p) / phi
    double weight;    // the information N h / phi
};

// The surprise of a pair that met, and its information.
template <class Graph>
Surprise pair_surprise(const Graph &graph, Int pair) {
    Int i = graph.pairs(pair, 0), j = graph.pairs(pair, 1);
    double share = open_share(graph, pair);
    double variance = share * share * pair_gap(graph, pair) + graph.scales[KAPPA2] * share;
    double mean = graph.ratings[i] - graph.ratings[j] + graph.effects[pair];
    auto [chance, slope] = expected_score(mean, variance);
    double phi = graph.scales[PHI], played = graph.played[pair];
    return {(graph.points[pair] - played * chance) / phi, played * slope / phi};
}

// The precision that a player with this end of a pair receives: 1 / (1 / (w f) + 1 / b).
//
// b is the precision of the rival without this pair's matches.
template <class Graph>
double passed_message(Graph &graph, Int end, double tie) {
    Int other = end + 1 - 2 * (end % 2);
    double rest = without_message(graph, rival_at(graph, end), other);
    double message = 1.0 / (1.0 / tie + 1.0 / rest);
    graph.messages[end] = message;
    return message;
}

struct Visit {
    double move;    // of the rating
    double change;  // of its precision, relative
};

// Newton's step for the rating of one player, and its pairs' effects, weights and messages.
//
// The prior is N(prior_mean, s^2 / prior_weight).
template <class Graph>
Visit visit(Graph &graph, Int x, double prior_mean, double prior_weight) {
    double kappa2 = graph.scales[KAPPA2], precision = prior_weight / graph.scales[SPREAD2];
    double slope = (prior_mean - graph.ratings[x]) * precision, curvature = precision;
    for (Int end = graph.heads[x]; end != NOBODY; end = graph.nexts[end]) {
        Int pair = end / 2;
        auto [surprise, weight] = pair_surprise(graph, pair);
        double before = graph.weights[pair];
        if (before > 0.0) weight = before + HALF * (weight - before);
        graph.weights[pair] = weight;
        double share = 1.0 / (1.0 + kappa2 * weight);
        slope += sign_at(end) * share * (surprise + weight * graph.effects[pair]);
        curvature += weight * share;
        graph.effects[pair] += share * (kappa2 * surprise - graph.effects[pair]);
        precision += passed_message(graph, end, weight * share);
    }
    double move = clipped(slope / curvature, -LONGEST_MOVE, LONGEST_MOVE);
    graph.ratings[x] += move;
    double change = std::abs(precision - graph.precisions[x]) / graph.precisions[x];
    graph.precisions[x] = precision;
    return {std::abs(move), change};
}

// One sweep of belief propagation over all players.
inline void pass_messages(Relaxation &graph, ConstFloats prior, ConstFloats ties) {
    for (Int x = 0; x < prior.size; x++) {
        double precision = prior[x];
        for (Int end = graph.heads[x]; end != NOBODY; end = graph.nexts[end]) {
            precision += passed_message(graph, end, ties[end / 2]);
        }
        graph.precisions[x] = precision;
    }
}

// Fill in Var(r_i - r_j) of each pair that met.
inline void fill_relaxed_gaps(const Relaxation &graph, Floats gaps) {
    for (Int pair = 0; pair < gaps.size; pair++) gaps[pair] = pair_gap(graph, pair);
}

}  // namespace maxin
