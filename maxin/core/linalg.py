"""The Cholesky factor of a symmetric matrix; solutions and inverses computed from it.

A matrix is given by its lower triangle in C order. LAPACK reads memory by columns and so sees the
upper triangle of the transpose: the same numbers in the same places, with no copy.

Small matrices use one thread. BLAS would split the work among all cores and wait for each of
them, which takes ten times as long as the work itself on a machine that is busy with matches.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from maxin.kernels.core import mirror_lower

Array = NDArray[np.float64]
SMALL = 400  # matrices with fewer rows are handled by one thread


@functools.cache
def _blas() -> Any:
    """The BLAS libraries that are loaded; LAPACK's is one of them, so it is loaded first."""
    _ = scipy.linalg.lapack
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, for many small pieces of work."""
    libraries = [(library, library.get_num_threads()) for library in _blas().lib_controllers]
    for library, n_threads in libraries:
        if n_threads != 1:
            library.set_num_threads(1)
    try:
        yield
    finally:
        for library, n_threads in libraries:
            if n_threads != 1:
                library.set_num_threads(n_threads)


def _unshared(matrix: Array) -> AbstractContextManager[Any]:
    """Limit BLAS to one thread if the matrix is small."""
    return one_blas_thread() if len(matrix) < SMALL else nullcontext()


def factorised(matrix: Array) -> Array:
    """The Cholesky factor L of a positive definite matrix, L L' = matrix.

    If rounding makes the matrix look indefinite, its diagonal is raised by the smallest power of
    ten, from 1e-14 of its value on, that makes the factor exist.

    >>> factorised(np.array([[4.0, 0.0], [2.0, 5.0]]))[1]
    array([1., 2.])
    """
    with _unshared(matrix):
        factor, info = scipy.linalg.lapack.dpotrf(matrix.T, lower=0, clean=0)
    raised = 1e-15
    while info:
        raised *= 10.0
        higher = matrix.copy()
        np.fill_diagonal(higher, np.diagonal(matrix) * (1.0 + raised))
        factor, info = scipy.linalg.lapack.dpotrf(higher.T, lower=0, clean=0)
    return np.asarray(factor).T


def solved(factor: Array, right: Array) -> Array:
    """The solution x of matrix @ x = right, given the matrix's factor.

    >>> solved(factorised(np.array([[4.0, 0.0], [2.0, 5.0]])), np.array([8.0, 9.0]))
    array([1.375, 1.25 ])
    """
    solution, _ = scipy.linalg.lapack.dpotrs(factor.T, right, lower=0)
    return np.asarray(solution)


def inverted(factor: Array) -> Array:
    """The inverse of the factored matrix, symmetric to the last bit.

    >>> inverted(factorised(np.array([[4.0, 0.0], [2.0, 5.0]])))
    array([[ 0.3125, -0.125 ],
           [-0.125 ,  0.25  ]])
    """
    with _unshared(factor):
        inverse, _ = scipy.linalg.lapack.dpotri(factor.T, lower=0, overwrite_c=0)
    whole = np.asarray(inverse).T
    mirror_lower(whole)
    return whole


def root_times(factor: Array, columns: Array) -> Array:
    """L'^-1 X for the factor L of a matrix: columns of standard normals become draws.

    Their covariance is the inverse of the matrix.

    >>> root_times(factorised(np.array([[4.0, 0.0], [2.0, 5.0]])), np.eye(2))
    array([[ 0.5 , -0.25],
           [ 0.  ,  0.5 ]])
    """
    with _unshared(factor):
        solution = scipy.linalg.blas.dtrsm(1.0, factor.T, columns)
    return np.asarray(solution)


def lower_times(factor: Array, columns: Array) -> Array:
    """L X for a lower triangular L: half the work of a product of full matrices.

    >>> lower_times(np.array([[2.0, 9.0], [1.0, 3.0]]), np.ones((2, 1)))  # 9 is not read
    array([[2.],
           [4.]])
    """
    return np.asarray(scipy.linalg.blas.dtrmm(1.0, factor.T, columns, trans_a=1))
