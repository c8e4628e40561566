// Groups of connected players, as a forest: each player has a parent, and a root is its own.
#pragma once

#include "core/arrays.hpp"

namespace maxin {

// The player that stands for a player's group; shortens the way to it.
inline Int root_of(Int player, Ints parents) {
    while (parents[player] != player) {
        parents[player] = parents[parents[player]];
        player = parents[player];
    }
    return player;
}

}  // namespace maxin
