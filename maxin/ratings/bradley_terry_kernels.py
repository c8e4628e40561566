"""Compiled loops of the Bradley-Terry fits, without and with a first-seat advantage."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled, sigmoid


@compiled
def count_points(first: Ints, second: Ints, scores: Floats, points: Floats) -> None:
    """Add every result to the crosstable: points[i, j] are i's points against j."""
    for match in range(len(first)):
        points[first[match], second[match]] += scores[match]
        points[second[match], first[match]] += 1.0 - scores[match]


@compiled
def first_bad_match(first: Ints, second: Ints, scores: Floats, n_players: int) -> int:
    """The first match with an unknown player, one player twice or an invalid score; -1 if none."""
    for match in range(len(first)):
        i, j, score = first[match], second[match], scores[match]
        known = 0 <= i < n_players and 0 <= j < n_players and i != j
        if not (known and 0.0 <= score <= 1.0):  # NaN fails both comparisons
            return match
    return -1


@compiled
def bradley_terry_slope(
    ratings: Floats, points: Floats, precision: float, slope: Floats, curvature: Floats
) -> None:
    """Fill in the log-posterior's gradient and minus its Hessian (lower triangle)."""
    n_players = len(ratings)
    for i in range(n_players):
        slope[i] = -precision * ratings[i]
        curvature[i, i] = precision
    for i in range(n_players):
        for j in range(i):
            won, lost = points[i, j], points[j, i]
            played = won + lost
            if played == 0.0:
                curvature[i, j] = 0.0
                continue
            expected = sigmoid(ratings[i] - ratings[j])
            surprise = won - played * expected
            weight = played * expected * (1.0 - expected)
            slope[i] += surprise
            slope[j] -= surprise
            curvature[i, j] = -weight
            curvature[i, i] += weight
            curvature[j, j] += weight


@compiled
def first_seat_advantage(
    ratings: Floats,
    games: Floats,
    points: Floats,
    precision: float,
    start: float,
    tolerance: float,
) -> float:
    """The most probable first-seat advantage a for given ratings.

    The model is logit P(first i beats second j) = r_i - r_j + a; `precision` belongs to the prior
    of a. Newton's method takes steps of at most one nat. Over one nat, the variance of a score
    changes by at most a factor of e, so every step brings the slope nearer to zero. When the
    slope no longer falls, only rounding errors are left.
    """
    a, last = start, math.inf
    while True:
        slope, stiffness = -precision * a, precision
        for i in range(len(ratings)):
            for j in range(len(ratings)):
                if games[i, j] != 0.0:
                    expected = sigmoid(ratings[i] - ratings[j] + a)
                    slope += points[i, j] - games[i, j] * expected
                    stiffness += games[i, j] * expected * (1.0 - expected)
        if not abs(slope) < last:
            return a
        last = abs(slope)
        step = min(1.0, max(-1.0, slope / stiffness))
        a += step
        if abs(step) <= tolerance:
            return a


@compiled
def seats_slope(
    ratings: Floats,
    advantage: float,
    games: Floats,
    points: Floats,
    precisions: tuple[float, float],
    slope: Floats,
    curvature: Floats,
    pull: Floats,
) -> float:
    """Like `bradley_terry_slope`, with the first-seat advantage eliminated.

    `advantage` is the most probable one for these ratings, `games` and `points` are counted by
    seat, and `precisions` are those of the priors of a rating and of the advantage. Eliminating
    the advantage leaves the Schur complement H_rr - h h' / H_aa as the curvature of the ratings.
    Fills in `pull`, h / H_aa, and returns H_aa.
    """
    n_players = len(ratings)
    stiffness = precisions[1]
    pull[:] = 0.0
    for i in range(n_players):
        slope[i] = -precisions[0] * ratings[i]
        curvature[i, i] = precisions[0]
    for i in range(n_players):
        for j in range(i):
            curvature[i, j] = 0.0
            for x, y in ((i, j), (j, i)):
                if games[x, y] == 0.0:
                    continue
                expected = sigmoid(ratings[x] - ratings[y] + advantage)
                surprise = points[x, y] - games[x, y] * expected
                weight = games[x, y] * expected * (1.0 - expected)
                slope[x] += surprise
                slope[y] -= surprise
                pull[x] += weight
                pull[y] -= weight
                stiffness += weight
                curvature[i, j] -= weight
                curvature[x, x] += weight
                curvature[y, y] += weight
    pull /= stiffness
    for i in range(n_players):
        for j in range(i + 1):
            curvature[i, j] -= stiffness * pull[i] * pull[j]
    return stiffness


