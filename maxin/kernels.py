"""The compiled inner loops; each must agree with a plain twin in `tests/test_kernels.py`.

Arrays are C-contiguous float64 unless said otherwise; callers have checked their arguments.
Compiled code is cached beside this file, so only the first run on a machine pays for compiling.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., object])

if TYPE_CHECKING:  # numba publishes no types: to a type checker a kernel is the function it wraps

    def compiled(function: Function) -> Function:
        """A kernel is what it says in Python."""
        return function

    ordered = compiled
else:
    import numba

    compiled = numba.njit(cache=True, nogil=True, error_model="numpy")
    # For loops that only compare: no value is NaN, which lets the processor take many at a time.
    ordered = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz"})

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


# --- ratings ---------------------------------------------------------------------------------


@compiled
def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)) without overflow."""
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    odds = math.exp(x)
    return odds / (1.0 + odds)


@compiled
def advantage(parameters: Floats, i: int, j: int) -> float:
    """r_i - r_j + c_i' Omega c_j; column 0 is the rating, columns (1, 2), (3, 4), ... planes."""
    total: float = parameters[i, 0] - parameters[j, 0]
    for plane in range(1, parameters.shape[1], 2):
        total += parameters[i, plane] * parameters[j, plane + 1]
        total -= parameters[i, plane + 1] * parameters[j, plane]
    return total


@compiled
def add_surprise(
    target: Floats, parameters: Floats, i: int, j: int, score: float, scale: float
) -> None:
    """Add `scale` times the gradient of one result's log-likelihood at `parameters` to `target`."""
    amount = scale * (score - sigmoid(advantage(parameters, i, j)))
    target[i, 0] += amount
    target[j, 0] -= amount
    for plane in range(1, parameters.shape[1], 2):
        target[i, plane] += amount * parameters[j, plane + 1]
        target[i, plane + 1] -= amount * parameters[j, plane]
        target[j, plane] -= amount * parameters[i, plane + 1]
        target[j, plane + 1] += amount * parameters[i, plane]


@compiled
def log_likelihood_gradient(
    parameters: Floats, first: Ints, second: Ints, scores: Floats
) -> Floats:
    """Gradient of the log-likelihood of the results with respect to every parameter."""
    gradient = np.zeros_like(parameters)
    for match in range(len(first)):
        add_surprise(gradient, parameters, first[match], second[match], scores[match], 1.0)
    return gradient


@compiled
def count_points(first: Ints, second: Ints, scores: Floats, points: Floats) -> None:
    """Add every result to the crosstable: points[i, j] are i's points against j."""
    for match in range(len(first)):
        points[first[match], second[match]] += scores[match]
        points[second[match], first[match]] += 1.0 - scores[match]


@compiled
def first_bad_match(first: Ints, second: Ints, scores: Floats, n_players: int) -> int:
    """The first match with an unknown player, a self-match or a score not in [0, 1]; else -1."""
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
    """The log-posterior's gradient and minus its Hessian (lower triangle) for a crosstable."""
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
def bradley_terry_nudge(ratings: Floats, inverse: Floats, i: int, j: int, score: float) -> None:
    """Correct the inverse Hessian for one more match and take its Newton step.

    At the old maximum the gradient was zero, so the new one is this match's surprise alone.
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
def bradley_terry_refine(
    ratings: Floats,
    inverse: Floats,
    pairs: Ints,
    tallies: Floats,
    n_pairs: int,
    precision: float,
    tolerance: float,
) -> bool:
    """Steps r += inverse @ gradient until one is within `tolerance`.

    False as soon as a step is not at most half the last one: then `inverse` is not near enough.
    `pairs[:n_pairs]` are the pairs that met, `tallies[:n_pairs]` (points of the first, matches).
    """
    last = math.inf
    while True:
        slope = -precision * ratings
        for pair in range(n_pairs):
            i, j = pairs[pair]
            surprise = tallies[pair, 0] - tallies[pair, 1] * sigmoid(ratings[i] - ratings[j])
            slope[i] += surprise
            slope[j] -= surprise
        step = inverse @ slope
        size = np.abs(step).max()
        if not size <= 0.5 * last:
            return False
        ratings += step
        if size <= tolerance:
            return True
        last = size


@compiled
def mirror_lower(matrix: Floats) -> None:
    """Copy the lower triangle onto the upper one."""
    for i in range(matrix.shape[0]):
        for j in range(i):
            matrix[j, i] = matrix[i, j]


# --- widths ----------------------------------------------------------------------------------
#
# `base[x, y]` is the squared width of a pair at the last exact inverse G. A match (a, b) since then
# is a step u = G (e_a - e_b) / sqrt(1 + width^2), after which every squared width is smaller by
# (u_x - u_y)^2. Rows catch up with the steps only when somebody looks at them, so a row that is
# behind holds upper bounds: widths never grow.


@compiled
def resistances(inverse: Floats) -> Floats:
    """G_xx + G_yy - 2 G_xy for every pair."""
    n_players = inverse.shape[0]
    squares = np.zeros((n_players, n_players))
    for x in range(n_players):
        for y in range(x):
            squares[x, y] = inverse[x, x] + inverse[y, y] - 2.0 * inverse[x, y]
            squares[y, x] = squares[x, y]
    return squares


@compiled
def refresh_row(
    x: int,
    base: Floats,
    rows: Floats,
    version: Ints,
    steps: Floats,
    n_steps: int,
    reach: Floats,
) -> int:
    """Bring row `x` of the squared widths up to step `n_steps`; returns the entries touched.

    `reach[x]` becomes the largest rounded width in the row, a bound from then on.
    """
    n_players: int = base.shape[0]
    start = version[x]
    if start == n_steps:
        return 0
    if start < 0:
        rows[x, :] = base[x, :]
        start = 0
    for step in range(start, n_steps):
        here = steps[step, x]
        for y in range(n_players):
            drop = here - steps[step, y]
            rows[x, y] -= drop * drop
    version[x] = n_steps
    reach[x] = rounded_width(largest(rows[x]))
    return n_players


@compiled
def add_step(
    a: int,
    b: int,
    base: Floats,
    rows: Floats,
    version: Ints,
    steps: Floats,
    n_steps: int,
    reach: Floats,
) -> None:
    """Append the step of a match (a, b): u = G (e_a - e_b) / sqrt(1 + width^2), up to a constant.

    G_xa - G_xb = (width_xb^2 - width_xa^2) / 2 + constant, and only differences of u matter.
    """
    refresh_row(a, base, rows, version, steps, n_steps, reach)
    refresh_row(b, base, rows, version, steps, n_steps, reach)
    scale = 0.5 / math.sqrt(1.0 + rows[a, b])
    for x in range(base.shape[0]):
        steps[n_steps, x] = (rows[b, x] - rows[a, x]) * scale


@compiled
def floors_below(advantages: Floats, exploration: float) -> Floats:
    """The squared width at which advantage + exploration * width is zero; -1 if it is never so."""
    floors = np.empty_like(advantages)
    for x in range(advantages.shape[0]):
        floors_of_row(advantages[x], exploration, floors[x])
        floors[x, x] = -1.0
    return floors


@compiled
def floors_of_ratings(ratings: Floats, exploration: float) -> Floats:
    """The same for advantages that are differences of ratings."""
    floors = np.empty((len(ratings), len(ratings)))
    for x in range(len(ratings)):
        floors_of_row(ratings[x] - ratings, exploration, floors[x])
        floors[x, x] = -1.0
    return floors


@compiled
def floors_of_row(advantages: Floats, exploration: float, floors: Floats) -> None:
    """One player's floors; without exploration, whoever is not ahead is beaten at any width."""
    scale = 1.0 / (exploration * exploration) if exploration > 0.0 else 0.0
    for y in range(len(advantages)):
        gap = advantages[y]
        floors[y] = gap * gap * scale if gap <= 0.0 else -1.0
    if exploration == 0.0:
        floors[advantages <= 0.0] = math.inf


