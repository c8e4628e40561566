"""The compiled loops of the posterior; `maxin.kernels` says how kernels are kept.

Pair arrays (played, points, effects, weights) use the places [i, j] with i < j alone. With
kappa^2 = scales[KAPPA2], a pair of weight w has the share f = 1 / (1 + kappa^2 w) of its effect
still open: f = 1 for a pair that never met. docs/notes/posterior.md derives the equations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from maxin.core.compile import Floats, compiled, sigmoid

SPREAD2, KAPPA2, PRIOR_KAPPA2 = 0, 1, 2  # places in `scales`
LEAST_SPREAD2, MOST_SPREAD2 = 0.04, 9.0
LEAST_KAPPA, MOST_KAPPA, N_KAPPAS = 0.05, 3.0, 12  # the values of kappa that are weighed up
LONGEST_STEP = 2.0  # of a rating or an effect, in nats
LEAST_PACE, EASY_PACE = 0.1, 0.5  # the shares of a Newton step that are taken
PROBIT = math.pi / 8.0  # mean of sigmoid(A) for normal A is about sigmoid(mean / root(1 + this V))


class Belief(NamedTuple):
    """The state of a posterior: what was seen, the means, and the covariances."""

    scales: Floats  # s^2, kappa^2, and the prior's mean of kappa^2
    members: Floats  # 1 for the players of the field, 0 for those who left it
    played: Floats  # N, matches of a pair
    points: Floats  # W, what the first of the pair took of them
    weights: Floats  # w, what the matches of a pair tell about its advantage
    effects: Floats  # e, mean of what a pair adds to the difference of its ratings
    ratings: Floats  # r, means
    strengths: Floats  # t, means of the mean advantage over the field
    rating_cov: Floats  # S = Cov(r)
    cross_cov: Floats  # B = Cov(t, r)
    strength_cov: Floats  # C = Cov(t)
    root: Floats  # upper U with U'U = C + constant


@compiled
def open_share(belief: Belief, i: int, j: int) -> float:
    """F = 1 / (1 + kappa^2 w) of a pair i < j."""
    share: float = 1.0 / (1.0 + belief.scales[KAPPA2] * belief.weights[i, j])
    return share


@compiled
def advantage_variance(belief: Belief, i: int, j: int) -> float:
    """Var(A_ij) = f^2 Var(r_i - r_j) + kappa^2 f of a pair i < j."""
    share = open_share(belief, i, j)
    cov = belief.rating_cov
    gap = cov[i, i] - 2.0 * cov[i, j] + cov[j, j]
    variance: float = share * share * max(gap, 0.0) + belief.scales[KAPPA2] * share
    return variance


@compiled
def expected_score(mean: float, variance: float) -> tuple[float, float]:
    """P(win), averaged over a normal advantage, and its slope in the mean: what a match tells."""
    shrink = 1.0 / math.sqrt(1.0 + PROBIT * variance)
    chance = sigmoid(shrink * mean)
    return chance, shrink * chance * (1.0 - chance)


@compiled
def pair_advantage(belief: Belief, i: int, j: int) -> float:
    """The mean of A_ij = r_i - r_j + e_ij of a pair i < j."""
    mean: float = belief.ratings[i] - belief.ratings[j] + belief.effects[i, j]
    return mean


@compiled
def expected_scores(belief: Belief) -> Floats:
    """P(win) of every player against every other."""
    n_players = len(belief.ratings)
    chances = np.full((n_players, n_players), 0.5)
    for i in range(n_players):
        for j in range(i + 1, n_players):
            variance = advantage_variance(belief, i, j)
            chances[i, j] = expected_score(pair_advantage(belief, i, j), variance)[0]
            chances[j, i] = 1.0 - chances[i, j]
    return chances


@compiled
def gains(belief: Belief, i: int, j: int, rating_gain: Floats, strength_gain: Floats) -> None:
    """Fill in Cov(r, A_ij) and Cov(t, A_ij) of a pair i < j."""
    share = open_share(belief, i, j)
    for x in range(len(rating_gain)):
        rating_gain[x] = share * (belief.rating_cov[i, x] - belief.rating_cov[j, x])
        strength_gain[x] = share * (belief.cross_cov[x, i] - belief.cross_cov[x, j])
    own = share * belief.scales[KAPPA2] / belief.members.sum()
    strength_gain[i] += own * belief.members[j]
    strength_gain[j] -= own * belief.members[i]


@compiled
def lower_rank_one(matrix: Floats, rows: Floats, columns: Floats, amount: float) -> None:
    """Subtract amount * rows columns', in place."""
    for x in range(len(rows)):
        factor = amount * rows[x]
        for y in range(len(columns)):
            matrix[x, y] -= factor * columns[y]


