// Pairing everyone at once: matchings in a graph of players.
//
// A matching is an array of partners, -1 for those who have none.

#include <algorithm>
#include <vector>

#include "core/bindings.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

using Allowed = Table<const bool>;  // which pairs may meet

constexpr double LEAST_GAIN = 1e-12;  // of an exchange: smaller ones are rounding errors

// The search for an alternating path from a root to another player without a partner, by Edmonds'
// method (1965). Players who are `gone` are left alone.
class PathSearch {
   public:
    PathSearch(Allowed allowed, const std::vector<bool> &gone, Ints partners, Int root)
        : allowed_(allowed),
          gone_(gone),
          partners_(partners),
          root_(root),
          size_(partners.size),
          parents_(size_, -1),
          bases_(size_),
          reached_(gone) {
        std::iota(bases_.begin(), bases_.end(), 0);
        queue_.reserve(size_);
        reach(root);
    }

    // Give the root a partner along the path, if there is one.
    bool extend() {
        for (size_t head = 0; head < queue_.size(); head++) {
            Int player = queue_[head];
            for (Int other = 0; other < size_; other++) {
                if (!is_open(player, other)) continue;
                bool is_even =
                    other == root_ || (partners_[other] >= 0 && parents_[partners_[other]] >= 0);
                if (is_even) {
                    shrink_blossom(player, other);
                } else if (parents_[other] < 0) {
                    parents_[other] = player;
                    if (partners_[other] < 0) {
                        turn_path(other);
                        return true;
                    }
                    reach(partners_[other]);
                }
            }
        }
        return false;
    }

   private:
    void reach(Int player) {
        reached_[player] = true;
        queue_.push_back(player);
    }

    bool is_open(Int player, Int other) const {
        bool is_edge = allowed_(player, other) && !gone_[other] && other != player;
        return is_edge && bases_[player] != bases_[other] && partners_[player] != other;
    }

    // The base at which the alternating paths of two players to the root meet.
    Int common_base(Int one, Int other) const {
        std::vector<bool> seen(size_, false);
        for (one = bases_[one];; one = bases_[parents_[partners_[one]]]) {
            seen[one] = true;
            if (partners_[one] < 0) break;
        }
        for (other = bases_[other]; !seen[other];) other = bases_[parents_[partners_[other]]];
        return other;
    }

    // Mark the players of a blossom from `player` down to its base, and turn their parents.
    void mark_blossom(std::vector<bool> &marks, Int player, Int base, Int child) {
        while (bases_[player] != base) {
            marks[bases_[player]] = marks[bases_[partners_[player]]] = true;
            parents_[player] = child;
            child = partners_[player];
            player = parents_[partners_[player]];
        }
    }

    // Two players at even distance from the root close a circle, which acts as one player.
    void shrink_blossom(Int player, Int other) {
        Int base = common_base(player, other);
        std::vector<bool> marks(size_, false);
        mark_blossom(marks, player, base, other);
        mark_blossom(marks, other, base, player);
        for (Int one = 0; one < size_; one++) {
            if (!marks[bases_[one]]) continue;
            bases_[one] = base;
            if (!reached_[one]) reach(one);
        }
    }

    // Swap who is paired along the path that ends at a player without a partner.
    void turn_path(Int end) {
        while (end >= 0) {
            Int parent = parents_[end], following = partners_[parent];
            partners_[end] = parent, partners_[parent] = end;
            end = following;
        }
    }

    Allowed allowed_;
    const std::vector<bool> &gone_;
    Ints partners_;
    Int root_, size_;
    std::vector<Int> parents_, bases_, queue_;
    std::vector<bool> reached_;
};

// Partners such that as many players as possible have one, in pairs that are allowed.
NewInts largest_matching(Allowed allowed) {
    NewInts partners(allowed.n_rows, -1);
    std::vector<bool> gone(allowed.n_rows, false);
    for (Int player = 0; player < partners.size; player++) {
        if (partners[player] < 0) PathSearch(allowed, gone, partners, player).extend();
    }
    return partners;
}

// The player with whom a match costs least, of those who are allowed and not refused.
Int cheapest(ConstMatrix costs, Allowed allowed, const std::vector<bool> &refused, Int player) {
    Int best = -1;
    for (Int one = 0; one < costs.n_rows; one++) {
        if (!allowed(player, one) || one == player || refused[one]) continue;
        if (best < 0 || costs(player, one) < costs(player, best)) best = one;
    }
    return best;
}

// Pair two players, and their partners with others along a path; returns whether that is possible.
bool pair_up(Allowed allowed, std::vector<bool> &gone, Ints partners, Int player, Int other) {
    gone[player] = gone[other] = true;
    if (partners[player] == other) return true;
    Int left = partners[player], right = partners[other];
    partners[left] = partners[right] = -1;
    if (PathSearch(allowed, gone, partners, left).extend()) {
        partners[player] = other, partners[other] = player;
        return true;
    }
    partners[left] = player, partners[right] = other;
    gone[player] = gone[other] = false;
    return false;
}

// Everyone's partner, if each in turn gets the cheapest one with whom all can be paired.
//
// There must be a matching of all players in allowed pairs; each choice keeps one possible.
NewInts preferred_matching(ConstMatrix costs, Allowed allowed, ConstInts order) {
    NewInts partners = largest_matching(allowed);
    std::vector<bool> gone(order.size, false);
    for (Int player : order) {
        std::vector<bool> refused = gone;
        while (!gone[player]) {
            Int other = cheapest(costs, allowed, refused, player);
            if (!pair_up(allowed, gone, partners, player, other)) refused[other] = true;
        }
    }
    return partners;
}

// Have two pairs exchange their partners where that is heavier; returns whether any did.
bool exchange_partners(ConstMatrix weights, Ints partners) {
    bool is_better = false;
    for (Int a = 0; a < weights.n_rows; a++) {
        for (Int c = a + 1; c < weights.n_rows; c++) {
            Int b = partners[a], d = partners[c];
            if (c == b) continue;
            double gain = weights(a, c) + weights(b, d) - weights(a, b) - weights(c, d);
            if (gain <= LEAST_GAIN) continue;
            partners[a] = c, partners[c] = a;
            partners[b] = d, partners[d] = b;
            is_better = true;
        }
    }
    return is_better;
}

// Partners whose weights have a large sum: the heaviest free pair first, then exchanges.
//
// `heaviest` has all pairs as rows, by falling weight; the number of players is even. Two pairs
// exchange their partners as long as that is heavier. The sum need not be the largest of all.
NewInts heavy_matching(ConstMatrix weights, Rows heaviest) {
    NewInts partners(weights.n_rows, -1);
    for (Int place = 0; place < heaviest.n_rows; place++) {
        Int first = heaviest(place, 0), second = heaviest(place, 1);
        if (partners[first] >= 0 || partners[second] >= 0) continue;
        partners[first] = second, partners[second] = first;
    }
    while (exchange_partners(weights, partners)) {
    }
    return partners;
}

}  // namespace

void bind_matching(nb::module_ &room) {
    room.def("largest_matching", &largest_matching, Unlocked());
    room.def("preferred_matching", &preferred_matching, Unlocked());
    room.def("heavy_matching", &heavy_matching, Unlocked());
}

}  // namespace maxin
