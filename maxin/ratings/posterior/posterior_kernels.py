"""Compiled loops of the posterior: learning from a match, and moving to the fixed point.

The symbols are those of `advantage_kernels`.
"""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, compiled
from maxin.ratings.posterior.advantage_kernels import (
    KAPPA2,
    PHI,
    SPLIT,
    SPREAD2,
    PosteriorState,
    open_share,
    prediction,
)
from maxin.ratings.posterior.group_kernels import PlayerGroups, groups_of
from maxin.ratings.posterior.mixing_kernels import keep, mixture, no_steps, packed, unpack
from maxin.ratings.posterior.scale_kernels import fit_scales

LONGEST_STEP = 2.0  # no Newton step moves a rating or an effect by more, in nats
NEAR = 0.1  # steps that change no more than this are mixed
MOST_WORSE = 20  # mixtures that led to a larger step than the last, before there are no more
LEAST_PACE, EASY_PACE = 0.1, 0.5  # share of a Newton step: at least when settling; when refitting


@compiled
def gains(
    state: PosteriorState, i: int, j: int, rating_gain: Floats, strength_gain: Floats
) -> None:
    """Fill in Cov(r, A_ij) and Cov(t, A_ij) of a pair i < j."""
    share = open_share(state, i, j)
    for x in range(len(rating_gain)):
        rating_gain[x] = share * (state.rating_cov[i, x] - state.rating_cov[j, x])
        strength_gain[x] = share * (state.cross_cov[x, i] - state.cross_cov[x, j])
    own = share * state.scales[KAPPA2] / state.members.sum()
    strength_gain[i] += own * state.members[j]
    strength_gain[j] -= own * state.members[i]


@compiled
def lower_rank_one(matrix: Floats, rows: Floats, columns: Floats, amount: float) -> None:
    """Subtract amount * rows columns' from the matrix, in place."""
    for x in range(len(rows)):
        factor = amount * rows[x]
        for y in range(len(columns)):
            matrix[x, y] -= factor * columns[y]


@compiled
def lower_root(root: Floats, vector: Floats) -> None:
    """Subtract vector vector' from U'U, in place; overwrites the vector."""
    for k in range(len(vector)):
        pivot, amount = root[k, k], vector[k]
        shorter = math.sqrt(max(pivot * pivot - amount * amount, 1e-12 * pivot * pivot))
        cosine, sine = shorter / pivot, amount / pivot
        root[k, k] = shorter
        for x in range(k + 1, len(vector)):
            root[k, x] = (root[k, x] - sine * vector[x]) / cosine
            vector[x] = cosine * vector[x] - sine * root[k, x]


@compiled
def shrink(
    state: PosteriorState,
    i: int,
    j: int,
    weight: float,
    amount: float,
    by_rating: Floats,
    by_strength: Floats,
) -> None:
    """Lower the covariances for a match i < j; overwrites `by_strength`."""
    lower_rank_one(state.rating_cov, by_rating, by_rating, amount)
    lower_rank_one(state.cross_cov, by_strength, by_rating, amount)
    lower_rank_one(state.strength_cov, by_strength, by_strength, amount)
    by_strength *= math.sqrt(amount)
    lower_root(state.root, by_strength)
    state.weights[i, j] += weight


@compiled
def narrow(state: PosteriorState, i: int, j: int) -> None:
    """Count a pending match i < j: the covariances shrink, and the means stay."""
    by_rating, by_strength = np.empty_like(state.ratings), np.empty_like(state.ratings)
    gains(state, i, j, by_rating, by_strength)
    _, weight, variance = prediction(state, i, j)
    shrink(state, i, j, weight, weight / (1.0 + weight * variance), by_rating, by_strength)


