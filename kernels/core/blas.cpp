#include "core/blas.hpp"

#include <nanobind/nanobind.h>

#include <atomic>

namespace nb = nanobind;

namespace maxin {
namespace {

// The functions are Fortran's: they take pointers, and see a matrix by columns, so transposed.
using Dot = double(int *, double *, int *, double *, int *);
using Gemv = void(char *, int *, int *, double *, double *, int *, double *, int *, double *,
                  double *, int *);
using Gemm = void(char *, char *, int *, int *, int *, double *, double *, int *, double *, int *,
                  double *, double *, int *);
using Gesv = void(int *, int *, double *, int *, int *, double *, int *, int *);
using Potrf = void(char *, int *, double *, int *, int *);
using Potrs = void(char *, int *, int *, double *, int *, double *, int *, int *);
using Trsm = void(char *, char *, char *, char *, int *, int *, double *, double *, int *, double *,
                  int *);

// A function that a module of SciPy offers to compiled code.
template <class Function>
Function *exported(const char *module, const char *name) {
    nb::object found_module = nb::module_::import_("maxin.core.linalg").attr(module);
    nb::object capsule = found_module.attr("__pyx_capi__")[name];
    void *found = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
    if (found == nullptr) throw nb::python_error();
    return reinterpret_cast<Function *>(found);
}

struct Library {
    Dot *dot;
    Gemv *gemv;
    Gemm *gemm;
    Trsm *trsm, *trmm;
    Gesv *gesv;
    Potrf *potrf, *potri;
    Potrs *potrs;
};

// SciPy is imported when a product is first needed, with Python's lock, since kernels let it go.
const Library &library() {
    static std::atomic<const Library *> loaded = nullptr;
    const Library *found = loaded;
    if (found == nullptr) {
        nb::gil_scoped_acquire lock;
        found = new Library{
            exported<Dot>("BLAS", "ddot"),       exported<Gemv>("BLAS", "dgemv"),
            exported<Gemm>("BLAS", "dgemm"),     exported<Trsm>("BLAS", "dtrsm"),
            exported<Trsm>("BLAS", "dtrmm"),     exported<Gesv>("LAPACK", "dgesv"),
            exported<Potrf>("LAPACK", "dpotrf"), exported<Potrf>("LAPACK", "dpotri"),
            exported<Potrs>("LAPACK", "dpotrs"),
        };
        loaded = found;  // two threads may both get here, and find the same
    }
    return *found;
}

double *mutable_data(const double *data) { return const_cast<double *>(data); }

NewFloats matrix_vector(char turn, ConstMatrix matrix, ConstFloats vector, Int size) {
    int rows = int(matrix.n_columns), columns = int(matrix.n_rows), stride = 1;
    double one = 1.0, zero = 0.0;
    NewFloats result(size, 0.0);
    if (rows > 0 && columns > 0) {
        library().gemv(&turn, &rows, &columns, &one, mutable_data(matrix.data), &rows,
                       mutable_data(vector.data), &stride, &zero, result.data, &stride);
    }
    return result;
}

// The lower triangle of a matrix in C order is the upper one for Fortran.
char upper = 'U';

// A triangular product or solution, with the factor itself ('T') or its transpose ('N').
void by_root(Trsm *function, char turn, ConstMatrix factor, Matrix rows) {
    char left = 'L', not_unit = 'N';
    int size = int(rows.n_columns), n_rows = int(rows.n_rows);
    double one = 1.0;
    if (size == 0 || n_rows == 0) return;
    function(&left, &upper, &turn, &not_unit, &size, &n_rows, &one, mutable_data(factor.data),
             &size, rows.data, &size);
}

}  // namespace

double dot(ConstFloats one, ConstFloats other) {
    int size = int(one.size), stride = 1;
    return library().dot(&size, mutable_data(one.data), &stride, mutable_data(other.data), &stride);
}

NewFloats times(ConstMatrix matrix, ConstFloats vector) {
    return matrix_vector('T', matrix, vector, matrix.n_rows);
}

NewFloats transposed_times(ConstMatrix matrix, ConstFloats vector) {
    return matrix_vector('N', matrix, vector, matrix.n_columns);
}

void multiply(ConstMatrix a, ConstMatrix b, Matrix c) {
    char plain = 'N';
    int rows = int(b.n_columns), columns = int(a.n_rows), inner = int(a.n_columns);
    double one = 1.0, zero = 0.0;
    if (inner == 0) std::fill(c.data, c.data + c.n_rows * c.n_columns, 0.0);
    if (rows == 0 || columns == 0 || inner == 0) return;
    library().gemm(&plain, &plain, &rows, &columns, &inner, &one, mutable_data(b.data), &rows,
                   mutable_data(a.data), &inner, &zero, c.data, &rows);
}

NewMatrix gram(ConstMatrix matrix) {
    char plain = 'N', turned = 'T';
    int size = int(matrix.n_columns), inner = int(matrix.n_rows);
    double one = 1.0, zero = 0.0, *data = mutable_data(matrix.data);
    NewMatrix result(size, size, 0.0);
    if (inner > 0) {
        library().gemm(&plain, &turned, &size, &size, &inner, &one, data, &size, data, &size, &zero,
                       result.data, &size);
    }
    return result;
}

void solve(Matrix matrix, Floats right) {
    int size = int(matrix.n_rows), one = 1, info = 0;
    NewLine<int> pivots(size);
    library().gesv(&size, &one, matrix.data, &size, pivots.data, right.data, &size, &info);
}

bool factorise(Matrix matrix) {
    int size = int(matrix.n_rows), info = 0;
    if (size > 0) library().potrf(&upper, &size, matrix.data, &size, &info);
    return info == 0;
}

void invert_factorised(Matrix factor) {
    int size = int(factor.n_rows), info = 0;
    if (size > 0) library().potri(&upper, &size, factor.data, &size, &info);
}

void solve_factorised(ConstMatrix factor, Matrix rows) {
    int size = int(rows.n_columns), n_rows = int(rows.n_rows), info = 0;
    if (size == 0 || n_rows == 0) return;
    library().potrs(&upper, &size, &n_rows, mutable_data(factor.data), &size, rows.data, &size,
                    &info);
}

void divide_by_root(ConstMatrix factor, Matrix rows) { by_root(library().trsm, 'N', factor, rows); }

void multiply_by_root(ConstMatrix factor, Matrix rows) {
    by_root(library().trmm, 'T', factor, rows);
}

}  // namespace maxin
