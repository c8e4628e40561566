"""Transitive games: the stronger of any two players is the favourite."""

from __future__ import annotations

import math

import numpy as np
import scipy

from maxin.core import InvalidInput, check_name
from maxin.games.base import Game
from maxin.games.limits import check_amount, check_count, check_pool, check_size
from maxin.games.payoffs import Table, from_pool, seat_average

MOST_SPREAD = 10.0  # with a larger one, nearly certain wins would round to certain ones, P = 0.99
NOISE_KINDS = ("fair", "seat", "pool")


def elo_game(
    rng: np.random.Generator,
    *,
    n_players: int = 100,
    spread: float = 3.3,
    noise: float = 0.0,
    noise_kind: str = "fair",
    pool: int = 0,
) -> Game:
    """Elo ratings decide: i beats j with probability sigmoid(r_i - r_j), with optional noise.

    The paper's files follow `spread=3.3235,pool=1000`: ratings uniform over 2000 Elo points. Their
    noise of 0.01 and 0.05 is of the kind "seat", on the players of the file without noise; their
    noise of 0.1 is of the kind "pool", on other players. The files differ in the players drawn.

    Args:
        rng: Draws the players.
        n_players: How many players to draw.
        spread: Standard deviation, in nats, of the ratings, which are uniform.
        noise: Standard deviation of the normal noise added to each payoff.
        noise_kind: "fair": one draw per pair, added and clipped to [-1, 1]. "seat": one draw per
            pair and seat, added and clipped, then the seats are averaged. "pool": one draw per pair
            and seat of the pool, averaged over the seats, before the pool's payoffs are scaled.
        pool: Draw this many players, scale payoffs so that the largest is 1, and take `n_players`
            of them, evenly spaced by strength (see `from_pool`); 0 for no pool.

    >>> elo_game(np.random.default_rng(0), n_players=3).mean_scores
    array([0.828, 0.482, 0.19 ])
    >>> elo_game(np.random.default_rng(0), n_players=3, pool=1000).mean_scores
    array([0.825, 0.504, 0.172])
    """
    check_name(noise_kind, NOISE_KINDS, "kind of noise")
    if noise_kind != "fair" and check_amount(noise, "noise") == 0.0:
        raise InvalidInput(f"noise_kind={noise_kind!r} needs a noise above 0; got noise={noise!r}")
    size = check_pool(pool, check_size(n_players))
    half_range = math.sqrt(3.0) * _check_spread(spread)
    ratings = rng.uniform(-half_range, half_range, size)
    payoffs = 2.0 * scipy.special.expit(_differences(ratings)) - 1.0
    if check_amount(noise, "noise") > 0.0 and noise_kind == "pool":
        payoffs = _noise_of_the_pool(payoffs, noise, pool, rng)
    if pool:
        payoffs = from_pool(payoffs, n_players, rng)
    if noise > 0.0 and noise_kind != "pool":
        payoffs = _noise_of_the_game(payoffs, noise, noise_kind, rng)
    return Game(f"elo + noise={noise:g}" if noise else "elo", payoffs)


def _noise_of_the_pool(payoffs: Table, noise: float, pool: int, rng: np.random.Generator) -> Table:
    """Noise per pair and seat, averaged over the seats: normal with noise / sqrt(2) per pair."""
    if not pool:
        raise InvalidInput("noise of the kind 'pool' needs a pool of players; got pool=0")
    per_seat = rng.standard_normal(payoffs.shape)
    noisy: Table = payoffs + noise * (per_seat - per_seat.T) / 2.0
    return noisy


def _noise_of_the_game(payoffs: Table, noise: float, kind: str, rng: np.random.Generator) -> Table:
    """Noise per pair, or per pair and seat, clipped to [-1, 1] before seats are averaged."""
    draws = rng.standard_normal(payoffs.shape)
    if kind == "fair":
        above = np.triu(draws, k=1)
        draws = above - above.T
    return seat_average(np.clip(payoffs + noise * draws, -1.0, 1.0), "elo")


def transitive(rng: np.random.Generator, *, n_players: int = 100, pool: int = 0) -> Game:
    """Uniform strengths decide: the payoff is u_i - u_j, with u in [-1/2, 1/2].

    The paper's file follows `pool=1000`; it differs in the players drawn.

    Args:
        rng: Draws the players.
        n_players: How many players to draw.
        pool: Draw this many and take `n_players` of them, as in `elo_game`; 0 for no pool.

    >>> transitive(np.random.default_rng(0), n_players=3).payoffs[0]
    array([0.   , 0.367, 0.596])
    """
    payoffs = _differences(rng.uniform(-0.5, 0.5, check_pool(pool, check_size(n_players))))
    return Game("transitive", from_pool(payoffs, n_players, rng) if pool else payoffs)


def triangular(rng: np.random.Generator, *, n_players: int = 100) -> Game:
    """A strict order: the better of any two players always wins.

    The paper's file is this game with its players in another order.

    >>> triangular(np.random.default_rng(0), n_players=3).payoffs.sum(axis=1)
    array([ 2., -2.,  0.])
    """
    places = rng.permutation(check_size(n_players))
    return Game("triangular", np.sign(_differences(places.astype(np.float64))))


def good_bad(rng: np.random.Generator, *, good: int = 2, bad: int = 2) -> Game:
    """Good players beat all bad ones, and narrowly beat lower-numbered good ones; bad ones tie.

    A good player's payoff against a good one with a lower number is 0.1. With two of each, this is
    the paper's file.

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
