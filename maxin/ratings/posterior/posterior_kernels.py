"""Compiled loops of the posterior: learning from a match, and the parts of a Newton step.

The symbols are those of `state_kernels`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from maxin.core.compile import Floats, compiled
from maxin.ratings.posterior.advantage_kernels import add_field_row, prediction
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    NOBODY,
    NOISE,
    PAIRS,
    PHI,
    ROWS,
    SLOPE,
    SPLIT,
    SPREAD2,
    PosteriorState,
    field_size,
    fill_gap_row,
    fill_mean_advantage,
    list_pair,
    open_effects,
    open_share,
)

LONGEST_STEP = 2.0  # no Newton step moves a rating or an effect by more, in nats


@compiled
def fill_gains(
    state: PosteriorState, pair: int, rating_gain: Floats, strength_gain: Floats
) -> float:
    """Fill in Cov(r, A) and Cov(t, A) of a pair's advantage; returns Var(r_i - r_j)."""
    i, j = state.pairs[pair, 0], state.pairs[pair, 1]
    share = open_share(state, pair)
    fill_gap_row(state, i, j, rating_gain)
    gap: float = max(rating_gain[i] - rating_gain[j], 0.0)
    rating_gain *= share
    fill_strength_gain(state, pair, rating_gain, strength_gain)
    return gap


@compiled
def fill_strength_gain(
    state: PosteriorState, pair: int, rating_gain: Floats, strength_gain: Floats
) -> None:
    """Fill in Cov(t, A) = G Cov(r, A) + kappa^2 f / n at the pair itself."""
    i, j = state.pairs[pair, 0], state.pairs[pair, 1]
    fill_mean_advantage(state, rating_gain, strength_gain)
    own = open_share(state, pair) * state.scales[KAPPA2] / field_size(state)
    strength_gain[i] += own * state.members[j]
    strength_gain[j] -= own * state.members[i]


@compiled
def count_row(state: PosteriorState, pair: int, weight: float, root: float) -> None:
    """Count the next row of K, which is filled in: a match with information `weight`.

    `root` is the square root of eta = h / (1 + h Var(A)). S loses the square of the row.
    """
    row, share = state.counts[ROWS], open_share(state, pair)
    lower_squares(state.rating_var, state.rows[row], 1.0)
    state.row_pairs[row] = state.pairs[pair]
    state.row_scales[row, SLOPE] = root * share
    noise2 = state.scales[KAPPA2] * share + 1.0 / weight
    state.row_scales[row, NOISE] = root * math.sqrt(noise2)
    state.counts[ROWS] += 1
    state.weights[pair] += weight


@compiled
def lower_squares(variances: Floats, row: Floats, scale: float) -> None:
    """Subtract the squares of a row, times a scale, from the variances."""
    for x in range(len(row)):
        amount = scale * row[x]
        variances[x] -= amount * amount


@compiled
def observe(state: PosteriorState, i: int, j: int, score: float) -> None:
    """Learn from one match of i < j: the Gaussian update of every mean and variance."""
    pair = list_pair(state, i, j)
    by_rating, by_strength = np.empty_like(state.ratings), np.empty_like(state.ratings)
    gap = fill_gains(state, pair, by_rating, by_strength)
    chance, weight, variance = prediction(state, pair, gap)
    move = (score - chance) / (state.scales[PHI] * (1.0 + weight * variance))
    for other in range(state.counts[PAIRS]):
        x, y = state.pairs[other, 0], state.pairs[other, 1]
        known = 1.0 - open_share(state, other)
        state.effects[other] -= known * move * (by_rating[x] - by_rating[y])
    # What the pair's own effect learns in addition to its share through the ratings.
    own = variance - open_share(state, pair) * (by_rating[i] - by_rating[j])
    state.effects[pair] += move * own
    for x in range(len(by_rating)):
        state.ratings[x] += move * by_rating[x]
        state.strengths[x] += move * by_strength[x]
    root = math.sqrt(weight / (1.0 + weight * variance))
    lower_squares(state.strength_var, by_strength, root)
    state.rows[state.counts[ROWS]] = root * by_rating
    count_row(state, pair, weight, root)
    state.played[pair] += 1.0
    state.points[pair] += score
    state.scales[SPLIT] += score * (1.0 - score)


class Balance(NamedTuple):
    """The equations of a Newton step: (diag(prior) + Lap(ties)) step = slope."""

    prior: Floats  # the prior's precision of each rating
    ties: Floats  # w f of each pair that met
    slope: Floats
    surprise: Floats  # of each pair that met


@compiled
def balance(state: PosteriorState, gaps: Floats, pace: float) -> Balance:
    """The equations of a Newton step, with weights updated from the current advantages.

    The weights move by the share `pace` of their whole step.
    """
    kappa2, phi = state.scales[KAPPA2], state.scales[PHI]
    surprise, ties = np.empty(state.counts[PAIRS]), np.empty(state.counts[PAIRS])
    prior = state.prior_weights / state.scales[SPREAD2]
    slope = -(state.ratings - state.prior_means) * prior
    if len(state.prior_precision) > 0:
        slope = -np.dot(state.prior_precision, state.ratings) / state.scales[SPREAD2]
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        chance, weight, _ = prediction(state, pair, gaps[pair])
        weight *= state.played[pair]
        if state.weights[pair] > 0.0:
            weight = state.weights[pair] + pace * (weight - state.weights[pair])
        surprise[pair] = (state.points[pair] - state.played[pair] * chance) / phi
        state.weights[pair] = weight
        share = 1.0 / (1.0 + kappa2 * weight)
        push = share * (surprise[pair] + weight * state.effects[pair])
        slope[i] += push
        slope[j] -= push
        ties[pair] = weight * share
    return Balance(prior, ties, slope, surprise)


