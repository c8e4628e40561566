// Square matrices, handled in tiles that fit the cache.
#pragma once

#include <algorithm>

#include "core/arrays.hpp"

namespace maxin {

constexpr Int TILE = 32;

// A copy of the transpose.
inline NewMatrix transposed(ConstMatrix matrix) {
    Int size = matrix.n_rows;
    NewMatrix turned(size, size);
    for (Int top = 0; top < size; top += TILE) {
        for (Int left = 0; left < size; left += TILE) {
            for (Int i = top; i < std::min(top + TILE, size); i++) {
                for (Int j = left; j < std::min(left + TILE, size); j++) {
                    turned(i, j) = matrix(j, i);
                }
            }
        }
    }
    return turned;
}

// Copy the lower triangle onto the upper one.
inline void mirror_lower(Matrix matrix) {
    Int size = matrix.n_rows;
    for (Int top = 0; top < size; top += TILE) {
        for (Int left = 0; left <= top; left += TILE) {
            for (Int i = top; i < std::min(top + TILE, size); i++) {
                for (Int j = left; j < std::min(left + TILE, i); j++) matrix(j, i) = matrix(i, j);
            }
        }
    }
}

}  // namespace maxin
