"""Pending matches, counted all at once; compiled. The symbols are those of `state_kernels`."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior.advantage_kernels import prediction
from maxin.ratings.posterior.posterior_kernels import (
    count_row,
    fill_strength_gain,
    lower_squares,
)
from maxin.ratings.posterior.state_kernels import ROWS, PosteriorState, open_share

WEIGHT, ROOT = 0, 1  # the columns of what `narrow` returns


@compiled
def narrow(state: PosteriorState, asked: Ints) -> Floats:
    """Count pending matches of the listed pairs `asked`: S shrinks, and the means stay.

    The row of K of a pending match combines Cov(r, r_i - r_j) of its pair with the rows before
    it. What it takes of each depends on the players of these matches alone, so that is found
    first, and then all rows are one product. Returns, for each match, its information h and the
    square root of eta = h / (1 + h Var(A)).
    """
    n_asked, before = len(asked), state.weights.copy()
    gap_rows, found = gap_rows_of(state, asked), np.empty((n_asked, 2))
    mixes = np.zeros((n_asked, n_asked))  # what each row takes of all `gap_rows`
    between = np.empty((n_asked, n_asked))  # each row at the first players, minus at the second
    for k in range(n_asked):
        for other in range(n_asked):
            i, j = state.pairs[asked[other], 0], state.pairs[asked[other], 1]
            between[k, other] = gap_rows[k, i] - gap_rows[k, j]
        mixes[k, k] = 1.0
        for other in range(k):
            subtract_row(between, k, between[other, k], other, k, n_asked)
            subtract_row(mixes, k, between[other, k], other, 0, other + 1)
        _, weight, variance = prediction(state, asked[k], max(between[k, k], 0.0))
        root = math.sqrt(weight / (1.0 + weight * variance))
        between[k] *= root * open_share(state, asked[k])
        mixes[k] *= root * open_share(state, asked[k])
        state.weights[asked[k]] += weight
        found[k, WEIGHT], found[k, ROOT] = weight, root
    state.rows[state.counts[ROWS] : state.counts[ROWS] + n_asked] = np.dot(mixes, gap_rows)
    state.weights[:] = before
    for k in range(n_asked):
        count_row(state, asked[k], found[k, WEIGHT], found[k, ROOT])
    return found


@compiled
def subtract_row(
    matrix: Floats, row: int, amount: float, other: int, start: int, stop: int
) -> None:
    """Subtract an amount of another row from a row, in the columns from `start` to `stop`."""
    if amount != 0.0:
        for column in range(start, stop):
            matrix[row, column] -= amount * matrix[other, column]


@compiled
def gap_rows_of(state: PosteriorState, asked: Ints) -> Floats:
    """Cov(r, r_i - r_j) of each pair, as rows."""
    n_rows = state.counts[ROWS]
    rows, amounts = np.empty((len(asked), len(state.ratings))), np.empty((len(asked), n_rows))
    for k in range(len(asked)):
        i, j = state.pairs[asked[k], 0], state.pairs[asked[k], 1]
        rows[k] = state.base_cov[i] - state.base_cov[j]
        amounts[k] = state.rows[:n_rows, i] - state.rows[:n_rows, j]
    rows -= np.dot(amounts, state.rows[:n_rows])
    return rows


@compiled
def lower_strength_var(state: PosteriorState, first: int, asked: Ints, found: Floats) -> None:
    """Lower the variances of strengths for the pending matches, whose rows begin at `first`.

    `found` is what `narrow` returned; the state's weights are those before it, and are raised.
    """
    by_strength = np.empty_like(state.ratings)
    for k in range(len(asked)):
        by_rating = state.rows[first + k] / found[k, ROOT]
        fill_strength_gain(state, asked[k], by_rating, by_strength)
        lower_squares(state.strength_var, by_strength, found[k, ROOT])
        state.weights[asked[k]] += found[k, WEIGHT]
