"""Anderson's mixing: the steps of a fixed-point iteration, combined to arrive sooner; compiled.

One step takes a point x to x + f(x), and f = 0 at the fixed point. Near it f is almost linear. So
the mixture of recent points whose moves cancel best is close to it (Anderson, 1965).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.core.compile import Floats, Ints, compiled

N_KEPT = 4  # how many points a mixture combines
RIDGE = 1e-12  # relative; keeps the mixture defined where two moves are alike
LONGEST_JUMP = 0.5  # of a coordinate, beyond the step itself


class Steps(NamedTuple):
    """The latest points of an iteration and the moves from them; the newest is row 0."""

    points: Floats
    moves: Floats
    filled: Ints  # how many rows are, as an array of one


@compiled
def no_steps(size: int) -> Steps:
    """Space for steps between points with this many coordinates, none taken yet."""
    return Steps(np.empty((N_KEPT, size)), np.empty((N_KEPT, size)), np.zeros(1, dtype=np.int64))


@compiled
def keep(steps: Steps, point: Floats, move: Floats) -> None:
    """Add the newest step; the oldest is forgotten if there is no room."""
    for row in range(N_KEPT - 1, 0, -1):
        steps.points[row] = steps.points[row - 1]
        steps.moves[row] = steps.moves[row - 1]
    steps.points[0], steps.moves[0] = point, move
    steps.filled[0] = min(steps.filled[0] + 1, N_KEPT)


@compiled
def mixture(steps: Steps) -> Floats:
    """The next point: x + f - sum of g_k (dx_k + df_k), where g minimises |f - sum of g_k df_k|.

    If a coordinate would jump too far beyond the step, the whole way from its end is shortened.
    """
    n_older = steps.filled[0] - 1
    changes = steps.moves[:n_older] - steps.moves[1 : n_older + 1]
    products = np.dot(changes, changes.T)
    ridge = RIDGE * np.trace(products) + 1e-300
    for k in range(n_older):
        products[k, k] += ridge
    amounts = np.linalg.solve(products, np.dot(changes, steps.moves[0]))
    ends = steps.points + steps.moves
    way: Floats = -np.dot(amounts, ends[:n_older] - ends[1 : n_older + 1])
    longest = np.abs(way).max()
    if longest > LONGEST_JUMP:
        way *= LONGEST_JUMP / longest
    mixed: Floats = ends[0] + way
    return mixed
