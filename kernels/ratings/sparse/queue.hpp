// A queue of players to relax: local steps spread from the players of new results.
#pragma once

#include "ratings/sparse/state.hpp"

namespace maxin {

// Count results of matches (first, second), for whose pairs there is room.
inline void add_results(SparseState &state, Rows matches, ConstFloats scores) {
    for (Int place = 0; place < scores.size; place++) {
        Int i = matches(place, 0), j = matches(place, 1), n_pairs = state.n_pairs();
        double score = scores[place];
        if (i > j) std::swap(i, j), score = 1.0 - score;
        Int pair = list_pair(state, i, j);
        if (pair == n_pairs) {
            state.messages[2 * pair] = state.messages[2 * pair + 1] = 0.0;
            state.gap_scales[pair] = 1.0;
            state.degrees[i]++;
            state.degrees[j]++;
        }
        state.played[pair] += 1.0;
        state.points[pair] += score;
        state.scales[SPLIT] += score * (1.0 - score);
    }
}

// The queue of a state as a ring, for one relaxation.
class Ring {
   public:
    Ring(SparseState &state, Int n_queued) : state_(state), n_queued_(n_queued) {}

    bool is_empty() const { return n_queued_ == 0; }

    void push(Int x) {
        state_.queue[(start_ + n_queued_) % state_.queue.size] = x;
        state_.is_queued[x] = true;
        n_queued_++;
    }

    Int pop() {
        Int x = state_.queue[start_];
        start_ = (start_ + 1) % state_.queue.size;
        n_queued_--;
        state_.is_queued[x] = false;
        return x;
    }

   private:
    SparseState &state_;
    Int start_ = 0, n_queued_;
};

// Visit the players in the queue, and whoever would move because of them; returns visits.
//
// A rating that moves by more than `tolerance` is visited again, and so is a rival whose rating
// would move by half of that, or its precision by twice that share.
inline Int relax(SparseState &state, Int n_queued, double tolerance, Int most_visits) {
    Ring queue(state, n_queued);
    Int n_visits = 0;
    for (; !queue.is_empty() && n_visits < most_visits; n_visits++) {
        Int x = queue.pop();
        auto [move, change] = visit(state, x, 0.0, 1.0);
        if (move > tolerance) queue.push(x);
        if (move <= tolerance && change <= 5.0 * tolerance) continue;
        for (Int end = state.heads[x]; end != NOBODY; end = state.nexts[end]) {
            Int rival = rival_at(state, end);
            double pull = state.weights[end / 2] / state.precisions[rival];
            bool would_move = move * pull > 0.5 * tolerance || change * pull > 2.0 * tolerance;
            if (would_move && !state.is_queued[rival]) queue.push(rival);
        }
    }
    while (!queue.is_empty()) queue.pop();
    return n_visits;
}

// Queue the players of these matches, each once, whatever their seats; returns how many.
inline Int queue_players(SparseState &state, Rows matches) {
    Int n_queued = 0;
    for (Int place = 0; place < matches.n_rows; place++) {
        auto [low, high] = std::minmax(matches(place, 0), matches(place, 1));
        for (Int x : {low, high}) {
            if (state.is_queued[x]) continue;
            state.queue[n_queued++] = x;
            state.is_queued[x] = true;
        }
    }
    return n_queued;
}

// Queue all players.
inline Int queue_everyone(SparseState &state) {
    for (Int x = 0; x < state.n_players(); x++) {
        state.queue[x] = x;
        state.is_queued[x] = true;
    }
    return state.n_players();
}

// At most how many visits a relaxation takes; usually 15 for each player in the queue.
inline Int most_visits(Int n_queued) { return 10'000 + 100 * n_queued; }

// Visit everyone until no rating moves by more than the tolerance; returns the number of visits.
inline Int relax_everyone(SparseState &state, double tolerance) {
    Int n_queued = queue_everyone(state);
    return relax(state, n_queued, tolerance, most_visits(n_queued));
}

// Count results and relax from their players; returns the number of visits.
inline Int learn_and_relax(SparseState &state, Rows matches, ConstFloats scores, double tolerance) {
    add_results(state, matches, scores);
    Int n_queued = queue_players(state, matches);
    return relax(state, n_queued, tolerance, most_visits(n_queued));
}

// The sum over all matches of E[p (1 - p)], from which phi is learnt.
inline double information_in_all(const SparseState &state) {
    double total = 0.0;
    for (Int pair = 0; pair < state.n_pairs(); pair++) {
        total += pair_surprise(state, pair).weight * state.scales[PHI];
    }
    return total;
}

}  // namespace maxin