@ordered
def is_beaten(squares: Floats, floors: Floats) -> bool:
    """Whether some rival's squared width has sunk to its floor."""
    beaten = False
    for y in range(len(squares)):
        beaten |= squares[y] <= floors[y]
    return beaten


@compiled
def rounded_width(square: float) -> float:
    """A width in units of 1e-9, rounded, so that rounding errors do not break ties."""
    return math.floor(math.sqrt(square) * 1e9 + 0.5)


@ordered
def largest(values: Floats) -> float:
    """The maximum, at least -1."""
    found = -1.0
    for value in values:
        found = max(found, value)
    return found


@ordered
def widest_rival(squares: Floats, bounds: Floats) -> int:
    """Among players with a bound, the one least known; the lowest of equals; -1 if there is none.

    `squares` are the squared widths against one player, its own is zero.
    """
    widest = 0.0
    for y in range(len(squares)):
        widest = max(widest, squares[y] if bounds[y] >= 0.0 else 0.0)
    if widest <= 0.0:
        return -1
    level = ((rounded_width(widest) - 0.5) * 1e-9) ** 2  # what rounds to the same width
    y = 0
    while bounds[y] < 0.0 or squares[y] < min(level, widest) or squares[y] <= 0.0:
        y += 1
    return y


@compiled
def widest_pair(
    base: Floats,
    rows: Floats,
    version: Ints,
    steps: Floats,
    n_steps: int,
    reach: Floats,
    floors: Floats,
    bounds: Floats,
    touched: Ints,
) -> tuple[int, int]:
    """The two candidates whose width is largest; (x, x) if only x is left, (-1, -1) if nobody is.

    A player is a candidate while its squared width against y stays above `floors[x, y]` for all y.
    `bounds[x]` is at least x's largest rounded width against a candidate, or -1 once x is known
    not to be one. Both stay true while widths shrink, so bounds are kept between calls, and only
    players whose bound is the largest are looked at.
    """
    while True:
        top = largest(bounds)
        if top < 0.0:
            return -1, -1
        x = 0
        while bounds[x] != top:
            x += 1
        if is_beaten(base[x] if version[x] < 0 else rows[x], floors[x]):
            bounds[x] = -1.0  # behind or not: if an upper bound is too low, so is the width
            continue
        if version[x] != n_steps:
            touched[0] += refresh_row(x, base, rows, version, steps, n_steps, reach)
            bounds[x] = min(top, reach[x])
            continue
        y = widest_rival(rows[x], bounds)
        if y < 0:
            return x, x
        width = rounded_width(rows[x, y])
        if width < top:
            bounds[x] = width
            continue
        touched[0] += refresh_row(y, base, rows, version, steps, n_steps, reach)
        if is_beaten(rows[y], floors[y]):
            bounds[y] = -1.0
            continue
        return x, y
