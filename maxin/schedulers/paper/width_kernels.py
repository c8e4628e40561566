"""Compiled loops of pair widths; see `maxin.core.compile`.

`base[x, y]` is the squared width of a pair at the last exact inverse G. Each match (a, b) since
then is a step u = G (e_a - e_b) / sqrt(1 + width^2), which lowers every squared width by
(u_x - u_y)^2. A row catches up with the steps only when it is needed. Until then it holds upper
bounds, because widths never grow.
"""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled, ordered
from maxin.ratings.fitting.pair_kernels import root_of


@compiled
def resistances(inverse: Floats, labels: Ints, levels: Floats) -> Floats:
    """The squared widths G_xx + G_yy - 2 G_xy of all pairs.

    G is zero between groups. Within a group it is `inverse` plus the level of its label.
    """
    n_players = inverse.shape[0]
    squares = np.empty((n_players, n_players))
    for x in range(n_players):
        for y in range(n_players):
            is_mate = labels[x] == labels[y]
            more = -2.0 * inverse[x, y] if is_mate else levels[labels[x]] + levels[labels[y]]
            squares[x, y] = inverse[x, x] + inverse[y, y] + more
        squares[x, x] = 0.0
    return squares


@compiled
def take_one(row: Floats, step: Floats, x: int) -> None:
    """Lower the squared widths of row `x` by a step."""
    here = step[x]
    for y in range(len(row)):
        row[y] -= (here - step[y]) * (here - step[y])


@compiled
def take_four(row: Floats, one: Floats, two: Floats, three: Floats, four: Floats, x: int) -> None:
    """Four steps as by `take_one`, to the last bit; the row is read and written once."""
    a, b, c, d = one[x], two[x], three[x], four[x]
    for y in range(len(row)):
        square = row[y] - (a - one[y]) * (a - one[y])
        square -= (b - two[y]) * (b - two[y])
        square -= (c - three[y]) * (c - three[y])
        row[y] = square - (d - four[y]) * (d - four[y])


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
    """Bring row `x` of the squared widths up to step `n_steps`; returns how many entries changed.

    `reach[x]` becomes the largest rounded width of the row, an upper bound from then on.
    """
    n_players: int = base.shape[0]
    start = version[x]
    if start == n_steps:
        return 0
    if start < 0:
        rows[x, :] = base[x, :]
        start = 0
    n_fours = (n_steps - start) // 4
    for step in range(start, start + 4 * n_fours, 4):
        take_four(rows[x], steps[step], steps[step + 1], steps[step + 2], steps[step + 3], x)
    for step in range(start + 4 * n_fours, n_steps):
        take_one(rows[x], steps[step], x)
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
    """The squared width at which advantage + exploration * width is 0; -1 if it always is above."""
    floors = np.empty_like(advantages)
    for x in range(advantages.shape[0]):
        floors_of_row(advantages[x], exploration, floors[x])
        floors[x, x] = -1.0
    return floors


@compiled
def floors_of_ratings(ratings: Floats, exploration: float) -> Floats:
    """Like `floors_below`, for advantages that are rating differences."""
    floors = np.empty((len(ratings), len(ratings)))
    for x in range(len(ratings)):
        floors_of_row(ratings[x] - ratings, exploration, floors[x])
        floors[x, x] = -1.0
    return floors


@compiled
def floors_of_row(advantages: Floats, exploration: float, floors: Floats) -> None:
    """The floors of one player; without exploration, a player not ahead is beaten at any width."""
    reach = exploration * exploration
    scale = 1.0 / reach if reach > 0.0 else 0.0
    for y in range(len(advantages)):
        gap = advantages[y]
        floors[y] = gap * gap * scale if gap <= 0.0 else -1.0
    if reach == 0.0:
        floors[advantages <= 0.0] = math.inf


@ordered
def is_beaten(squares: Floats, floors: Floats) -> bool:
    """Whether the squared width against some rival has fallen to its floor."""
    beaten = False
    for y in range(len(squares)):
        beaten |= squares[y] <= floors[y]
    return beaten


@compiled
def rounded_width(square: float) -> float:
    """The width in units of 1e-9, rounded, so that rounding errors do not break ties."""
    return math.floor(math.sqrt(square) * 1e9 + 0.5)


@ordered
def largest(values: Floats) -> float:
    """The maximum of the values and -1; four at a time, so that none waits for the last."""
    a, b, c, d = -1.0, -1.0, -1.0, -1.0
    n_fours = len(values) // 4
    for place in range(0, 4 * n_fours, 4):
        a, b = max(a, values[place]), max(b, values[place + 1])
        c, d = max(c, values[place + 2]), max(d, values[place + 3])
    for place in range(4 * n_fours, len(values)):
        a = max(a, values[place])
    return max(max(a, b), max(c, d))


@ordered
def widest_rival(squares: Floats, bounds: Floats) -> int:
    """The candidate with the largest width, the lowest one in a tie; -1 if there is none.

    `squares` are the squared widths against one player, whose own is zero. Candidates are the
    players with a bound that is not negative.
    """
    widest = 0.0
    for y in range(len(squares)):
        widest = max(widest, squares[y] if bounds[y] >= 0.0 else 0.0)
    if widest <= 0.0:
        return -1
    level = ((rounded_width(widest) - 0.5) * 1e-9) ** 2  # the least square that rounds the same
    y = 0
    while bounds[y] < 0.0 or squares[y] < min(level, widest) or squares[y] <= 0.0:
        y += 1
    return y


@compiled
def cap_bounds(bounds: Floats, parents: Ints, sizes: Ints, ridge: float) -> None:
    """Lower the bounds of `widest_pair` to what sizes of unconnected groups allow.

    Players of groups of a and b players have a squared width of 1 / (ridge a) + 1 / (ridge b) plus
    their resistances to the others in their groups, which are below a and b. The other player's
    group is the smallest other one at best. `sizes` holds the sizes at the roots of `parents`.
    """
    smallest, second, biggest = len(bounds), len(bounds), 0
    for player in range(len(bounds)):
        if parents[player] == player:
            smallest, second = (
                min(smallest, sizes[player]),
                min(second, max(smallest, sizes[player])),
            )
            biggest = max(biggest, sizes[player])
    for x in range(len(bounds)):
        if bounds[x] >= 0.0:
            size = sizes[root_of(x, parents)]
            other = second if size == smallest else smallest
            square = (1.0 / size + 1.0 / other) / ridge + size + biggest
            bounds[x] = min(bounds[x], rounded_width(square))


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
    """The pair of candidates with the largest width; (x, x) if x is the only one, or (-1, -1).

    Player x is a candidate while its squared width against y is above `floors[x, y]` for all y.
    `bounds[x]` is an upper bound of x's largest rounded width against a candidate, or -1 once x is
    known not to be one. Both stay true while widths shrink. So bounds are kept between calls, and
    only players with the largest bound are examined.
    """
    while True:
        top = largest(bounds)
        if top < 0.0:
            return -1, -1
        x = 0
        while bounds[x] != top:
            x += 1
        if is_beaten(base[x] if version[x] < 0 else rows[x], floors[x]):
            bounds[x] = -1.0  # up to date or not: if the upper bound is too low, so is the width
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
