// Loops over whole rows in which most of the time is spent.
//
// Each is compiled for several generations of processors, and the program takes the fastest that
// the machine can run. All give the same bits: none fuses a product with a sum.
#pragma once

#include "core/arrays.hpp"

namespace maxin {

// row -= amount * other.
void subtract(Floats row, double amount, ConstFloats other);

// row -= sum over k of amounts[k] * rows[k], one row after another.
void subtract_rows(Floats row, ConstFloats amounts, ConstMatrix rows);

// variances -= (scale * row)^2.
void lower_squares(Floats variances, ConstFloats row, double scale);

// matrix -= scale * row row'.
void subtract_outer(Matrix matrix, double scale, ConstFloats row);

// row[y] -= (step[x] - step[y])^2.
void take_step(Floats row, ConstFloats step, Int x);

// The same for four steps that lie behind each other; the row is read and written once.
void take_four_steps(Floats row, ConstMatrix four, Int x);

// The largest of the values and -1.
double largest(ConstFloats values);

// The largest of 0 and the values whose bound is not negative.
double largest_within(ConstFloats values, ConstFloats bounds);

// Whether some value is at most its floor.
bool is_beaten(ConstFloats values, ConstFloats floors);

// The squared width at which advantage + exploration * width is 0; -1 if it always is above.
void fill_floors(ConstFloats advantages, double exploration, Floats floors);

}  // namespace maxin