@compiled
def lower_root(root: Floats, vector: Floats) -> None:
    """Make U'U smaller by vector vector', in place; the vector is used up."""
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
    belief: Belief,
    i: int,
    j: int,
    weight: float,
    amount: float,
    by_rating: Floats,
    by_strength: Floats,
) -> None:
    """Lower the covariances for a match i < j; the two gains are used up."""
    lower_rank_one(belief.rating_cov, by_rating, by_rating, amount)
    lower_rank_one(belief.cross_cov, by_strength, by_rating, amount)
    lower_rank_one(belief.strength_cov, by_strength, by_strength, amount)
    by_strength *= math.sqrt(amount)
    lower_root(belief.root, by_strength)
    belief.weights[i, j] += weight


@compiled
def narrow(belief: Belief, i: int, j: int) -> None:
    """Count a match i < j whose score is not known: the covariances shrink, the means stay."""
    by_rating, by_strength = np.empty_like(belief.ratings), np.empty_like(belief.ratings)
    gains(belief, i, j, by_rating, by_strength)
    variance = advantage_variance(belief, i, j)
    weight = expected_score(pair_advantage(belief, i, j), variance)[1]
    shrink(belief, i, j, weight, weight / (1.0 + weight * variance), by_rating, by_strength)


@compiled
def observe(belief: Belief, i: int, j: int, score: float) -> None:
    """Learn from one match i < j: the Gaussian update of every mean and covariance, O(n^2)."""
    by_rating, by_strength = np.empty_like(belief.ratings), np.empty_like(belief.ratings)
    gains(belief, i, j, by_rating, by_strength)
    variance = advantage_variance(belief, i, j)
    chance, weight = expected_score(pair_advantage(belief, i, j), variance)
    move = (score - chance) / (1.0 + weight * variance)
    for x in range(len(by_rating)):
        for y in range(x + 1, len(by_rating)):
            if belief.weights[x, y] > 0.0:
                gap = by_rating[x] - by_rating[y]
                belief.effects[x, y] -= (1.0 - open_share(belief, x, y)) * move * gap
    # What the pair's own effect learns besides what it shares with the ratings.
    own = variance - open_share(belief, i, j) * (by_rating[i] - by_rating[j])
    belief.effects[i, j] += move * own
    for x in range(len(by_rating)):
        belief.ratings[x] += move * by_rating[x]
        belief.strengths[x] += move * by_strength[x]
    shrink(belief, i, j, weight, weight / (1.0 + weight * variance), by_rating, by_strength)
    belief.played[i, j] += 1.0
    belief.points[i, j] += score


@compiled
def newton_step(belief: Belief, pace: float) -> float:
    """One step towards the fixed point at which every mean surprise is balanced by the prior.

    Weights first, from the advantages as they are; then the ratings' covariance, the ratings, and
    the effects. Weights and ratings go the share `pace` of the way. Returns the largest change of
    a rating, had it gone all of it, or an effect.
    """
    n_players = len(belief.ratings)
    kappa2, spread2 = belief.scales[KAPPA2], belief.scales[SPREAD2]
    slope = -belief.ratings / spread2
    matrix = np.zeros((n_players, n_players))
    surprise = np.zeros((n_players, n_players))
    for i in range(n_players):
        matrix[i, i] += 1.0 / spread2
        for j in range(i + 1, n_players):
            played = belief.played[i, j]
            if played == 0.0:
                belief.weights[i, j] = belief.effects[i, j] = 0.0
                continue
            chance, weight = expected_score(
                pair_advantage(belief, i, j), advantage_variance(belief, i, j)
            )
            weight *= played
            if belief.weights[i, j] > 0.0:
                weight = belief.weights[i, j] + pace * (weight - belief.weights[i, j])
            surprise[i, j] = belief.points[i, j] - played * chance
            belief.weights[i, j] = weight
            share = 1.0 / (1.0 + kappa2 * weight)
            push = share * (surprise[i, j] + weight * belief.effects[i, j])
            slope[i] += push
            slope[j] -= push
            tie = weight * share
            matrix[i, i] += tie
            matrix[j, j] += tie
            matrix[i, j] -= tie
            matrix[j, i] -= tie
    belief.rating_cov[:, :] = np.linalg.inv(matrix)
    step = np.dot(belief.rating_cov, slope)
    size: float = np.abs(step).max()
    if size > LONGEST_STEP:
        step *= LONGEST_STEP / size
    step *= pace
    belief.ratings[:] += step
    for i in range(n_players):
        for j in range(i + 1, n_players):
            weight = belief.weights[i, j]
            if weight > 0.0:
                pull = surprise[i, j] - weight * (step[i] - step[j])
                share = 1.0 / (1.0 + kappa2 * weight)
                change = share * (kappa2 * pull - belief.effects[i, j])
                belief.effects[i, j] += min(max(change, -LONGEST_STEP), LONGEST_STEP)
                size = max(size, abs(change))
    return size


