// Products, factors and solutions of matrices by the BLAS and LAPACK that SciPy brings.
#pragma once

#include "core/arrays.hpp"

namespace maxin {

double dot(ConstFloats one, ConstFloats other);

// A x.
NewFloats times(ConstMatrix matrix, ConstFloats vector);

// A' x.
NewFloats transposed_times(ConstMatrix matrix, ConstFloats vector);

// A B, into C.
void multiply(ConstMatrix a, ConstMatrix b, Matrix c);

// A' A.
NewMatrix gram(ConstMatrix matrix);

// The solution of A x = b for a small symmetric A, in place of b; A is destroyed.
void solve(Matrix matrix, Floats right);

// The factor L of a positive definite A = L L', in place of A's lower triangle; false if A is not.
bool factorise(Matrix matrix);

// A^-1, in place of the lower triangle of A's factor.
void invert_factorised(Matrix factor);

// A^-1 x, L'^-1 x and L x for the factor L of A, in place of each row x.
void solve_factorised(ConstMatrix factor, Matrix rows);
void divide_by_root(ConstMatrix factor, Matrix rows);
void multiply_by_root(ConstMatrix factor, Matrix rows);

}  // namespace maxin
