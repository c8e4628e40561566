"""Cholesky's factor of a symmetric matrix, and what is made of it.

A matrix is given by its lower triangle in C order. LAPACK reads memory by columns and so sees the
upper triangle of the transpose: the same numbers in the same places, nothing is rearranged.

Small matrices are worked on by one thread: BLAS would share them among all cores, and wait for
each, which on a machine busy with matches takes ten times as long as the work.
"""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from threadpoolctl import ThreadpoolController

from maxin.core.compile import Floats, compiled

Array = NDArray[np.float64]
SMALL = 400  # rows of a matrix that one thread is enough for


@functools.cache
def _blas() -> Any:
    """The BLAS libraries that are loaded."""
    return ThreadpoolController().select(user_api="blas")


def _unshared(matrix: Array) -> AbstractContextManager[Any]:
    """While a small matrix is worked on, BLAS keeps to one thread."""
    return _blas().limit(limits=1) if len(matrix) < SMALL else nullcontext()


def factorised(matrix: Array) -> Array:
    """The factor of a positive definite matrix.

    Where rounding makes it look indefinite, its diagonal is raised by as little as helps.

    >>> factorised(np.array([[4.0, 0.0], [2.0, 5.0]]))[1]
    array([1., 2.])
    """
    with _unshared(matrix):
        factor, info = lapack.dpotrf(matrix.T, lower=0, clean=0)
    raised = 1e-15
    while info:
        raised *= 10.0
        higher = matrix.copy()
        np.fill_diagonal(higher, np.diagonal(matrix) * (1.0 + raised))
        factor, info = lapack.dpotrf(higher.T, lower=0, clean=0)
    return np.asarray(factor).T


def solved(factor: Array, right: Array) -> Array:
    """The x with matrix @ x = right.

    >>> solved(factorised(np.array([[4.0, 0.0], [2.0, 5.0]])), np.array([8.0, 9.0]))
    array([1.375, 1.25 ])
    """
    solution, _ = lapack.dpotrs(factor.T, right, lower=0)
    return np.asarray(solution)


def inverted(factor: Array) -> Array:
    """The whole inverse, symmetric to the last bit.

    >>> inverted(factorised(np.array([[4.0, 0.0], [2.0, 5.0]])))
    array([[ 0.3125, -0.125 ],
           [-0.125 ,  0.25  ]])
    """
    with _unshared(factor):
        inverse, _ = lapack.dpotri(factor.T, lower=0, overwrite_c=0)
    whole = np.asarray(inverse).T
    mirror_lower(whole)
    return whole


@compiled
def mirror_lower(matrix: Floats) -> None:
    """Copy the lower triangle onto the upper one."""
    for i in range(matrix.shape[0]):
        for j in range(i):
            matrix[j, i] = matrix[i, j]
