"""The Cholesky factor of a symmetric matrix; solutions and inverses computed from it.

A matrix is given by its lower triangle in C order. LAPACK reads memory by columns and so sees the
upper triangle of the transpose: the same numbers in the same places, with no copy.

Small matrices use one thread. BLAS would split the work among all cores and wait for each of
them, which takes ten times as long as the work itself on a machine that is busy with matches.
"""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from maxin.core.errors import InvalidInput
from maxin.kernels import core as kernels

Array = NDArray[np.float64]
SMALL = 400  # matrices with fewer rows are handled by one thread


def _alone(name: str) -> ModuleType:
    """The module scipy.linalg.NAME without its package, which takes twenty times as long to load.

    >>> _alone("cython_blas").__name__
    'scipy.linalg.cython_blas'
    """
    full = f"scipy.linalg.{name}"
    folder = str(Path(scipy.__file__).parent / "linalg")
    found = importlib.machinery.PathFinder.find_spec(full, [folder])
    if full in sys.modules or found is None or found.loader is None:
        return importlib.import_module(full)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    sys.modules.pop(full, None)  # it registers itself; its package must load it itself later
    return module


BLAS, LAPACK = _alone("cython_blas"), _alone("cython_lapack")  # the kernels read these


@functools.cache
def _libraries() -> Any:
    """The BLAS libraries that are loaded."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, for many small pieces of work."""
    libraries = [(library, library.get_num_threads()) for library in _libraries().lib_controllers]
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


def _copied(matrix: Array) -> Array:
    return np.array(matrix, dtype=np.float64, order="C")


def factorised(matrix: Array) -> Array:
    """The Cholesky factor L of a positive definite matrix, L L' = matrix.

    If rounding makes the matrix look indefinite, its diagonal is raised by the smallest power of
    ten, from 1e-14 of its value on, that makes the factor exist.

    >>> factorised(np.array([[4.0, 0.0], [2.0, 5.0]]))[1]
    array([1., 2.])
    """
    factor, raised = _copied(matrix), 1e-15
    with _unshared(matrix):
        while not kernels.factorise(factor):
            raised *= 10.0
            if not raised <= 1.0:
                raise InvalidInput("a matrix to factorise must be positive definite and finite")
            factor = _copied(matrix)
            np.fill_diagonal(factor, np.diagonal(matrix) * (1.0 + raised))
    return factor


def solved(factor: Array, right: Array) -> Array:
    """The solution x of matrix @ x = right, given the matrix's factor.

    >>> solved(factorised(np.array([[4.0, 0.0], [2.0, 5.0]])), np.array([8.0, 9.0]))
    array([1.375, 1.25 ])
    """
    solution = np.array(right, order="F")
    kernels.solve_factorised(factor, np.atleast_2d(solution.T))
    return solution


def inverted(factor: Array) -> Array:
    """The inverse of the factored matrix, symmetric to the last bit.

    >>> inverted(factorised(np.array([[4.0, 0.0], [2.0, 5.0]])))
    array([[ 0.3125, -0.125 ],
           [-0.125 ,  0.25  ]])
    """
    inverse = _copied(factor)
    with _unshared(factor):
        kernels.invert_factorised(inverse)
    kernels.mirror_lower(inverse)
    return inverse


def root_times(factor: Array, columns: Array) -> Array:
    """L'^-1 X for the factor L of a matrix: columns of standard normals become draws.

    Their covariance is the inverse of the matrix.

    >>> root_times(factorised(np.array([[4.0, 0.0], [2.0, 5.0]])), np.eye(2))
    array([[ 0.5 , -0.25],
           [ 0.  ,  0.5 ]])
    """
    solution = np.array(columns, order="F")
    with _unshared(factor):
        kernels.divide_by_root(factor, solution.T)
    return solution


def lower_times(factor: Array, columns: Array) -> Array:
    """L X for a lower triangular L: half the work of a product of full matrices.

    >>> lower_times(np.array([[2.0, 9.0], [1.0, 3.0]]), np.ones((2, 1)))  # 9 is not read
    array([[2.],
           [4.]])
    """
    product = np.array(columns, order="F")
    kernels.multiply_by_root(factor, product.T)
    return product
