"""The Hodge decomposition: how much of a game is a ranking, and how much is cyclic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from maxin.core import InvalidInput
from maxin.ratings.base import Array
from maxin.ratings.melo import check_dimensions


class Hodge(NamedTuple):
    """advantages = grad(ratings) + cyclic; the two parts are orthogonal."""

    ratings: Array
    cyclic: Array

    @property
    def transitive_share(self) -> float:
        """Share of the squared advantages that the ratings explain; 1 if all players are equal."""
        order = float(np.square(np.subtract.outer(self.ratings, self.ratings)).sum())
        circles = float(np.square(self.cyclic).sum())
        return order / (order + circles) if order + circles > 0.0 else 1.0


def hodge_decomposition(advantages: ArrayLike) -> Hodge:
    """Split log-odds A into A = grad(r) + rot(A) with r = A 1 / n  (paper, App. A).

    >>> split = hodge_decomposition([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])  # rock, paper, scissors
    >>> split.ratings
    array([0., 0., 0.])
    >>> split.transitive_share
    0.0
    """
    matrix = check_antisymmetric(advantages)
    ratings = matrix.mean(axis=1)
    return Hodge(ratings, matrix - np.subtract.outer(ratings, ratings))


def cyclic_factor(cyclic: ArrayLike, dimensions: int) -> Array:
    """C, shape (players, 2k), with C Omega C' the best rank-2k approximation of `cyclic`.

    The real Schur form of an antisymmetric matrix is a list of planes that rotate, each at its
    own speed. The k fastest planes are kept, each scaled by the square root of its speed.

    >>> circle = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
    >>> c = cyclic_factor(circle, dimensions=2)
    >>> turned = np.outer(c[:, 0], c[:, 1])
    >>> float(abs(turned - turned.T - circle).max() < 1e-12)
    1.0
    """
    matrix = check_antisymmetric(cyclic)
    check_dimensions(dimensions)
    form, basis = scipy.linalg.schur(matrix, output="real")
    speeds = np.diagonal(form, offset=1)
    # In the Schur form a plane is a 2x2 block [[0, s], [-s, 0]]. Two neighbouring entries beside
    # the diagonal cannot both be speeds, so the smaller one is a rounding error.
    planes = _planes(speeds)[: dimensions // 2]
    factor = np.zeros((len(matrix), dimensions))
    for column, start in enumerate(planes):
        speed = speeds[start]
        scale = np.sqrt(abs(speed))
        factor[:, 2 * column] = scale * basis[:, start]
        factor[:, 2 * column + 1] = scale * np.sign(speed) * basis[:, start + 1]
    return factor


def _planes(speeds: Array) -> list[int]:
    """The first row of each 2x2 block, fastest first; blocks do not overlap."""
    planes: list[int] = []
    for start in np.argsort(-np.abs(speeds), kind="stable").tolist():
        free = all(abs(start - taken) > 1 for taken in planes)
        if free and speeds[start] != 0.0:
            planes.append(start)
    return planes


def check_antisymmetric(matrix: ArrayLike) -> Array:
    """`matrix` as an array, or an error that names entries [i, j] and [j, i] whose sum is not 0."""
    try:
        array = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("advantages must be a square matrix of numbers") from None
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise InvalidInput(f"advantages must be a square matrix; got shape {array.shape}")
    if not np.isfinite(array).all():
        i, j = np.argwhere(~np.isfinite(array))[0]
        raise InvalidInput(f"advantages must be finite; [{i}, {j}] is {array[i, j]!r}")
    gap = np.abs(array + array.T)
    if gap.max(initial=0.0) > 1e-8 * (1.0 + np.abs(array).max(initial=0.0)):
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        raise InvalidInput(
            f"advantages must be antisymmetric; [{i}, {j}] is {array[i, j]!r} "
            f"and [{j}, {i}] is {array[j, i]!r}"
        )
    return array
