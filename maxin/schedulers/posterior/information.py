"""How informative a match is: the compiled choices of the posterior's schedulers.

The state may include pending matches (see `narrow` in `maxin.ratings.posterior`). A pair with a
weight but no played match has its first match pending; it is asked again only if nothing else is
informative. The symbols are those of `maxin.ratings.posterior.state_kernels`.
"""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior.advantage_kernels import (
    advantages,
    contrast,
    cov_times,
    difference_variances,
    expected_score,
)
from maxin.ratings.posterior.draw_kernels import effect_spreads, fill_draw
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    NOBODY,
    PHI,
    ROWS,
    PosteriorState,
    field_size,
    open_effects,
    open_share,
    pair_place,
)

LATE = 1e-6  # factor of the value of a match whose pair has its first match pending


@compiled
def nearest_rival(state: PosteriorState, variances: Floats, x: int) -> int:
    """The player most likely to be better than x: the one with the largest (t_y - t_x) / sd.

    `variances` are those of the strengths.
    """
    nearest, rival = -math.inf, -1
    differences = difference_variances(state, variances, x)
    for y in range(len(variances)):
        gap = (state.strengths[y] - state.strengths[x]) / math.sqrt(differences[y])
        if y != x and gap > nearest:
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
def boundary_pair(first: Floats, second: Floats, k: int) -> tuple[int, int]:
    """Two players whose membership in the top k is uncertain, as two draws show.

    x and y are the best players that are in the top k of only the first, and only the second draw;
    (-1, -1) if both have the same top.
    """
    top, other = top_places(first, k), top_places(second, k)
    x, y = -1, -1
    for player in range(len(first)):
        if top[player] > other[player] and (x < 0 or first[player] > first[x]):
            x = player
        if other[player] > top[player] and (y < 0 or second[player] > second[y]):
            y = player
    return x, y


@compiled
def drawn_match(
    state: PosteriorState,
    bases: Floats,
    row_noise: Floats,
    effect_noise: Floats,
    k: int,
    scales: tuple[float, float],
) -> tuple[int, int]:
    """The most informative match about the first boundary pair among these draws, if any.

    The first draw is compared with the others, one after another, until one has another top;
    (-1, -1) if none has. The numbers are those of `maxin.ratings.posterior.draw_kernels`; `scales`
    are the factors of the noise of the first draw and of the others.
    """
    spreads = effect_spreads(state)
    first, second = np.empty_like(state.ratings), np.empty_like(state.ratings)
    fill_draw(state, spreads, bases[0], row_noise[0], effect_noise[0], scales[0], first)
    for other in range(1, len(bases)):
        numbers = bases[other], row_noise[other], effect_noise[other]
        fill_draw(state, spreads, *numbers, scales[1], second)
        x, y = boundary_pair(first, second, k)
        if x >= 0:
            return most_informative_match(state, x, y)
    return -1, -1


@compiled
def nearest_boundary(state: PosteriorState, variances: Floats, k: int) -> tuple[int, int]:
    """The x in the top k and y outside with the largest (t_y - t_x) / sd."""
    top = top_places(state.strengths, k)
    nearest, pair = -math.inf, (0, 1)
    for x in range(len(top)):
        if top[x] == 1:
            differences = difference_variances(state, variances, x)
            for y in range(len(top)):
                gap = (state.strengths[y] - state.strengths[x]) / math.sqrt(differences[y])
                if top[y] == 0 and gap > nearest:
                    nearest, pair = gap, (x, y)
    return pair