@compiled
def bradley_terry_nudge(ratings: Floats, inverse: Floats, i: int, j: int, score: float) -> None:
    """Correct the inverse Hessian for one more match and take the Newton step.

    At the old maximum the gradient was zero, so the new gradient is this match's surprise alone.
    """
    expected = sigmoid(ratings[i] - ratings[j])
    weight = expected * (1.0 - expected)
    reach = inverse[i] - inverse[j]
    shrink = weight / (1.0 + weight * (reach[i] - reach[j]))
    for x in range(len(ratings)):
        factor = shrink * reach[x]
        for y in range(len(ratings)):
            inverse[x, y] -= factor * reach[y]
    ratings += (score - expected) * (1.0 - shrink * (reach[i] - reach[j])) * reach


@compiled
def symmetric_product(matrix: Floats, vector: Floats) -> Floats:
    """A symmetric matrix times a vector; at this size, BLAS's threads would cost more than help."""
    product = np.zeros_like(vector)
    for row in range(len(vector)):
        for column in range(len(vector)):
            product[column] += vector[row] * matrix[row, column]
    return product


@compiled
def bradley_terry_refine(
    ratings: Floats,
    inverse: Floats,
    pairs: Ints,
    tallies: Floats,
    n_pairs: int,
    precision: float,
    tolerance: float,
) -> bool:
    """Repeat r += inverse @ gradient until a step is within `tolerance`, and return True.

    Returns False as soon as a step is more than half as long as the last one: `inverse` is then
    too inaccurate. `pairs[:n_pairs]` are the pairs that met, and `tallies[:n_pairs]` their
    (points of the first player, matches).
    """
    last = math.inf
    while True:
        slope = -precision * ratings
        for pair in range(n_pairs):
            i, j = pairs[pair]
            surprise = tallies[pair, 0] - tallies[pair, 1] * sigmoid(ratings[i] - ratings[j])
            slope[i] += surprise
            slope[j] -= surprise
        step = symmetric_product(inverse, slope)
        size = np.abs(step).max()
        if not size <= 0.5 * last:
            return False
        ratings += step
        if size <= tolerance:
            return True
        last = size


@compiled
def connected_groups(points: Floats) -> Ints:
    """A label 0, 1, ... per player; players connected by matches have the same label."""
    n_players = points.shape[0]
    labels = np.full(n_players, -1)
    waiting = np.empty(n_players, dtype=np.int64)
    n_groups = 0
    for start in range(n_players):
        if labels[start] >= 0:
            continue
        labels[start] = n_groups
        waiting[0], n_waiting = start, 1
        while n_waiting > 0:
            n_waiting -= 1
            player = waiting[n_waiting]
            for other in range(n_players):
                met = points[player, other] != 0.0 or points[other, player] != 0.0
                if met and labels[other] < 0:
                    labels[other] = n_groups
                    waiting[n_waiting] = other
                    n_waiting += 1
        n_groups += 1
    return labels


@compiled
def add_to_groups(matrix: Floats, labels: Ints, amounts: Floats) -> None:
    """Add each group's amount to the entries of its pairs of players, in the lower triangle."""
    for i in range(len(labels)):
        for j in range(i + 1):
            if labels[i] == labels[j]:
                matrix[i, j] += amounts[labels[i]]
