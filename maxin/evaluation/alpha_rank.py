"""alpha-rank: how much time an evolving population, with rare mutations, spends at each player."""

from __future__ import annotations

import numpy as np

from maxin.core import InvalidInput, check_n_players
from maxin.evaluation.checks import ROUNDING, finite_squares


def alpha_rank(
    payoffs: np.ndarray, alpha: float = np.inf, population: int = 50, perturbation: float = 0.0
) -> np.ndarray:
    """The stationary distribution of single-population alpha-rank (Omidshafiei et al. 2019).

    While everyone plays s, each other player r is tried with probability 1 / (n - 1) and takes
    over with probability rho. With d = payoff of r against s - payoff of s against r:

    - finite alpha: rho = (1 - exp(-alpha d)) / (1 - exp(-population alpha d)), or 1 / population
      if d = 0;
    - infinite alpha: rho = 1 - perturbation if d > 0, perturbation if d < 0, and 1/2 in a tie
      (|d| within rounding), so that only the signs of d matter.

    Of any two players, at least one can take over from the other. So even without perturbation
    there is a single sink component and one stationary distribution; players outside the sink
    get exactly 0. The conventions are those of OpenSpiel's `alpharank.compute([payoffs])`.

    Args:
        payoffs: shape (..., players, players), row against column; leading dimensions are
            separate games, ranked in one call.
        alpha: intensity of selection.
        population: m, the number of individuals; ignored if alpha is infinite.
        perturbation: the probability that a loser takes over; only for infinite alpha.

    Returns:
        The share of time spent at each player, shape (..., players).

    >>> alpha_rank(np.array([[0, 1, -1, 1], [-1, 0, 1, 1], [1, -1, 0, 1], [-1, -1, -1, 0]]))
    array([0.3333, 0.3333, 0.3333, 0.    ])
    >>> alpha_rank(np.array([[0.0, 0.1], [-0.1, 0.0]]), alpha=0.2, population=50)
    array([0.8765, 0.1235])
    """
    payoffs = finite_squares(payoffs, "payoffs")
    check_n_players(payoffs.shape[-1])
    _check_selection(alpha, population, perturbation)
    difference = np.swapaxes(payoffs, -1, -2) - payoffs
    if np.isinf(alpha):
        takeover = _log(_takeover_by_sign(difference, perturbation))
    else:
        takeover = _log_fixation(difference, alpha, population)
    return _stationary(takeover)


def stationary_distribution(transitions: np.ndarray) -> np.ndarray:
    """The distribution p with p = p C and sum 1 of each Markov chain C, shape (..., states).

    It is computed by elimination without subtractions (Grassmann, Taksar and Heyman, 1985), on
    logarithms: every entry is accurate even if the chain hardly mixes, and transient states get
    exactly 0.

    Args:
        transitions: C, shape (..., states, states); C[s, r] is the probability of moving from s
            to r.

    >>> stationary_distribution(np.array([[0.9, 0.1, 0.0], [0.3, 0.7, 0.0], [0.5, 0.0, 0.5]]))
    array([0.75, 0.25, 0.  ])
    """
    transitions = finite_squares(transitions, "transitions")
    sums = transitions.sum(axis=-1)
    if transitions.min() < 0.0 or np.abs(sums - 1.0).max() > 1e-9:
        raise InvalidInput(
            f"transitions must be probabilities with rows that sum to 1; the smallest is "
            f"{transitions.min()}, the sums are {sums.min()} to {sums.max()}"
        )
    return _stationary(_log(transitions))


def _check_selection(alpha: float, population: int, perturbation: float) -> None:
    if not alpha >= 0.0:
        raise InvalidInput(f"alpha, the intensity of selection, must be at least 0; got {alpha}")
    if population < 2:
        raise InvalidInput(f"a population must have at least two individuals; got {population}")
    if not 0.0 <= perturbation < 0.5:
        raise InvalidInput(f"perturbation must be a probability in [0, 1/2); got {perturbation}")
    if perturbation > 0.0 and not np.isinf(alpha):
        raise InvalidInput(
            f"only infinite alpha can be perturbed; got {perturbation} at alpha={alpha}"
        )


def _takeover_by_sign(difference: np.ndarray, perturbation: float) -> np.ndarray:
    """The limits 1 and 0 of the fixation probabilities, perturbed, and 1/2 for ties."""
    signs = np.sign(np.where(np.abs(difference) > ROUNDING, difference, 0.0))
    return np.asarray(0.5 + signs * (0.5 - perturbation))


def _log_fixation(difference: np.ndarray, alpha: float, population: int) -> np.ndarray:
    """The logarithm of rho for every pair, finite even where rho itself would round to 0."""
    with np.errstate(over="ignore"):  # an infinite exponent gives the right limit
        strength = np.minimum(alpha * np.abs(difference), np.finfo(float).max / (2 * population))
    whole = population * strength
    is_tie = strength == 0.0
    safe, safe_whole = np.where(is_tie, 1.0, strength), np.where(is_tie, 1.0, whole)
    uphill = np.log(-np.expm1(-safe)) - np.log(-np.expm1(-safe_whole))
    chance = np.where(is_tie, -np.log(population), uphill)
    return np.asarray(np.where(difference < 0.0, chance + strength - whole, chance))


def _log(values: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):  # the logarithm of 0 is minus infinity
        return np.asarray(np.log(values))


def _stationary(log_rates: np.ndarray) -> np.ndarray:
    """The stationary distribution of chains, given the logarithms of their off-diagonal rates."""
    n_states = log_rates.shape[-1]
    chains = log_rates.reshape(-1, n_states, n_states)
    order = (_recurrent_state(chains)[:, None] + np.arange(n_states)) % n_states
    each = np.arange(len(chains))[:, None]
    weights = np.empty(order.shape)
    weights[each, order] = _eliminate(chains[each[..., None], order[:, :, None], order[:, None]])
    return weights.reshape(log_rates.shape[:-1])


def _recurrent_state(chains: np.ndarray) -> np.ndarray:
    """For each chain, a state that can be reached from every state."""
    n_states = chains.shape[-1]
    reach = np.isfinite(chains) | np.eye(n_states, dtype=bool)
    for _ in range((n_states - 1).bit_length()):  # each squaring doubles the length of the paths
        reach = np.matmul(reach, reach)
    from_all = reach.all(axis=-2)
    if not from_all.any(axis=-1).all():
        raise InvalidInput(
            "a chain that can end in several sets of states has no unique stationary "
            f"distribution; chain {int((~from_all.any(axis=-1)).argmax())} is one"
        )
    return np.asarray(from_all.argmax(axis=-1))


def _eliminate(rates: np.ndarray) -> np.ndarray:
    """The stationary distribution, by removing the last state repeatedly; state 0 is recurrent.

    Nothing is subtracted and all numbers are logarithms, so rates of any size are handled.
    """
    for last in range(rates.shape[-1] - 1, 0, -1):
        leave = rates[:, last, :last]
        rates[:, :last, last] -= np.logaddexp.reduce(leave, axis=-1)[:, None]
        through = rates[:, :last, last, None] + leave[:, None]
        rates[:, :last, :last] = np.logaddexp(rates[:, :last, :last], through)
    weights = np.zeros(rates.shape[:-1])
    for state in range(1, rates.shape[-1]):
        weights[:, state] = np.logaddexp.reduce(
            weights[:, :state] + rates[:, :state, state], axis=-1
        )
    return np.asarray(np.exp(weights - np.logaddexp.reduce(weights, axis=-1, keepdims=True)))