@compiled
def variance_reductions(state: PosteriorState, cov: Floats, x: int, y: int, player: int) -> Floats:
    """By how much a match of `player` against each other would lower Var(t_x - t_y).

    It is h c^2 / (1 + h Var(A_ij)) for players i, j, where h is the information of the match and
    c = Cov(t_x - t_y, A_ij) = f (cov_i - cov_j + kappa^2 q / n). Here cov is Cov(r, t_x - t_y),
    q = m_j ([i = x] - [i = y]) - m_i ([j = x] - [j = y]), and m marks members of the field.
    """
    means, variances = advantages(state, player)
    members, unit = state.members, state.scales[KAPPA2] / field_size(state)
    shares, late = np.ones_like(means), np.ones_like(means)
    end = state.heads[player]
    while end != NOBODY:
        rival = state.pairs[end // 2, 1 - end % 2]
        shares[rival] = open_share(state, end // 2)
        if state.played[end // 2] == 0.0:
            late[rival] = LATE
        end = state.nexts[end]
    sides, drops = np.zeros_like(means), np.zeros_like(means)
    sides[x], sides[y] = 1.0, -1.0
    for rival in range(len(means)):
        if rival != player:
            sign = members[rival] * sides[player] - members[player] * sides[rival]
            teaches = shares[rival] * (cov[player] - cov[rival] + unit * sign)
            weight = expected_score(means[rival], variances[rival])[1] / state.scales[PHI]
            drop = weight * teaches * teaches / (1.0 + weight * variances[rival])
            drops[rival] = drop * late[rival]
    return drops


@compiled
def most_informative_match(state: PosteriorState, x: int, y: int) -> tuple[int, int]:
    """The match of x or y that lowers Var(t_x - t_y) most: the best to learn who is stronger.

    In all runs tried, no match between two other players was ever more informative.
    """
    most, first, second = -1.0, x, y
    cov = cov_times(state, contrast(state, x, y))
    for player in (x, y):
        drops = variance_reductions(state, cov, x, y, player)
        for rival in range(len(drops)):
            if rival != x and rival != player and drops[rival] > most:
                most, first, second = drops[rival], player, rival
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
    order, members, n_members = np.argsort(-state.strengths), state.members, field_size(state)
    open_sums = open_effects(state)
    unit = state.scales[KAPPA2] / (n_members * n_members)
    most, pair = -1.0, (order[0], order[1])
    for place in range(len(order) - 1):
        x, y = order[place], order[place + 1]
        between, before = contrast_moments(state, x, y)
        mean, variance, share, is_late = advantage(state, x, y)
        chance, slope = expected_score(mean, variance)
        weight = slope / state.scales[PHI]
        own = open_sums[x] + open_sums[y] + 2.0 * share * members[x] * members[y]
        before = max(before + unit * own, 1e-300)
        teaches = share * (between + unit * n_members * (members[x] + members[y]))
        drop = weight * teaches * teaches / (1.0 + weight * variance)
        after = max(before - drop, 1e-300)
        gap = state.strengths[x] - state.strengths[y]
        # A score is about sqrt(phi) as far from its mean as a coin, and counts 1 / phi as much.
        reach = math.sqrt(drop / (state.scales[PHI] * weight * (1.0 + weight * variance)))
        won = misorder(gap + (1.0 - chance) * reach, after)
        lost = misorder(gap - chance * reach, after)
        value = misorder(gap, before) - chance * won - (1.0 - chance) * lost
        if is_late:
            value *= LATE
        if value > most:
            most, pair = value, (x, y)
    return pair


@compiled
def contrast_moments(state: PosteriorState, x: int, y: int) -> tuple[float, float]:
    """Cov(r_x - r_y, p'r) and Var(p'r) for the contrast p of x and y."""
    vector = contrast(state, x, y)
    product = np.zeros_like(vector)
    for z in range(len(vector)):
        if vector[z] != 0.0:
            product += vector[z] * state.base_cov[z]
    between, variance = product[x] - product[y], (vector * product).sum()
    for k in range(state.counts[ROWS]):
        amount = (vector * state.rows[k]).sum()
        between -= amount * (state.rows[k, x] - state.rows[k, y])
        variance -= amount * amount
    return between, variance


@compiled
def advantage(state: PosteriorState, x: int, y: int) -> tuple[float, float, float, bool]:
    """Mean and variance of A_xy, the pair's f, and whether its first match is pending."""
    pair, kappa2 = pair_place(state, min(x, y), max(x, y)), state.scales[KAPPA2]
    cov = state.base_cov[x, y]
    for k in range(state.counts[ROWS]):
        cov -= state.rows[k, x] * state.rows[k, y]
    gap = max(state.rating_var[x] + state.rating_var[y] - 2.0 * cov, 0.0)
    mean = state.ratings[x] - state.ratings[y]
    if pair == NOBODY:
        return mean, gap + kappa2, 1.0, False
    share = open_share(state, pair)
    mean += state.effects[pair] if x < y else -state.effects[pair]
    return mean, share * share * gap + kappa2 * share, share, state.played[pair] == 0.0
