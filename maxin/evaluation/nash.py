"""Nash averaging: rate players by their advantage over the most even mixture that nobody beats."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.core import InvalidInput
from maxin.core.linalg import one_blas_thread
from maxin.evaluation.checks import finite_square

_TOLERANCE = 1e-9  # a player may beat the equilibrium by this share of the largest advantage
_MOST_STEPS = 100  # about 20 are needed; the weights are an equilibrium after any number of steps


class NashMixture(NamedTuple):
    """`weights` is the equilibrium p; `skills` is A p: 0 where p > 0, at most 0 elsewhere."""

    weights: np.ndarray
    skills: np.ndarray


def nash_average(advantages: np.ndarray) -> NashMixture:
    """The maximum-entropy Nash equilibrium of an antisymmetric game (Balduzzi et al. 2018).

    Equilibria are the p >= 0 with sum 1 and A p <= 0; the one of maximum entropy is unique.
    Copies of a player get equal weights. If the equilibrium is unique, the copies share the
    weight that the player would have alone.

    Args:
        advantages: A, the log-odds (or payoffs) of row against column, with A' = -A.

    >>> rock_hits_scissors_hard = np.array([[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-2.0, 1.0, 0.0]])
    >>> nash_average(rock_hits_scissors_hard).weights
    array([0.25, 0.5 , 0.25])
    >>> nash_average(np.array([[0.0, 3.0], [-3.0, 0.0]])).skills
    array([ 0., -3.])
    """
    advantages = _check_antisymmetric(advantages)
    unit = advantages / max(float(np.abs(advantages).max()), np.finfo(float).tiny)
    with one_blas_thread():
        weights = _equilibrium(unit)
    return NashMixture(weights, advantages @ weights)


def _equilibrium(unit: np.ndarray) -> np.ndarray:
    """The maximum-entropy equilibrium of a game with entries in [-1, 1].

    If players are too nearly tied to resolve it, the central equilibrium is returned instead.
    """
    central, slack = _central_equilibrium(unit)
    support = central > slack
    weights = np.zeros(len(unit))
    try:
        weights[support] = _most_even(
            central[support], unit[np.ix_(support, support)], unit[np.ix_(~support, support)]
        )
    except np.linalg.LinAlgError:
        return central
    return weights if (unit @ weights).max() < _TOLERANCE else central


def _check_antisymmetric(advantages: np.ndarray) -> np.ndarray:
    advantages = finite_square(advantages, "advantages")
    gap = np.abs(advantages + advantages.T)
    if gap.max() > 1e-9 * max(1.0, float(np.abs(advantages).max())):
        x, y = (int(i) for i in np.unravel_index(gap.argmax(), gap.shape))
        raise InvalidInput(
            f"advantages must be antisymmetric, A' = -A; entries ({x}, {y}) and ({y}, {x}) are "
            f"{advantages[x, y]} and {advantages[y, x]} (take (A - A') / 2 to average the seats)"
        )
    return np.asarray((advantages - advantages.T) / 2.0)


def _central_equilibrium(advantages: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An equilibrium p that includes every player that any equilibrium uses, and its slack -A p.

    It lies at the end of the central path of the game's linear program. For each level > 0 there
    is one p > 0 with slack s = level - A p > 0 and p_i s_i = level / n for every player i. Newton
    steps follow this path as the level falls to 0, where exactly one of p_i and s_i stays positive
    (Goldman and Tucker, 1956). Weights or slacks below about 1e-7 of the largest count as 0.
    """
    n_players, level = len(advantages), 2.0
    weights = np.full(n_players, 1.0 / n_players)
    slack = level - advantages @ weights
    while level > 1e-14:
        fall = -0.8 * level
        change = np.linalg.solve(
            np.diag(slack) - weights[:, None] * advantages,
            (level + fall) / n_players - weights * (slack + fall),
        )
        slack_change = fall - advantages @ change
        length = _step_length((weights, change), (slack, slack_change))
        weights = weights + length * change
        slack = slack + length * slack_change
        level += length * fall
    return weights / weights.sum(), slack


def _most_even(start: np.ndarray, zero: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The p > 0 of maximum entropy with sum 1, `zero` p = 0 and `below` p <= 0.

    `start` is positive and satisfies all constraints except for the sum.
    """
    _, sizes, directions = np.linalg.svd(zero)
    rank = int(np.count_nonzero(sizes > 1e-9))
    if rank >= len(start) - 1:  # the equilibrium is unique, so there is nothing to choose
        weights = np.abs(directions[-1])
        return np.asarray(weights / weights.sum())
    equal = np.vstack([directions[:rank], np.ones(len(start))])
    weights, tight = _maximum_entropy(start / start.sum(), equal, below)
    if len(below):  # the tight inequalities are known now: solve exactly with them as equations
        return _most_even(weights, np.vstack([zero, below[tight]]), below[:0])
    return weights


def _maximum_entropy(
    weights: np.ndarray, equal: np.ndarray, below: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Maximise -sum p log p subject to `equal` p = (0, ..., 0, 1) and `below` p <= 0.

    A primal-dual interior-point method (Boyd and Vandenberghe, Convex Optimization, 11.7) on

        log p + 1 + equal' y + below' z = 0,   slack z = level,   slack = -below p,

    while the level falls to 0. Returns p, and for each row of `below` whether it is tight.
    """
    slack = np.maximum(-below @ weights, 1e-9)  # kept positive, however close to a tie the game is
    prices, multipliers = 0.1 / slack, np.zeros(len(equal))  # z and y
    for _ in range(_MOST_STEPS):
        level = max(0.1 * float(np.mean(prices * slack)), 1e-13) if len(below) else 0.0
        uneven = np.log(weights) + 1.0 + multipliers @ equal + prices @ below
        if level < 1e-12 and np.abs(uneven).max() < 1e-10:
            break
        missed = prices - level / slack
        change, multiplier_change = _newton_step(
            (1.0 / weights, prices / slack), equal, below, missed @ below - uneven, weights
        )
        price_change = prices / slack * (below @ change) - missed
        slack_change = -below @ change
        length = _step_length((weights, change), (slack, slack_change), (prices, price_change))
        weights = weights + length * change
        slack = slack + length * slack_change
        multipliers = multipliers + length * multiplier_change
        prices = prices + length * price_change
    return weights, prices > slack


def _newton_step(
    curvatures: tuple[np.ndarray, np.ndarray],
    equal: np.ndarray,
    below: np.ndarray,
    uphill: np.ndarray,
    weights: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The changes of p and y that solve the linearised conditions, with z eliminated."""
    of_entropy, of_slack = curvatures
    n_equal = len(equal)
    system = np.block(
        [
            [np.diag(of_entropy) + (below.T * of_slack) @ below, equal.T],
            [equal, np.zeros((n_equal, n_equal))],
        ]
    )
    astray = np.append(np.zeros(n_equal - 1), 1.0) - equal @ weights
    solution = np.linalg.solve(system, np.concatenate([uphill, astray]))
    return solution[: len(weights)], solution[len(weights) :]


def _step_length(*moves: tuple[np.ndarray, np.ndarray]) -> float:
    """The step length: at most 1, and at most 9/10 of the way to where a value would reach 0."""
    fastest = max(float(np.max(-change / value, initial=0.0)) for value, change in moves)
    return min(1.0, 0.9 / max(fastest, 0.9))
