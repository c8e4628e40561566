"""Anderson's mixing: the steps of a fixed-point iteration, combined to arrive sooner; compiled.

One step takes a point x to x + f(x), and f = 0 at the fixed point. Near it f is almost linear. So
the mixture of recent points whose moves cancel best is close to it (Anderson, 1965).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior.advantage_kernels import KAPPA2, PHI, SPREAD2, PosteriorState

LEARNT = (SPREAD2, KAPPA2, PHI)  # the scales that are learnt
N_KEPT = 4  # how many points a mixture combines
RIDGE = 1e-12  # relative; keeps the mixture defined where two moves are alike
LONGEST_JUMP = 1.0  # of the logarithm of a scale, beyond the step itself


class Steps(NamedTuple):
    """The latest points of an iteration and the moves from them; the newest is row 0."""

    points: Floats
    moves: Floats
    filled: Ints  # how many rows are, as an array of one


@compiled
def no_steps(state: PosteriorState, n_pairs: int) -> Steps:
    """Space for the steps of a fit, none taken yet."""
    n_players = len(state.ratings)
    size = len(LEARNT) + n_players + 2 * n_pairs + n_players * n_players
    return Steps(np.empty((N_KEPT, size)), np.empty((N_KEPT, size)), np.zeros(1, dtype=np.int64))


@compiled
def packed(state: PosteriorState, pairs: Ints) -> Floats:
    """Logarithms of the scales, then ratings, effects, weights and covariances, in one row."""
    n_players, n_pairs = len(state.ratings), len(pairs)
    start = len(LEARNT) + n_players
    row: Floats = np.empty(start + 2 * n_pairs + n_players * n_players)
    for place in range(len(LEARNT)):
        row[place] = math.log(state.scales[LEARNT[place]])
    row[len(LEARNT) : start] = state.ratings
    for pair in range(n_pairs):
        i, j = pairs[pair]
        row[start + pair] = state.effects[i, j]
        row[start + n_pairs + pair] = state.weights[i, j]
    row[start + 2 * n_pairs :] = state.rating_cov.ravel()
    return row


@compiled
def unpack(state: PosteriorState, pairs: Ints, row: Floats) -> None:
    """Write a row of `packed` back; a weight stays positive, and phi at most 1."""
    n_players, n_pairs = len(state.ratings), len(pairs)
    start = len(LEARNT) + n_players
    for place in range(len(LEARNT)):
        state.scales[LEARNT[place]] = math.exp(row[place])
    state.scales[PHI] = min(state.scales[PHI], 1.0)
    state.ratings[:] = row[len(LEARNT) : start]
    for pair in range(n_pairs):
        i, j = pairs[pair]
        state.effects[i, j] = row[start + pair]
        state.weights[i, j] = max(row[start + n_pairs + pair], 1e-12)
    state.rating_cov[:, :] = row[start + 2 * n_pairs :].copy().reshape(n_players, n_players)


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

    The norm is that of ratings, effects and scales, in which a scale counts like all ratings.
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
    for place in range(n_scales):
        jump = mixed[place] - after[place]
        mixed[place] = after[place] + min(max(jump, -LONGEST_JUMP), LONGEST_JUMP)
    return mixed
