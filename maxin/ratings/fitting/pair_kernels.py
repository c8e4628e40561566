"""Compiled loops over pairs of players that met; see `Pairs` for the arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxin.core.compile import Floats, Ints, compiled
from maxin.core.linalg import transposed

if TYPE_CHECKING:
    from maxin.ratings.fitting.pairs import Pairs

Places = NDArray[np.int32]


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
def count_points(first: Ints, second: Ints, scores: Floats, points: Floats) -> None:
    """Add every result to the crosstable: points[i, j] are i's points against j."""
    for match in range(len(first)):
        points[first[match], second[match]] += scores[match]
        points[second[match], first[match]] += 1.0 - scores[match]


@compiled
def count_pairs(
    first: Ints, second: Ints, points: Floats, games: Floats, n_players: int
) -> tuple[Ints, Places, Floats, Floats]:
    """Add up the rows of each pair; returns the arrays of `Pairs`, the lower player first.

    Rows are sorted by their lower player. The pairs of a player are then in the order in which
    they first met, and replace its rows in place: there are never more pairs than rows.
    """
    n_rows = len(first)
    low = np.minimum(first, second)
    ends = np.zeros(n_players + 1, dtype=np.int64)
    for player in low:
        ends[player + 1] += 1
    ends = np.cumsum(ends)
    others = np.empty(n_rows, dtype=np.int32)
    won, played = np.empty(n_rows), np.empty(n_rows)
    for row in range(n_rows):
        place = ends[low[row]]
        ends[low[row]] += 1  # from where the player's rows begin to where they end
        others[place] = max(first[row], second[row])
        won[place] = points[row] if first[row] < second[row] else games[row] - points[row]
        played[place] = games[row]
    begins = np.zeros(n_players + 1, dtype=np.int64)
    slots = np.full(n_players, -1)  # where the pair with each other player is
    n_pairs, place = 0, 0
    for i in range(n_players):
        while place < ends[i]:
            j = others[place]
            if slots[j] < begins[i]:
                slots[j] = n_pairs
                others[n_pairs], won[n_pairs], played[n_pairs] = j, won[place], played[place]
                n_pairs += 1
            else:
                won[slots[j]] += won[place]
                played[slots[j]] += played[place]
            place += 1
        begins[i + 1] = n_pairs
    return begins, others[:n_pairs].copy(), won[:n_pairs].copy(), played[:n_pairs].copy()


@compiled
def pairs_of_table(points: Floats) -> tuple[Ints, Places, Floats, Floats]:
    """The arrays of `Pairs` of a crosstable, the lower player first."""
    n_players = len(points)
    begins = np.zeros(n_players + 1, dtype=np.int64)
    mirrored = transposed(points)
    for i in range(n_players):
        begins[i + 1] = begins[i]
        for j in range(i + 1, n_players):
            begins[i + 1] += points[i, j] + mirrored[i, j] != 0.0
    n_pairs = begins[n_players]
    others = np.empty(n_pairs, dtype=np.int32)
    won, played = np.empty(n_pairs), np.empty(n_pairs)
    place = 0
    for i in range(n_players):
        for j in range(i + 1, n_players):
            if points[i, j] + mirrored[i, j] != 0.0:
                others[place] = j
                won[place], played[place] = points[i, j], points[i, j] + mirrored[i, j]
                place += 1
    return begins, others, won, played


@compiled
def totals(pairs: Pairs) -> tuple[Floats, Floats]:
    """The points that each player won, and lost, in all its games."""
    n_players = len(pairs.begins) - 1
    won, lost = np.zeros(n_players), np.zeros(n_players)
    for i in range(n_players):
        mine, theirs = 0.0, 0.0
        for place in range(pairs.begins[i], pairs.begins[i + 1]):
            j, points = pairs.others[place], pairs.points[place]
            mine += points
            theirs += pairs.games[place] - points
            lost[j] += points
            won[j] += pairs.games[place] - points
        won[i] += mine
        lost[i] += theirs
    return won, lost


@compiled
def root_of(player: int, parents: Ints) -> int:
    """The player that stands for a player's group; shortens the way to it."""
    while parents[player] != player:
        parents[player] = parents[parents[player]]
        player = parents[player]
    return player


@compiled
def connected_groups(begins: Ints, others: Places) -> Ints:
    """A label 0, 1, ... per player; players connected by matches have the same label."""
    n_players = len(begins) - 1
    parents = np.arange(n_players)
    for i in range(n_players):
        for place in range(begins[i], begins[i + 1]):
            one, two = root_of(i, parents), root_of(others[place], parents)
            parents[max(one, two)] = min(one, two)
    n_groups = 0
    for player in range(n_players):  # the root is the lowest player of its group
        if parents[player] == player:
            parents[player] = n_groups
            n_groups += 1
        else:
            parents[player] = parents[parents[player]]
    return parents


@compiled
def odds_against(gap: float) -> float:
    """exp(-gap) without overflow: without a branch, which processors would guess wrong."""
    return min(math.exp(-gap), 1e300)


