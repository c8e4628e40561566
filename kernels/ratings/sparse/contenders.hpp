// The exact posterior of a few players of a large field, given all results of the others.
#pragma once

#include "ratings/sparse/state.hpp"

namespace maxin {

// List a pair of contenders i < j with everything the graph has of it.
inline void copy_pair(const SparseState &graph, Int pair, PosteriorState &state, Int i, Int j) {
    Int own = list_pair(state, i, j);
    state.played[own] = graph.played[pair], state.points[own] = graph.points[pair];
    state.weights[own] = graph.weights[pair], state.effects[own] = graph.effects[pair];
}

// Fill in the ratings, priors and pairs of the contenders; `places` has -1 for outsiders.
inline void fill_contenders(const SparseState &graph, ConstInts contenders, ConstInts places,
                            PosteriorState &state) {
    double spread2 = graph.scales[SPREAD2];
    for (Int place = 0; place < contenders.size; place++) {
        Int x = contenders[place];
        double precision = 1.0 / spread2, total = 0.0;
        for (Int end = graph.heads[x]; end != NOBODY; end = graph.nexts[end]) {
            Int pair = end / 2, rival = places[rival_at(graph, end)];
            if (rival != NOBODY) {
                if (place < rival) copy_pair(graph, pair, state, place, rival);
                continue;
            }
            double surprise = pair_surprise(graph, pair).surprise, message = graph.messages[end];
            double pull = surprise + graph.weights[pair] * graph.effects[pair];
            precision += message;
            total += sign_at(end) * open_share(graph, pair) * pull + message * graph.ratings[x];
        }
        state.prior_means[place] = total / precision;
        state.prior_weights[place] = precision * spread2;
        state.ratings[place] = graph.ratings[x];
        state.rating_var[place] = 1.0 / graph.precisions[x];
    }
}

// Means and variances of the ratings that an outsider must exceed to replace the top.
//
// It is the strength without the common part, and with the mean effect of the outsider's pairs.
inline std::pair<NewFloats, NewFloats> contender_levels(const PosteriorState &state,
                                                        ConstInts top) {
    double n_field = field_size(state);
    double shift = product(state.members, state.ratings) / n_field;
    NewFloats means(top.size), variances(top.size);
    for (Int level = 0; level < top.size; level++) {
        means[level] = state.strengths[top[level]] + shift;
        variances[level] = state.strength_var[top[level]] + state.scales[KAPPA2] / n_field;
    }
    return {std::move(means), std::move(variances)};
}

}  // namespace maxin
