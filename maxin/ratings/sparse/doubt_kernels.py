"""How likely players are to be better than the leaders, by a sparse posterior; compiled."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior.advantage_kernels import expected_score
from maxin.ratings.posterior.relaxation_kernels import pair_surprise
from maxin.ratings.posterior.state_kernels import KAPPA2, NOBODY, PHI, SPREAD2, open_share
from maxin.ratings.sparse.sparse_state import SparseState

N_POINTS = 96  # of the quadrature
REACH = 6.0  # how many standard deviations it extends
BEYOND = 2.5  # and how many times as far as the levels, for the tail of the prior
HOPELESS = 1e-15  # players whose normal chance is below this are not integrated
MOST_RIVALS = 24  # players with more rivals have a rating that is close to normal


@compiled
def normal_tail(gap: float, variance: float) -> float:
    """P(a normal variable with this variance is larger than its mean by `gap`)."""
    return 0.5 * math.erfc(gap / math.sqrt(2.0 * variance))


@compiled
def fill_chances(state: SparseState, mean: float, variance: float, chances: Floats) -> None:
    """Fill in P(r_x > level) for every member, where the level is normal; 0 for others."""
    for x in range(len(chances)):
        chances[x] = 0.0
        if state.members[x]:
            total = variance + 1.0 / state.precisions[x]
            chances[x] = normal_tail(mean - state.ratings[x], total)


@compiled
def rival_before(state: SparseState, end: int) -> tuple[float, float]:
    """Mean and precision of the rival's rating without the matches of this pair.

    `end` is the player's end of the pair.
    """
    pair, other = end // 2, end + 1 - 2 * (end % 2)
    rival, sign = state.pairs[pair, 1 - end % 2], 1.0 - 2.0 * (other % 2)
    least = 1.0 / state.scales[SPREAD2]
    precision = max(state.precisions[rival] - state.messages[other], least)
    surprise, _ = pair_surprise(state, pair)
    pull = surprise + state.weights[pair] * state.effects[pair]
    push = sign * open_share(state, pair) * pull
    return state.ratings[rival] - push / precision, precision


@compiled
def heavy_prior(state: SparseState, grid: Floats) -> Floats:
    """Student's log density with four degrees of freedom and the variance s^2.

    With it, few matches cannot rule out that a player is far better than all others.
    """
    logs: Floats = -2.5 * np.log(1.0 + 0.5 * grid * grid / state.scales[SPREAD2])
    return logs


@compiled
def normal_prior(state: SparseState, grid: Floats) -> Floats:
    """The log density of N(0, s^2), up to a constant."""
    logs: Floats = -0.5 * grid * grid / state.scales[SPREAD2]
    return logs


@compiled
def log_density(state: SparseState, x: int, grid: Floats, prior: Floats) -> Floats:
    """The logarithm of the density of r_x on a grid, up to a constant.

    It is the prior times the likelihood of each pair's results, averaged over the rival's rating
    without them and over the pair's effect.
    """
    logs: Floats = prior.copy()
    end = state.heads[x]
    while end != NOBODY:
        pair = end // 2
        mean, precision = rival_before(state, end)
        variance = 1.0 / precision + state.scales[KAPPA2]
        points = state.points[pair]
        if end % 2 == 1:
            points = state.played[pair] - points
        lost = state.played[pair] - points
        for place in range(len(grid)):
            chance, _ = expected_score(grid[place] - mean, variance)
            log_odds = points * math.log(max(chance, 1e-300))
            log_odds += lost * math.log(max(1.0 - chance, 1e-300))
            logs[place] += log_odds / state.scales[PHI]
        end = state.nexts[end]
    return logs


@compiled
def fill_outsiders(
    state: SparseState,
    contenders: Ints,
    levels: Floats,
    shares: Floats,
    logs: Floats,
    tails: Floats,
) -> None:
    """Fill in log P(no outsider's rating is above a level), and each one's chance to be above.

    Outsiders are independent. The levels are evenly spaced, and `tails` is the mean of
    P(r_x > level) with the weights `shares`; 0 for contenders and for players who left.
    """
    is_inside, chances = np.zeros(len(tails), dtype=np.bool_), np.empty_like(levels)
    is_inside[contenders] = True
    logs[:] = 0.0
    for x in range(len(tails)):
        tails[x] = 0.0
        if state.members[x] and not is_inside[x]:
            fill_survival(state, x, levels, chances)
            for place in range(len(levels)):
                logs[place] += math.log1p(-min(chances[place], 1.0 - 1e-12))
                tails[x] += shares[place] * chances[place]


@compiled
def fill_survival(state: SparseState, x: int, levels: Floats, chances: Floats) -> None:
    """Fill in P(r_x > level): normal, or by quadrature if x met few rivals."""
    deviation = 1.0 / math.sqrt(state.precisions[x])
    for place in range(len(levels)):
        gap = levels[place] - state.ratings[x]
        chances[place] = normal_tail(gap, deviation * deviation)
    if state.degrees[x] > MOST_RIVALS or chances[0] < HOPELESS:
        return
    low = state.ratings[x] - REACH * deviation
    high = max(state.ratings[x] + REACH * deviation, levels[-1] + deviation)
    grid = np.linspace(low, high, N_POINTS)
    logs = log_density(state, x, grid, normal_prior(state, grid))
    density = np.exp(logs - logs.max())
    step, total = grid[1] - grid[0], density.sum()
    above = np.cumsum(density[::-1])[::-1] / total  # of all points from each one on
    for place in range(len(levels)):
        at = (levels[place] - low) / step + 0.5
        point = min(max(int(at), 0), N_POINTS - 2)
        part = min(max(at - point, 0.0), 1.0)
        chance = (1.0 - part) * above[point] + part * above[point + 1]
        chances[place] = chance


@compiled
def tail_doubt(state: SparseState, x: int, means: Floats, variances: Floats) -> float:
    """The sum over levels of P(r_x > level), by quadrature: x met few, and is not quite normal."""
    deviation = 1.0 / math.sqrt(state.precisions[x])
    low = state.ratings[x] - REACH * deviation
    high = state.ratings[x] + REACH * deviation
    for level in range(len(means)):
        high = max(high, BEYOND * means[level] + REACH * math.sqrt(variances[level]))
    grid = np.linspace(low, high, N_POINTS)
    logs = log_density(state, x, grid, heavy_prior(state, grid))
    density = np.exp(logs - logs.max())
    doubt = 0.0
    for place in range(N_POINTS):
        for level in range(len(means)):
            doubt += density[place] * normal_tail(means[level] - grid[place], variances[level])
    return float(doubt / density.sum())


@compiled
def fill_doubts(
    state: SparseState,
    contenders: Ints,
    top: Ints,
    means: Floats,
    variances: Floats,
    doubts: Floats,
) -> None:
    """Fill in, for every member, the sum over levels of P(r_x > level) that contenders lack.

    Levels are the ratings of the top. Contenders are counted elsewhere by a normal distribution;
    here they have what their real tails add to it. Players of the top have 0.
    """
    is_inside = np.zeros(len(doubts), dtype=np.bool_)
    is_top = np.zeros(len(doubts), dtype=np.bool_)
    is_inside[contenders] = True
    is_top[top] = True
    for x in range(len(doubts)):
        doubts[x] = 0.0
        if not state.members[x] or is_top[x]:
            continue
        normal = 0.0
        for level in range(len(means)):
            variance = variances[level] + 1.0 / state.precisions[x]
            normal += normal_tail(means[level] - state.ratings[x], variance)
        doubt = normal
        if state.degrees[x] <= MOST_RIVALS:
            doubt = max(normal, tail_doubt(state, x, means, variances))
        doubts[x] = doubt - normal if is_inside[x] else doubt