@compiled
def log_likelihood_slope(
    ratings: Floats,
    advantage: float,
    pairs: Pairs,
    slope: Floats,
    weights: Floats,
    given: Floats,
    taken: Floats,
) -> None:
    """Fill in the gradient of the log-likelihood, and the weight g p (1 - p) of every pair.

    The model is logit P(i beats j) = r_i - r_j + advantage. `given[i]` is the sum of the weights
    of the pairs that i comes first in, and `taken[i]` of those that it comes second in.

    If no rating is extreme, the odds are a product, exp(r_j) exp(-r_i - advantage): an exponential
    per player instead of one per pair.
    """
    slope[:], taken[:] = 0.0, 0.0
    is_moderate = np.abs(ratings).max() + abs(advantage) < 300.0
    strengths = np.exp(ratings)
    for i in range(len(ratings)):
        against = math.exp(-ratings[i] - advantage)
        surprises, total = 0.0, 0.0
        for place in range(pairs.begins[i], pairs.begins[i + 1]):
            j = pairs.others[place]
            if is_moderate:
                odds = strengths[j] * against
            else:
                odds = odds_against(ratings[i] - ratings[j] + advantage)
            chance = 1.0 / (1.0 + odds)
            surprise = pairs.points[place] - pairs.games[place] * chance
            weight = pairs.games[place] * (odds * chance * chance)
            surprises += surprise
            slope[j] -= surprise
            weights[place] = weight
            total += weight
            taken[j] += weight
        slope[i] += surprises
        given[i] = total


@compiled
def first_seat_advantage(
    ratings: Floats, pairs: Pairs, precision: float, start: float, tolerance: float
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
            for place in range(pairs.begins[i], pairs.begins[i + 1]):
                games = pairs.games[place]
                odds = odds_against(ratings[i] - ratings[pairs.others[place]] + a)
                chance = 1.0 / (1.0 + odds)
                slope += pairs.points[place] - games * chance
                stiffness += games * (odds * chance * chance)
        if not abs(slope) < last:
            return a
        last = abs(slope)
        step = min(1.0, max(-1.0, slope / stiffness))
        a += step
        if abs(step) <= tolerance:
            return a


@compiled
def curvature_product(
    pairs: Pairs,
    weights: Floats,
    diagonal: Floats,
    mixed: Floats,
    stiffness: float,
    vector: Floats,
    product: Floats,
) -> None:
    """Multiply D - W - h h' / c by a vector; see `Curvature`."""
    product[:] = diagonal * vector - (mixed @ vector / stiffness) * mixed
    for i in range(len(vector)):
        here, total = vector[i], 0.0
        for place in range(pairs.begins[i], pairs.begins[i + 1]):
            j = pairs.others[place]
            total += weights[place] * vector[j]
            product[j] -= weights[place] * here
        product[i] -= total


@compiled
def conjugate_gradients(
    pairs: Pairs,
    weights: Floats,
    diagonal: Floats,
    mixed: Floats,
    stiffness: float,
    right: Floats,
    accuracy: float,
    limit: int,
) -> tuple[Floats, bool]:
    """Solve with D - W - h h' / c; returns the solution, and whether it was found within `limit`.

    The residual is measured in the norm of D^-1, which also preconditions: where players have met
    many others, W is small beside D, and a few rounds are enough.
    """
    solution, residual = np.zeros_like(right), right.copy()
    scaled = residual / diagonal
    direction, product = scaled.copy(), np.empty_like(right)
    size = residual @ scaled
    goal, n_rounds = accuracy * accuracy * size, 0
    while size > goal and n_rounds < limit:
        curvature_product(pairs, weights, diagonal, mixed, stiffness, direction, product)
        length = size / (direction @ product)
        solution += length * direction
        residual -= length * product
        scaled = residual / diagonal
        last, size = size, residual @ scaled
        direction = scaled + (size / last) * direction
        n_rounds += 1
    return solution, bool(size <= goal)


@compiled
def dense_curvature(
    pairs: Pairs, weights: Floats, diagonal: Floats, mixed: Floats, stiffness: float
) -> Floats:
    """The lower triangle of D - W - h h' / c; the upper one is zero."""
    n_players = len(diagonal)
    matrix = np.zeros((n_players, n_players))
    if stiffness < math.inf:
        for i in range(n_players):
            for j in range(i, n_players):
                matrix[i, j] = -mixed[i] * mixed[j] / stiffness
    for i in range(n_players):
        matrix[i, i] += diagonal[i]
        for place in range(pairs.begins[i], pairs.begins[i + 1]):
            j = pairs.others[place]
            matrix[min(i, j), max(i, j)] -= weights[place]  # along rows, as memory is read
    return transposed(matrix)


@compiled
def add_to_groups(matrix: Floats, labels: Ints, amounts: Floats) -> None:
    """Add each group's amount to the entries of its pairs of players, in the lower triangle."""
    for i in range(len(labels)):
        for j in range(i + 1):
            if labels[i] == labels[j]:
                matrix[i, j] += amounts[labels[i]]
