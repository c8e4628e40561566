"""Anderson's mixing: the steps of a fixed-point iteration, combined to arrive sooner; compiled.

One step takes a point x to x + f(x), and f = 0 at the fixed point. Near it f is almost linear. So
the mixture of recent points whose moves cancel best is close to it (Anderson, 1965).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior.state_kernels import KAPPA2, PAIRS, PHI, SPREAD2, PosteriorState

LEARNT = (SPREAD2, KAPPA2, PHI)  # the scales that are learnt
N_KEPT = 4  # how many points a mixture combines
RIDGE = 1e-12  # relative; keeps the mixture defined where two moves are alike
LONGEST_JUMP = 0.15  # of the logarithm of a scale, beyond the step itself


class Steps(NamedTuple):
    """The latest points of an iteration and the moves from them; the newest is row 0."""

    points: Floats
    moves: Floats
    filled: Ints  # how many rows are, as an array of one


@compiled
def no_steps(state: PosteriorState) -> Steps:
    """Space for the steps of a fit, none taken yet."""
    size = len(LEARNT) + 2 * len(state.ratings) + 3 * state.counts[PAIRS]
    return Steps(np.empty((N_KEPT, size)), np.empty((N_KEPT, size)), np.zeros(1, dtype=np.int64))


@compiled
def packed(state: PosteriorState, gaps: Floats) -> Floats:
    """Logarithms of the scales, then ratings, effects, weights and variances, in one row."""
    n_players, n_pairs, start = len(state.ratings), len(gaps), len(LEARNT)
    row: Floats = np.empty(start + 2 * n_players + 3 * n_pairs)
    for place in range(start):
        row[place] = math.log(state.scales[LEARNT[place]])
    parts = (
        state.ratings,
        state.effects[:n_pairs],
        state.weights[:n_pairs],
        gaps,
        state.rating_var,
    )
    for part in parts:
        row[start : start + len(part)] = part
        start += len(part)
    return row


@compiled
def unpack(state: PosteriorState, gaps: Floats, row: Floats) -> None:
    """Write a row of `packed` back; what must be positive stays so, and phi at most 1."""
    n_players, n_pairs, start = len(state.ratings), len(gaps), len(LEARNT)
    for place in range(start):
        state.scales[LEARNT[place]] = math.exp(row[place])
    state.scales[PHI] = min(state.scales[PHI], 1.0)
    state.ratings[:] = row[start : start + n_players]
    start += n_players
    state.effects[:n_pairs] = row[start : start + n_pairs]
    state.weights[:n_pairs] = np.maximum(row[start + n_pairs : start + 2 * n_pairs], 1e-12)
    gaps[:] = np.maximum(row[start + 2 * n_pairs : start + 3 * n_pairs], 0.0)
    state.rating_var[:] = np.maximum(row[start + 3 * n_pairs :], 1e-12)


@compiled
def keep(steps: Steps, point: Floats, move: Floats) -> None:
    """Add the newest step; the oldest is forgotten if there is no room."""
    for row in range(N_KEPT - 1, 0, -1):
        steps.points[row] = steps.points[row - 1]
        steps.moves[row] = steps.moves[row - 1]
    steps.points[0], steps.moves[0] = point, move
    steps.filled[0] = min(steps.filled[0] + 1, N_KEPT)


@compiled
def mixture(steps: Steps, n_players: int, n_pairs: int) -> Floats:
    """The next point: x + f - sum of g_k (dx_k + df_k), where g minimises |f - sum of g_k df_k|.

    The norm is that of ratings, effects and scales, in which a scale counts like all ratings. If a
    scale would jump too far beyond the step, the whole way from the step's end is shortened.
    """
    n_older = steps.filled[0] - 1
    size, n_scales = len(LEARNT) + n_players + n_pairs, len(LEARNT)
    changes = np.empty((n_older, size))
    for k in range(n_older):
        changes[k] = steps.moves[k, :size] - steps.moves[k + 1, :size]
        changes[k, :n_scales] *= math.sqrt(n_players)
    move = steps.moves[0, :size].copy()
    move[:n_scales] *= math.sqrt(n_players)
    products = np.dot(changes, changes.T)
    ridge = RIDGE * np.trace(products) + 1e-300
    for k in range(n_older):
        products[k, k] += ridge
    amounts = np.linalg.solve(products, np.dot(changes, move))
    after = steps.points[0] + steps.moves[0]
    mixed: Floats = after.copy()
    for k in range(n_older):
        older = steps.points[k + 1] + steps.moves[k + 1]
        newer = steps.points[k] + steps.moves[k]
        mixed -= amounts[k] * (newer - older)
    jump = np.abs(mixed[:n_scales] - after[:n_scales]).max()
    if jump > LONGEST_JUMP:
        mixed = after + LONGEST_JUMP / jump * (mixed - after)
    return mixed
