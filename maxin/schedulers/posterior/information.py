"""How informative a match is: the compiled choices of the posterior's schedulers.

The state may include pending matches (see `narrow` in `maxin.ratings.posterior`). A pair with a
weight but no played match has its first match pending; it is asked again only if nothing else is
informative. The symbols are those of `maxin.ratings.posterior.advantage_kernels`.
"""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior.advantage_kernels import (
    KAPPA2,
    PHI,
    PosteriorState,
    open_share,
    prediction,
)


@compiled
def drawn(state: PosteriorState, normals: Floats, scale: float) -> Floats:
    """Strengths t + scale * U'z, up to a constant: a draw from the posterior if z is normal."""
    draw = state.strengths.copy()
    for row in range(len(normals)):
        amount = scale * normals[row]
        for x in range(row, len(normals)):
            draw[x] += amount * state.root[row, x]
    return draw


@compiled
def difference_variance(cov: Floats, x: int, y: int) -> float:
    """Var(t_x - t_y), kept above zero."""
    variance: float = cov[x, x] - 2.0 * cov[x, y] + cov[y, y]
    return max(variance, 1e-300)


@compiled
def is_pending(state: PosteriorState, x: int, y: int) -> bool:
    """Whether the first match of a pair is pending."""
    i, j = min(x, y), max(x, y)
    return bool(i != j and state.weights[i, j] > 0.0 and state.played[i, j] == 0.0)


@compiled
def nearest_rival(state: PosteriorState, x: int) -> int:
    """The player most likely to be better than x: the one with the largest (t_y - t_x) / sd."""
    nearest, rival = -math.inf, -1
    for y in range(len(state.ratings)):
        if y != x:
            gap = state.strengths[y] - state.strengths[x]
            gap /= math.sqrt(difference_variance(state.strength_cov, x, y))
            if gap > nearest:
                nearest, rival = gap, y
    return rival


@compiled
def top_places(draw: Floats, k: int) -> Ints:
    """1 for the k largest values, 0 for the others."""
    marks = np.zeros(len(draw), dtype=np.int64)
    for _ in range(k):
        best = -1
        for x in range(len(draw)):
            if marks[x] == 0 and (best < 0 or draw[x] > draw[best]):
                best = x
        marks[best] = 1
    return marks


@compiled
def boundary_pair(state: PosteriorState, normals: Floats, k: int) -> tuple[int, int]:
    """Two players, x in the top k and y outside, whose membership is uncertain.

    The top k of one draw from the posterior is compared with that of another draw in which it
    differs: x and y are the best players that are in only one of them. If no draw differs, x and
    y are the two nearest to the boundary.
    """
    first = drawn(state, normals[0], 1.0)
    top = top_places(first, k)
    for attempt in range(1, len(normals)):
        second = drawn(state, normals[attempt], 1.0)
        other = top_places(second, k)
        x, y = -1, -1
        for player in range(len(first)):
            if top[player] > other[player] and (x < 0 or first[player] > first[x]):
                x = player
            if other[player] > top[player] and (y < 0 or second[player] > second[y]):
                y = player
        if x >= 0:
            return x, y
    return nearest_boundary(state, top)


@compiled
def nearest_boundary(state: PosteriorState, top: Ints) -> tuple[int, int]:
    """The x in the top and y outside with the largest (t_y - t_x) / sd."""
    nearest, pair = -math.inf, (0, 1)
    for x in range(len(top)):
        for y in range(len(top)):
            if top[x] == 1 and top[y] == 0:
                gap = state.strengths[y] - state.strengths[x]
                gap /= math.sqrt(difference_variance(state.strength_cov, x, y))
                if gap > nearest:
                    nearest, pair = gap, (x, y)
    return pair


@compiled
def variance_reduction(state: PosteriorState, x: int, y: int, i: int, j: int) -> float:
    """By how much a match of i < j would lower Var(t_x - t_y): h cov^2 / (1 + h Var(A_ij)).

    h is the information of the match, and
    cov = Cov(t_x - t_y, A_ij) = f (B_xi - B_yi - B_xj + B_yj + kappa^2 q / n),
    where q = m_j ([i = x] - [i = y]) - m_i ([j = x] - [j = y]) and m marks members of the field.
    """
    cross = state.cross_cov
    cov = cross[x, i] - cross[y, i] - cross[x, j] + cross[y, j]
    members = state.members
    sign = members[j] * ((i == x) - 1.0 * (i == y)) - members[i] * ((j == x) - 1.0 * (j == y))
    cov += state.scales[KAPPA2] * sign / members.sum()
    cov *= open_share(state, i, j)
    _, weight, variance = prediction(state, i, j)
    drop: float = weight * cov * cov / (1.0 + weight * variance)
    return drop


@compiled
def most_informative_match(state: PosteriorState, x: int, y: int) -> tuple[int, int]:
    """The match of x or y that lowers Var(t_x - t_y) most: the best to learn who is stronger.

    In all runs tried, no match between two other players was ever more informative.
    """
    most, first, second = -1.0, x, y
    for player in (x, y):
        for rival in range(len(state.ratings)):
            if rival != player:
                drop = variance_reduction(state, x, y, min(player, rival), max(player, rival))
                if is_pending(state, player, rival):
                    drop *= 1e-6
                if drop > most:
                    most, first, second = drop, player, rival
    return first, second


@compiled
def misorder(gap: float, variance: float) -> float:
    """P(the lower rated of two players is better) if their means are `gap` apart."""
    return 0.5 * math.erfc(abs(gap) / math.sqrt(2.0 * variance))


@compiled
def doubtful_neighbours(state: PosteriorState) -> tuple[int, int]:
    """The neighbours in the ranking for which a match lowers P(misordered) most.

    That is P(misordered) now, minus its mean over the two possible scores of their match.
    """
    order = np.argsort(-state.strengths)
    most, pair = -1.0, (order[0], order[1])
    for place in range(len(order) - 1):
        x, y = order[place], order[place + 1]
        i, j = min(x, y), max(x, y)
        chance, weight, variance = prediction(state, i, j)
        before = difference_variance(state.strength_cov, i, j)
        drop = variance_reduction(state, i, j, i, j)
        after = max(before - drop, 1e-300)
        gap = state.strengths[i] - state.strengths[j]
        # A score is about sqrt(phi) as far from its mean as a coin, and counts 1 / phi as much.
        reach = math.sqrt(drop / (state.scales[PHI] * weight * (1.0 + weight * variance)))
        won = misorder(gap + (1.0 - chance) * reach, after)
        lost = misorder(gap - chance * reach, after)
        value = misorder(gap, before) - chance * won - (1.0 - chance) * lost
        if is_pending(state, i, j):
            value *= 1e-6
        if value > most:
            most, pair = value, (x, y)
    return pair
