"""Transitive games: the stronger of any two players is the favourite."""

from __future__ import annotations

import math

import numpy as np
import scipy

from maxin.core import InvalidInput
from maxin.games.base import Game
from maxin.games.limits import check_amount, check_count, check_size
from maxin.games.payoffs import Table

MOST_SPREAD = 10.0  # with a larger one, nearly certain wins would round to certain ones, P = 0.99


def elo_game(
    rng: np.random.Generator, *, n_players: int = 100, spread: float = 3.3, noise: float = 0.0
) -> Game:
    """Elo ratings decide: i beats j with probability sigmoid(r_i - r_j), with optional noise.

    Args:
        rng: Draws the players.
        n_players: How many players to draw.
        spread: Standard deviation, in nats, of the ratings, which are uniform.
        noise: Standard deviation of the normal noise added to each payoff, fair to both seats.

    >>> elo_game(np.random.default_rng(0), n_players=3).mean_scores
    array([0.828, 0.482, 0.19 ])
    """
    half_range = math.sqrt(3.0) * _check_spread(spread)
    ratings = rng.uniform(-half_range, half_range, check_size(n_players))
    payoffs = 2.0 * scipy.special.expit(_differences(ratings)) - 1.0
    if check_amount(noise, "noise") == 0.0:
        return Game("elo", payoffs)
    above = np.triu(rng.standard_normal(payoffs.shape), k=1)
    noisy = payoffs + noise * (above - above.T)
    return Game(f"elo + noise={noise:g}", np.clip(noisy, -1.0, 1.0))


def transitive(rng: np.random.Generator, *, n_players: int = 100) -> Game:
    """Uniform strengths decide: the payoff is u_i - u_j, with u in [-1/2, 1/2].

    >>> transitive(np.random.default_rng(0), n_players=3).payoffs[0]
    array([0.   , 0.367, 0.596])
    """
    return Game("transitive", _differences(rng.uniform(-0.5, 0.5, check_size(n_players))))


def triangular(rng: np.random.Generator, *, n_players: int = 100) -> Game:
    """A strict order: the better of any two players always wins.

    >>> triangular(np.random.default_rng(0), n_players=3).payoffs.sum(axis=1)
    array([ 2., -2.,  0.])
    """
    places = rng.permutation(check_size(n_players))
    return Game("triangular", np.sign(_differences(places.astype(np.float64))))


def good_bad(rng: np.random.Generator, *, good: int = 2, bad: int = 2) -> Game:
    """Good players beat all bad ones, and narrowly beat lower-numbered good ones; bad ones tie.

    A good player's payoff against a good one with a lower number is 0.1.

    >>> good_bad(np.random.default_rng(0), good=2, bad=1).payoffs
    array([[ 0. , -0.1,  1. ],
           [ 0.1,  0. ,  1. ],
           [-1. , -1. ,  0. ]])
    """
    check_count(good, "good", least=1, most=2_500)
    check_count(bad, "bad", least=1, most=2_500)
    payoffs = np.zeros((good + bad, good + bad))
    payoffs[:good, good:] = 1.0
    payoffs[good:, :good] = -1.0
    payoffs[:good, :good] = 0.1 * np.sign(_differences(np.arange(float(good))))
    return Game(f"{good} good, {bad} bad", payoffs)


def _differences(values: Table) -> Table:
    """Every value minus every other, shape (players, players)."""
    differences: Table = values[:, None] - values[None, :]
    return differences


def _check_spread(spread: float) -> float:
    if spread <= 0.0:
        raise InvalidInput(f"spread must be above 0, or all players would be equal; got {spread}")
    return check_amount(spread, "spread", most=MOST_SPREAD)
