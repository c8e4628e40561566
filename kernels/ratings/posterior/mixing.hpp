// Anderson's mixing: the steps of a fixed-point iteration, combined to arrive sooner.
//
// One step takes a point x to x + f(x), and f = 0 at the fixed point. Near it f is almost linear.
// So the mixture of recent points whose moves cancel best is close to it (Anderson, 1965).
#pragma once

#include "core/bindings.hpp"
#include "core/blas.hpp"
#include "core/numbers.hpp"

namespace maxin {

constexpr double MIXING_RIDGE = 1e-12;  // relative; defines the mixture where two moves are alike
constexpr double LONGEST_JUMP = 0.5;    // of a coordinate, beyond the step itself

// The latest points of an iteration and the moves from them; the newest is row 0.
struct Steps {
    KeptTable<double> points;
    KeptTable<double> moves;
    KeptLine<Int> filled;  // how many rows are, as an array of one
};

// Add the newest step; the oldest is forgotten if there is no room.
inline void keep(Steps &steps, ConstFloats point, ConstFloats move) {
    for (Int row = steps.points.n_rows - 1; row > 0; row--) {
        copy(steps.points[row - 1], steps.points[row]);
        copy(steps.moves[row - 1], steps.moves[row]);
    }
    copy(point, steps.points[0]);
    copy(move, steps.moves[0]);
    steps.filled[0] = std::min(steps.filled[0] + 1, steps.points.n_rows);
}

// By how much each row differs from the next one.
inline NewMatrix row_changes(ConstMatrix matrix, Int n_changes) {
    NewMatrix changes(n_changes, matrix.n_columns);
    for (Int k = 0; k < n_changes; k++) {
        for (Int x = 0; x < matrix.n_columns; x++) {
            changes(k, x) = matrix(k, x) - matrix(k + 1, x);
        }
    }
    return changes;
}

// The amounts g that minimise |f - sum of g_k df_k|, for the newest move f and changes of moves.
inline NewFloats cancelling(ConstMatrix changes, ConstFloats move) {
    Int n_changes = changes.n_rows;
    NewMatrix products(n_changes, n_changes);
    NewFloats amounts = times(changes, move);
    double trace = 0.0;
    for (Int k = 0; k < n_changes; k++) {
        copy(ConstFloats(times(changes, changes[k])), products[k]);
        trace += products(k, k);
    }
    for (Int k = 0; k < n_changes; k++) products(k, k) += MIXING_RIDGE * trace + 1e-300;
    solve(products, amounts);
    return amounts;
}

// The next point: x + f - sum of g_k (dx_k + df_k), where g minimises |f - sum of g_k df_k|.
//
// If a coordinate would jump too far beyond the step, the whole way from its end is shortened.
inline NewFloats mixture(const Steps &steps) {
    Int n_older = steps.filled[0] - 1, size = steps.points.n_columns;
    NewFloats amounts = cancelling(row_changes(steps.moves, n_older), steps.moves[0]);
    NewMatrix ends(n_older + 1, size);
    for (Int k = 0; k <= n_older; k++) {
        for (Int x = 0; x < size; x++) ends(k, x) = steps.points(k, x) + steps.moves(k, x);
    }
    NewFloats way = transposed_times(row_changes(ends, n_older), amounts);
    double longest = largest_size(way);
    double shortening = longest > LONGEST_JUMP ? LONGEST_JUMP / longest : 1.0;
    NewFloats mixed = copied(ends[0]);
    for (Int x = 0; x < size; x++) mixed[x] += -way[x] * shortening;
    return mixed;
}

}  // namespace maxin