@compiled
def precision_of(state: PosteriorState, prior: Floats, ties: Floats) -> Floats:
    """Q = diag(prior) + Lap(ties), its lower triangle; with features P / s^2 + Lap(ties)."""
    precision: Floats = np.diag(prior)
    if len(state.prior_precision) > 0:
        precision = state.prior_precision / state.scales[SPREAD2]
    for pair in range(len(ties)):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        precision[i, i] += ties[pair]
        precision[j, j] += ties[pair]
        precision[j, i] -= ties[pair]
    return precision


@compiled
def move(state: PosteriorState, step: Floats, surprise: Floats, pace: float) -> float:
    """Move ratings and effects by a Newton step, or the share `pace` of it.

    Returns the largest change of an effect, or whole step of a rating.
    """
    kappa2 = state.scales[KAPPA2]
    size: float = np.abs(step).max()
    step *= pace * min(1.0, LONGEST_STEP / max(size, 1e-300))
    state.ratings[:] += step
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        weight = state.weights[pair]
        pull = surprise[pair] - weight * (step[i] - step[j])
        change = (kappa2 * pull - state.effects[pair]) / (1.0 + kappa2 * weight)
        state.effects[pair] += min(max(change, -LONGEST_STEP), LONGEST_STEP)
        size = max(size, abs(change))
    return size


@compiled
def fill_gaps(state: PosteriorState, cov: Floats, gaps: Floats) -> None:
    """Fill in the variances of ratings, and of their differences in each pair, from S."""
    for x in range(len(cov)):
        state.rating_var[x] = cov[x, x]
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        gaps[pair] = max(cov[i, i] - 2.0 * cov[i, j] + cov[j, j], 0.0)


@compiled
def update_strengths(state: PosteriorState) -> None:
    """Compute t and its variances from the ratings, effects and weights, just after a refit."""
    members, n_members = state.members, field_size(state)
    state.strengths[:] = state.ratings - (members * state.ratings).sum() / n_members
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        state.strengths[i] += members[j] * state.effects[pair] / n_members
        state.strengths[j] -= members[i] * state.effects[pair] / n_members
    own = state.scales[KAPPA2] / (n_members * n_members)
    state.strength_var[:] = own * open_effects(state)
    mean_cov = np.dot(state.base_cov, members) / n_members
    mean_var = (members * mean_cov).sum() / n_members
    row = np.zeros_like(members)
    for x in range(len(members)):
        add_field_row(state, x, 1.0, row)
        state.strength_var[x] += mean_var + field_variance(state, x, row, mean_cov)


@compiled
def field_variance(state: PosteriorState, x: int, row: Floats, mean_cov: Floats) -> float:
    """G'S g - 2 g'c, for g the row of x and its rivals, and c Cov(r, the field's mean).

    It empties the row.
    """
    n_rivals, end = 1, state.heads[x]
    while end != NOBODY:
        n_rivals, end = n_rivals + 1, state.nexts[end]
    players = np.empty(n_rivals, dtype=np.int64)
    players[0], end = x, state.heads[x]
    for place in range(1, n_rivals):
        players[place], end = state.pairs[end // 2, 1 - end % 2], state.nexts[end]
    variance = 0.0
    for one in players:
        total = -2.0 * mean_cov[one]
        for other in players:
            total += row[other] * state.base_cov[one, other]
        variance += row[one] * total
    for one in players:
        row[one] = 0.0
    return variance


@compiled
def strength_cov(state: PosteriorState) -> Floats:
    """C = G S G' + kappa^2 Lap(f) / n^2, the covariance of all strengths."""
    n_players, members = len(state.ratings), state.members
    n_members = field_size(state)
    rows = state.rows[: state.counts[ROWS]]
    cov = state.base_cov - np.dot(rows.T, rows)
    cov = field_rows(state, np.ascontiguousarray(field_rows(state, cov).T))
    unit = state.scales[KAPPA2] / (n_members * n_members)
    open_sums = open_effects(state)
    for x in range(n_players):
        for y in range(n_players):
            cov[x, y] -= unit * members[x] * members[y]
        cov[x, x] += unit * (members[x] + open_sums[x])
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        known = unit * (1.0 - open_share(state, pair)) * members[i] * members[j]
        cov[i, j] += known
        cov[j, i] += known
    whole: Floats = 0.5 * (cov + cov.T)
    return whole


@compiled
def field_rows(state: PosteriorState, matrix: Floats) -> Floats:
    """G M: for each player i, the mean over the field of f_ij (M_i - M_j)."""
    members, n_members = state.members, field_size(state)
    means: Floats = matrix - np.dot(members, matrix) / n_members
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        known = (1.0 - open_share(state, pair)) / n_members
        for x in range(matrix.shape[1]):
            amount = known * (matrix[i, x] - matrix[j, x])
            means[i, x] -= members[j] * amount
            means[j, x] += members[i] * amount
    return means