@compiled
def likely_kappa2(belief: Belief) -> float:
    """The posterior mean of kappa^2, from the effects that matches have shown.

    Divide the prior N(0, kappa^2) out of what is known about a pair's effect: what is left is a
    sighting of it with some noise, which is N(0, k^2 + noise) for any other k. The prior of k is
    half a normal, whose mean of k^2 is that of `scales`.
    """
    cov, kappa2 = belief.rating_cov, belief.scales[KAPPA2]
    squares, logs = np.empty(N_KAPPAS), np.empty(N_KAPPAS)
    for k in range(N_KAPPAS):
        kappa = LEAST_KAPPA * (MOST_KAPPA / LEAST_KAPPA) ** (k / (N_KAPPAS - 1.0))
        squares[k] = kappa * kappa
        logs[k] = math.log(kappa) - 0.5 * squares[k] / belief.scales[PRIOR_KAPPA2]
    for i in range(len(belief.ratings)):
        for j in range(i + 1, len(belief.ratings)):
            if belief.weights[i, j] == 0.0:
                continue
            share = open_share(belief, i, j)
            gap = cov[i, i] - 2.0 * cov[i, j] + cov[j, j]
            variance = kappa2 * share + (1.0 - share) ** 2 * gap
            precision = 1.0 / variance - 1.0 / kappa2
            if precision > 1e-9:
                seen = belief.effects[i, j] / (variance * precision)
                for k in range(N_KAPPAS):
                    total = squares[k] + 1.0 / precision
                    logs[k] -= 0.5 * (math.log(total) + seen * seen / total)
    odds = np.exp(logs - logs.max())
    return float((odds * squares).sum() / odds.sum())


@compiled
def fit_scales(belief: Belief, pace: float) -> float:
    """Refit s^2 and kappa^2 to the ratings and effects.

    s^2 = (sum of r^2 + Var(r), + 1) / (n + 1): one more player, at distance 1, is the prior. Both
    go the share `pace` of the way; returns the relative change on the whole way.
    """
    scales = belief.scales
    total = 1.0 + np.trace(belief.rating_cov) + (belief.ratings**2).sum()
    spread2 = min(max(total / (len(belief.ratings) + 1.0), LEAST_SPREAD2), MOST_SPREAD2)
    kappa2 = likely_kappa2(belief)
    change = abs(spread2 / scales[SPREAD2] - 1.0) + abs(kappa2 / scales[KAPPA2] - 1.0)
    scales[SPREAD2] += pace * (spread2 - scales[SPREAD2])
    scales[KAPPA2] += pace * (kappa2 - scales[KAPPA2])
    return float(change)


@compiled
def spread_out(belief: Belief) -> None:
    """What follows from S, the weights and the means: t, B = G S, C = G S G' + Lap(c) / n^2.

    G = Lap(f) / n, and c = kappa^2 f is what stays open of a pair's effect. Advantages over those
    who left the field do not count, in G and in Lap(c) alike.
    """
    n_players, members = len(belief.ratings), belief.members
    n_members = members.sum()
    field = np.zeros((n_players, n_players))
    open_effects = np.zeros((n_players, n_players))
    belief.strengths[:] = belief.ratings - (members * belief.ratings).sum() / n_members
    for i in range(n_players):
        for j in range(i + 1, n_players):
            share = open_share(belief, i, j) / n_members
            field[i, i] += share * members[j]
            field[j, j] += share * members[i]
            field[i, j] = -share * members[j]
            field[j, i] = -share * members[i]
            open_effects[i, j] = open_effects[j, i] = field[i, j] * members[i]
            belief.strengths[i] += members[j] * belief.effects[i, j] / n_members
            belief.strengths[j] -= members[i] * belief.effects[i, j] / n_members
    for i in range(n_players):
        open_effects[i, i] = field[i, i]
    belief.cross_cov[:, :] = np.dot(field, belief.rating_cov)
    cov = np.dot(belief.cross_cov, field.T)
    cov += belief.scales[KAPPA2] / n_members * open_effects
    belief.strength_cov[:, :] = 0.5 * (cov + cov.T)
    level = np.trace(cov) / n_players
    lifted = belief.strength_cov + level
    for i in range(n_players):
        lifted[i, i] += 1e-10 * level
    belief.root[:, :] = np.linalg.cholesky(lifted).T


@compiled
def refit(belief: Belief) -> None:
    """Refit the scales, take half a Newton step, and bring along all that follows from it."""
    fit_scales(belief, 1.0)
    newton_step(belief, EASY_PACE)
    spread_out(belief)


@compiled
def settle(belief: Belief, tolerance: float, most_steps: int) -> int:
    """Steps until none changes anything by more than `tolerance`; returns how many it took.

    Where results are nearly certain, whole steps may swing for ever: a larger advantage
    makes a smaller weight, and a smaller weight a larger advantage. So steps that do not get
    smaller are shortened.
    """
    taken, change, pace = 0, math.inf, 1.0
    while taken < most_steps and (taken < 2 or change > tolerance):  # the first makes weights new
        last = change
        change = fit_scales(belief, pace) + newton_step(belief, pace)
        pace = max(0.7 * pace, LEAST_PACE) if change > last else min(1.05 * pace, 1.0)
        taken += 1
    spread_out(belief)
    return taken


@compiled
def refit_gap(n_told: int, n_players: int) -> int:
    """How many matches after `n_told` of them the next refit comes: O(n^2) work a match."""
    return max(5, min(100, n_told // 40), n_players // 20)