@compiled
def observe(state: PosteriorState, i: int, j: int, score: float) -> None:
    """Learn from one match i < j: the Gaussian update of every mean and covariance, O(n^2)."""
    by_rating, by_strength = np.empty_like(state.ratings), np.empty_like(state.ratings)
    gains(state, i, j, by_rating, by_strength)
    chance, weight, variance = prediction(state, i, j)
    move = (score - chance) / (state.scales[PHI] * (1.0 + weight * variance))
    for x in range(len(by_rating)):
        for y in range(x + 1, len(by_rating)):
            if state.weights[x, y] > 0.0:
                gap = by_rating[x] - by_rating[y]
                state.effects[x, y] -= (1.0 - open_share(state, x, y)) * move * gap
    # What the pair's own effect learns in addition to its share through the ratings.
    own = variance - open_share(state, i, j) * (by_rating[i] - by_rating[j])
    state.effects[i, j] += move * own
    for x in range(len(by_rating)):
        state.ratings[x] += move * by_rating[x]
        state.strengths[x] += move * by_strength[x]
    shrink(state, i, j, weight, weight / (1.0 + weight * variance), by_rating, by_strength)
    state.played[i, j] += 1.0
    state.points[i, j] += score
    state.scales[SPLIT] += score * (1.0 - score)


@compiled
def separate(state: PosteriorState, groups: PlayerGroups) -> None:
    """Forget what pairs that never met have, and the covariance of different groups."""
    n_players = len(state.ratings)
    first = np.zeros(n_players, dtype=np.int64)  # the place of each player's group in the order
    for x in range(n_players):
        first[groups.order[x]] = x - groups.places[groups.order[x]]
    for i in range(n_players):
        for j in range(i + 1, n_players):
            if state.played[i, j] == 0.0:
                state.weights[i, j] = state.effects[i, j] = 0.0
            if first[i] != first[j]:
                state.rating_cov[i, j] = state.rating_cov[j, i] = 0.0


@compiled
def newton_step(state: PosteriorState, pace: float, groups: PlayerGroups) -> float:
    """One step towards the fixed point, at which the prior balances every mean surprise.

    It updates the weights from the current advantages, then the covariance of the ratings, the
    ratings and the effects. Weights and ratings move by the share `pace` of their whole step.
    Returns the largest change of an effect, or whole step of a rating.
    """
    pairs = groups.pairs
    kappa2, spread2, phi = state.scales[KAPPA2], state.scales[SPREAD2], state.scales[PHI]
    slope = -state.ratings / spread2
    surprise, ties = np.zeros(len(pairs)), np.zeros(len(pairs))
    for pair in range(len(pairs)):
        i, j = pairs[pair]
        played = state.played[i, j]
        chance, weight, _ = prediction(state, i, j)
        weight *= played
        if state.weights[i, j] > 0.0:
            weight = state.weights[i, j] + pace * (weight - state.weights[i, j])
        surprise[pair] = (state.points[i, j] - played * chance) / phi
        state.weights[i, j] = weight
        share = 1.0 / (1.0 + kappa2 * weight)
        push = share * (surprise[pair] + weight * state.effects[i, j])
        slope[i] += push
        slope[j] -= push
        ties[pair] = weight * share
    step = solve_groups(state, slope, ties, groups)
    size: float = np.abs(step).max()
    if size > LONGEST_STEP:
        step *= LONGEST_STEP / size
    step *= pace
    state.ratings[:] += step
    for pair in range(len(pairs)):
        i, j = pairs[pair]
        weight = state.weights[i, j]
        pull = surprise[pair] - weight * (step[i] - step[j])
        share = 1.0 / (1.0 + kappa2 * weight)
        change = share * (kappa2 * pull - state.effects[i, j])
        state.effects[i, j] += min(max(change, -LONGEST_STEP), LONGEST_STEP)
        size = max(size, abs(change))
    return size


@compiled
def solve_groups(
    state: PosteriorState, slope: Floats, ties: Floats, groups: PlayerGroups
) -> Floats:
    """Fill in S, the inverse of 1 / s^2 + Lap(ties), group by group; returns S times the slope."""
    step = np.empty_like(slope)
    start = first = 0
    for group in range(len(groups.ends)):
        end, last = groups.ends[group], groups.pair_ends[group]
        players = groups.order[start:end]
        block = np.zeros((end - start, end - start))
        for x in range(end - start):
            block[x, x] = 1.0 / state.scales[SPREAD2]
        for pair in range(first, last):
            x, y = groups.places[groups.pairs[pair, 0]], groups.places[groups.pairs[pair, 1]]
            block[x, x] += ties[pair]
            block[y, y] += ties[pair]
            block[x, y] -= ties[pair]
            block[y, x] -= ties[pair]
        block = np.linalg.inv(block)
        step[players] = np.dot(block, slope[players])
        for x in range(end - start):
            for y in range(end - start):
                state.rating_cov[players[x], players[y]] = block[x, y]
        start, first = end, last
    return step


