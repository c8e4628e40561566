"""The compiled choices of the posterior's schedulers; see `maxin.core.compile`.

A belief may include pending matches (see `maxin.ratings.posterior_kernels.narrow`). A pair with
weight but no match played is pending for the first time: it is not asked again without need.
"""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior_kernels import (
    KAPPA2,
    Belief,
    advantage_variance,
    expected_score,
    open_share,
    pair_advantage,
)


@compiled
def drawn(belief: Belief, normals: Floats, scale: float) -> Floats:
    """Strengths t + scale * U'z, a draw from the posterior for normal z, up to a constant."""
    draw = belief.strengths.copy()
    for row in range(len(normals)):
        amount = scale * normals[row]
        for x in range(row, len(normals)):
            draw[x] += amount * belief.root[row, x]
    return draw


@compiled
def difference_variance(cov: Floats, x: int, y: int) -> float:
    """Var(t_x - t_y), never quite zero."""
    variance: float = cov[x, x] - 2.0 * cov[x, y] + cov[y, y]
    return max(variance, 1e-300)


@compiled
def is_waiting(belief: Belief, x: int, y: int) -> bool:
    """Whether the first match of a pair is in flight."""
    i, j = min(x, y), max(x, y)
    return bool(i != j and belief.weights[i, j] > 0.0 and belief.played[i, j] == 0.0)


@compiled
def nearest_rival(belief: Belief, x: int) -> int:
    """Who may most easily be better than x: the largest (t_y - t_x) / sd."""
    nearest, rival = -math.inf, -1
    for y in range(len(belief.ratings)):
        if y != x:
            gap = belief.strengths[y] - belief.strengths[x]
            gap /= math.sqrt(difference_variance(belief.strength_cov, x, y))
            if gap > nearest:
                nearest, rival = gap, y
    return rival


@compiled
def top_places(draw: Floats, k: int) -> Ints:
    """1 for the k largest, 0 for the others."""
    marks = np.zeros(len(draw), dtype=np.int64)
    for _ in range(k):
        best = -1
        for x in range(len(draw)):
            if marks[x] == 0 and (best < 0 or draw[x] > draw[best]):
                best = x
        marks[best] = 1
    return marks


@compiled
def boundary_pair(belief: Belief, normals: Floats, k: int) -> tuple[int, int]:
    """Two players between whom the top k is open (x, in) and (y, out).

    The top k of one draw from the posterior, and of another draw in which it is another set: the
    best who are in one and not in the other. If no draw differs, the two who are nearest.
    """
    first = drawn(belief, normals[0], 1.0)
    top = top_places(first, k)
    for attempt in range(1, len(normals)):
        second = drawn(belief, normals[attempt], 1.0)
        other = top_places(second, k)
        x, y = -1, -1
        for player in range(len(first)):
            if top[player] > other[player] and (x < 0 or first[player] > first[x]):
                x = player
            if other[player] > top[player] and (y < 0 or second[player] > second[y]):
                y = player
        if x >= 0:
            return x, y
    return nearest_boundary(belief, top)


@compiled
def nearest_boundary(belief: Belief, top: Ints) -> tuple[int, int]:
    """Of all x in the top and y outside it, the two with the largest (t_y - t_x) / sd."""
    nearest, pair = -math.inf, (0, 1)
    for x in range(len(top)):
        for y in range(len(top)):
            if top[x] == 1 and top[y] == 0:
                gap = belief.strengths[y] - belief.strengths[x]
                gap /= math.sqrt(difference_variance(belief.strength_cov, x, y))
                if gap > nearest:
                    nearest, pair = gap, (x, y)
    return pair


@compiled
def lesson(belief: Belief, x: int, y: int, i: int, j: int) -> float:
    """By how much a match of i < j would lower Var(t_x - t_y): h cov^2 / (1 + h Var(A_ij)).

    cov = Cov(t_x - t_y, A_ij) = f (B_xi - B_yi - B_xj + B_yj + kappa^2 q / n), where q counts i
    and j among x and y, with the sign.
    """
    cross = belief.cross_cov
    cov = cross[x, i] - cross[y, i] - cross[x, j] + cross[y, j]
    members = belief.members
    sign = members[j] * ((i == x) - 1.0 * (i == y)) - members[i] * ((j == x) - 1.0 * (j == y))
    cov += belief.scales[KAPPA2] * sign / members.sum()
    cov *= open_share(belief, i, j)
    variance = advantage_variance(belief, i, j)
    weight = expected_score(pair_advantage(belief, i, j), variance)[1]
    taught: float = weight * cov * cov / (1.0 + weight * variance)
    return taught


@compiled
def most_telling(belief: Belief, x: int, y: int) -> tuple[int, int]:
    """The match of x or y that would teach most about which of them is stronger.

    In all runs tried, no match of two others ever taught more.
    """
    most, first, second = -1.0, x, y
    for player in (x, y):
        for rival in range(len(belief.ratings)):
            if rival != player:
                taught = lesson(belief, x, y, min(player, rival), max(player, rival))
                if is_waiting(belief, player, rival):
                    taught *= 1e-6
                if taught > most:
                    most, first, second = taught, player, rival
    return first, second


@compiled
def misorder(gap: float, variance: float) -> float:
    """P(the lower of two is the better) when they are `gap` apart."""
    return 0.5 * math.erfc(abs(gap) / math.sqrt(2.0 * variance))


@compiled
def doubtful_neighbours(belief: Belief) -> tuple[int, int]:
    """Neighbours in the ranking whose match is expected to right the order most.

    P(misordered) now, less its mean over the two scores of a match of the two.
    """
    order = np.argsort(-belief.strengths)
    most, pair = -1.0, (order[0], order[1])
    for place in range(len(order) - 1):
        x, y = order[place], order[place + 1]
        i, j = min(x, y), max(x, y)
        variance = advantage_variance(belief, i, j)
        chance, weight = expected_score(pair_advantage(belief, i, j), variance)
        before = difference_variance(belief.strength_cov, i, j)
        after = max(before - lesson(belief, i, j, i, j), 1e-300)
        gap = belief.strengths[i] - belief.strengths[j]
        reach = math.sqrt(lesson(belief, i, j, i, j) / (weight * (1.0 + weight * variance)))
        won = misorder(gap + (1.0 - chance) * reach, after)
        lost = misorder(gap - chance * reach, after)
        value = misorder(gap, before) - chance * won - (1.0 - chance) * lost
        if is_waiting(belief, i, j):
            value *= 1e-6
        if value > most:
            most, pair = value, (x, y)
    return pair
