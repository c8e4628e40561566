"""Random fields: players drawn with a given spread, amount of cycles and share of draws."""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from maxin.core import InvalidInput, Match, check_match, check_name
from maxin.games.base import Game
from maxin.games.limits import check_amount, check_size
from maxin.games.payoffs import Table

MOST_SPREAD = 10.0  # with a larger one, nearly certain wins would round to certain ones
MOST_TRIES = 100_000  # how many fields to draw in search of one with the requested gap
SPARSE = 0.1  # the share of pairs with an effect if cycles are "sparse"


class DrawishGame(Game):
    """A game with draws, which are rarer the clearer the favourite; mean scores are as in `Game`.

    Args:
        name: What to call the game.
        payoffs: See `Game`.
        draws: The share of draws between equal players; P(draw) = 2 draws min(P, 1 - P).

    >>> game = DrawishGame("careful", [[0.0, 0.2], [-0.2, 0.0]], draws=0.5)
    >>> rng = np.random.default_rng(0)
    >>> [game.play(Match(0, 1), rng) for _ in range(5)]
    [1.0, 0.5, 0.5, 0.5, 0.0]
    """

    def __init__(self, name: str, payoffs: ArrayLike, draws: float) -> None:
        super().__init__(name, payoffs)
        self.draws = check_amount(draws, "draws", most=1.0)

    def play(self, match: Match, rng: np.random.Generator) -> float:
        """Simulate one match: the first player's score, 1.0, 0.5 or 0.0, with mean P."""
        check_match(match, self.n_players)
        chance = self.probabilities.item(*match)
        drawn = 2.0 * self.draws * min(chance, 1.0 - chance)
        luck = rng.random()
        if luck < drawn:
            return 0.5
        return 1.0 if luck < chance + drawn / 2.0 else 0.0


def field(
    rng: np.random.Generator,
    *,
    n_players: int = 30,
    most_players: int | None = None,
    spread: float = 1.0,
    most_spread: float | None = None,
    kappa: float = 0.0,
    cycles: str = "free",
    draws: float = 0.0,
    least_gap: float = 0.0,
    most_gap: float = math.inf,
) -> Game:
    """A random field: normal ratings, with pair effects for cycles; logit P = r_i - r_j + e_ij.

    Args:
        rng: Draws the players.
        n_players: How many players, or the smallest number if it is drawn.
        most_players: The largest number of players; None for exactly `n_players`.
        spread: Standard deviation of the ratings in nats, or the smallest one if it is drawn.
        most_spread: The largest standard deviation; None for exactly `spread`.
        kappa: Standard deviation of the pair effects in nats; 0 for a game without cycles.
        cycles: "free": every pair has an effect of its own. "sparse": every tenth pair has one.
            "low-rank": effects are kappa (x_i y_j - y_i x_j) with normal x and y.
        draws: Share of draws between equal players.
        least_gap: The smallest lead of the best player over the second, in nats.
        most_gap: The largest lead, in nats.

    >>> field(np.random.default_rng(0), n_players=3).ratings
    array([-0.3365,  0.436, -0.0995])
    """
    largest = check_size(int(_most(check_size(n_players), most_players, "most_players")))
    widest = _most(check_amount(spread, "spread"), most_spread, "most_spread")
    check_amount(widest, "spread", MOST_SPREAD)
    check_amount(kappa, "kappa", MOST_SPREAD)
    check_name(cycles, ("free", "sparse", "low-rank"), "kind of cycles")
    for _ in range(MOST_TRIES):
        size = int(rng.integers(n_players, largest + 1))
        ratings = rng.uniform(spread, widest) * rng.standard_normal(size)
        advantages = ratings[:, None] - ratings[None, :]
        if kappa > 0.0:
            advantages += kappa * _effects(cycles, size, rng)
        second, best = np.sort(advantages.mean(axis=1))[-2:]
        if least_gap <= best - second <= most_gap:
            return _game(2.0 * scipy.special.expit(advantages) - 1.0, draws)
    raise InvalidInput(
        f"none of {MOST_TRIES:,} fields had a gap from {least_gap:g} to {most_gap:g} nats between "
        f"the best two players; choose a wider range"
    )


def _game(payoffs: Table, draws: float) -> Game:
    fair = (payoffs - payoffs.T) / 2.0  # expit is antisymmetric only up to the last bit
    return DrawishGame("field", fair, draws) if draws else Game("field", fair)


def _most(least: float, most: float | None, what: str) -> float:
    """The upper end of a range whose lower end is `least`."""
    if most is None:
        return least
    if most < least:
        raise InvalidInput(f"{what} must be at least {least:g}, the range's start; got {most:g}")
    return most


def _effects(cycles: str, n_players: int, rng: np.random.Generator) -> Table:
    """Antisymmetric effects with standard deviation 1."""
    if cycles == "low-rank":
        one, two = rng.standard_normal((2, n_players))
        return np.outer(one, two) - np.outer(two, one)
    above = np.triu(rng.standard_normal((n_players, n_players)), k=1)
    if cycles == "sparse":
        above *= rng.random(above.shape) < SPARSE
    return above - above.T