@compiled
def update_strengths(state: PosteriorState) -> None:
    """Recompute t, B = G S, C = G S G' + Lap(c) / n^2 and its root from S, weights and means.

    G = Lap(f) / n, and c = kappa^2 f is the unknown part of a pair's effect. Advantages over
    players who left the field count neither in G nor in Lap(c).
    """
    n_players, members = len(state.ratings), state.members
    n_members = members.sum()
    field = np.zeros((n_players, n_players))
    open_effects = np.zeros((n_players, n_players))
    state.strengths[:] = state.ratings - (members * state.ratings).sum() / n_members
    for i in range(n_players):
        for j in range(i + 1, n_players):
            share = open_share(state, i, j) / n_members
            field[i, i] += share * members[j]
            field[j, j] += share * members[i]
            field[i, j] = -share * members[j]
            field[j, i] = -share * members[i]
            open_effects[i, j] = open_effects[j, i] = field[i, j] * members[i]
            state.strengths[i] += members[j] * state.effects[i, j] / n_members
            state.strengths[j] -= members[i] * state.effects[i, j] / n_members
    for i in range(n_players):
        open_effects[i, i] = field[i, i]
    state.cross_cov[:, :] = np.dot(field, state.rating_cov)
    cov = np.dot(state.cross_cov, field.T)
    cov += state.scales[KAPPA2] / n_members * open_effects
    state.strength_cov[:, :] = 0.5 * (cov + cov.T)
    level = np.trace(cov) / n_players
    lifted = state.strength_cov + level
    for i in range(n_players):
        lifted[i, i] += 1e-10 * level
    state.root[:, :] = np.linalg.cholesky(lifted).T


@compiled
def refit(state: PosteriorState) -> None:
    """Refit the scales, take half a Newton step, and update the strengths."""
    groups = groups_of(state.played)
    separate(state, groups)
    fit_scales(state, 1.0, groups)
    newton_step(state, EASY_PACE, groups)
    update_strengths(state)


@compiled
def settle(state: PosteriorState, tolerance: float, most_steps: int) -> int:
    """Take steps until one changes nothing by more than `tolerance`; returns their number.

    Where results are nearly certain, whole steps may oscillate forever: a larger advantage makes
    a smaller weight, and a smaller weight a larger advantage. So whenever a step is larger than
    the last one, the following steps are shortened. Near the fixed point, whole steps are mixed:
    see `mixing_kernels`.
    """
    groups = groups_of(state.played)
    separate(state, groups)
    steps = no_steps(state, len(groups.pairs))
    taken, change, pace = 0, math.inf, 1.0
    is_mixed, n_worse = False, 0
    while taken < most_steps and (taken < 2 or change > tolerance):  # the first recomputes weights
        last, before = change, packed(state, groups.pairs)
        change = fit_scales(state, pace, groups) + newton_step(state, pace, groups)
        taken += 1
        if is_mixed and change > last:
            n_worse += 1
        elif change > last and taken > 2:
            pace = max(0.7 * pace, LEAST_PACE)
        else:
            pace = min(1.05 * pace, 1.0)
        if pace < 1.0 or change > NEAR or n_worse > MOST_WORSE:
            steps.filled[0], is_mixed = 0, False
            continue
        keep(steps, before, packed(state, groups.pairs) - before)
        is_mixed = change > tolerance and steps.filled[0] > 1
        if is_mixed:
            unpack(state, groups.pairs, mixture(steps, len(state.ratings), len(groups.pairs)))
    update_strengths(state)
    return taken


@compiled
def refit_gap(n_told: int, n_players: int) -> int:
    """After how many more matches the next refit comes; it keeps the work at O(n^2) per match."""
    return max(5, min(100, n_told // 40), n_players // 20)
