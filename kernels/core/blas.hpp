// Products of matrices by the BLAS that SciPy brings, and a small solver by its LAPACK.
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

}  // namespace maxin
