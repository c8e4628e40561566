#include "core/loops.hpp"

#include "core/numbers.hpp"

// The build sets it where the compiler and the system can choose between clones of a function.
#ifdef MAXIN_HAS_CLONES
#define CLONED [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define CLONED
#endif

namespace maxin {
namespace {

// Compilers must not assume that the row and what is subtracted overlap.
using Restricted = double *__restrict;

}  // namespace

CLONED void subtract(Floats row, double amount, ConstFloats other) {
    Restricted to = row.data;
    for (Int z = 0; z < row.size; z++) to[z] -= amount * other.data[z];
}

CLONED void subtract_rows(Floats row, ConstFloats amounts, ConstMatrix rows) {
    Restricted to = row.data;
    for (Int k = 0; k < amounts.size; k++) {
        const double *from = rows.data + k * rows.n_columns;
        double amount = amounts.data[k];
        for (Int z = 0; z < row.size; z++) to[z] -= amount * from[z];
    }
}

CLONED void lower_squares(Floats variances, ConstFloats row, double scale) {
    Restricted to = variances.data;
    for (Int x = 0; x < row.size; x++) {
        double amount = scale * row.data[x];
        to[x] -= amount * amount;
    }
}

CLONED void subtract_outer(Matrix matrix, double scale, ConstFloats row) {
    for (Int x = 0; x < matrix.n_rows; x++) {
        Restricted to = matrix.data + x * matrix.n_columns;
        double factor = scale * row.data[x];
        for (Int y = 0; y < matrix.n_columns; y++) to[y] -= factor * row.data[y];
    }
}

CLONED void take_step(Floats row, ConstFloats step, Int x) {
    Restricted to = row.data;
    double here = step.data[x];
    for (Int y = 0; y < row.size; y++) {
        to[y] -= (here - step.data[y]) * (here - step.data[y]);
    }
}

CLONED void take_four_steps(Floats row, ConstMatrix four, Int x) {
    Restricted to = row.data;
    const double *one = four.data, *two = one + four.n_columns;
    const double *three = two + four.n_columns, *last = three + four.n_columns;
    double a = one[x], b = two[x], c = three[x], d = last[x];
    for (Int y = 0; y < row.size; y++) {
        double width = to[y] - (a - one[y]) * (a - one[y]);
        width -= (b - two[y]) * (b - two[y]);
        width -= (c - three[y]) * (c - three[y]);
        to[y] = width - (d - last[y]) * (d - last[y]);
    }
}

CLONED double largest(ConstFloats values) {
    double most[8] = {-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0};  // none waits for the last
    Int place = 0;
    for (; place + 8 <= values.size; place += 8) {
        for (Int k = 0; k < 8; k++) {
            double value = values.data[place + k];
            most[k] = value > most[k] ? value : most[k];
        }
    }
    double found = -1.0;
    for (; place < values.size; place++) found = std::max(found, values.data[place]);
    for (double value : most) found = std::max(found, value);
    return found;
}

CLONED double largest_within(ConstFloats values, ConstFloats bounds) {
    double most[8] = {};
    Int place = 0;
    for (; place + 8 <= values.size; place += 8) {
        for (Int k = 0; k < 8; k++) {
            double value = bounds.data[place + k] >= 0.0 ? values.data[place + k] : 0.0;
            most[k] = value > most[k] ? value : most[k];
        }
    }
    double found = 0.0;
    for (; place < values.size; place++) {
        if (bounds.data[place] >= 0.0) found = std::max(found, values.data[place]);
    }
    for (double value : most) found = std::max(found, value);
    return found;
}

CLONED bool is_beaten(ConstFloats values, ConstFloats floors) {
    Int n_beaten = 0;
    for (Int y = 0; y < values.size; y++) n_beaten += values.data[y] <= floors.data[y];
    return n_beaten > 0;
}

CLONED void fill_floors(ConstFloats advantages, double exploration, Floats floors) {
    Restricted to = floors.data;
    double reach = exploration * exploration;
    if (reach == 0.0) {  // without exploration, a player not ahead is beaten at any width
        for (Int y = 0; y < floors.size; y++) to[y] = advantages.data[y] <= 0.0 ? INFINITE : -1.0;
        return;
    }
    double scale = 1.0 / reach;
    for (Int y = 0; y < floors.size; y++) {
        double gap = advantages.data[y];
        to[y] = gap <= 0.0 ? gap * gap * scale : -1.0;
    }
}

}  // namespace maxin
