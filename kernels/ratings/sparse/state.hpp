// The state of a posterior of very many players: about 50 bytes per player and 40 per pair.
#pragma once

#include "ratings/posterior/relaxation.hpp"

namespace maxin {

// The list of pairs is that of `PosteriorState`, in smaller numbers; scales have its indices.
//
// A message is the precision that one player of a pair passes on to the other: 2 p is what the
// first player of pair p receives.
struct SparseState {
    using Small = float;
    using Index = std::int32_t;

    KeptLine<double> scales;
    KeptLine<Int> counts;    // how many pairs there are, and a 0: there are no rows
    KeptLine<bool> members;  // the players in the field
    KeptLine<Index> heads, nexts;
    KeptTable<Index> pairs;
    KeptLine<Small> played, points, weights, effects;
    KeptLine<Small> gap_scales;  // 1: belief propagation is all that is known of the differences
    KeptLine<Small> messages;
    KeptLine<double> ratings;
    KeptLine<double> precisions;  // 1 / Var(r), by belief propagation
    KeptLine<Index> degrees;      // how many rivals each player has met
    KeptLine<Index> queue;        // players to relax, from the start; a ring
    KeptLine<bool> is_queued;

    Int n_players() const { return ratings.size; }
    Int n_pairs() const { return counts[PAIRS]; }
};

}  // namespace maxin
