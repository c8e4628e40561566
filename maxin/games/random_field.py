"""Fields: players drawn at random, as strong, as cyclic and as drawish as asked."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from maxin.core import InvalidInput, Match, check_match, check_name
from maxin.games.base import Game
from maxin.games.limits import check_amount, check_size
from maxin.games.payoffs import Table

MOST_SPREAD = 10.0  # beyond it a near-certain win rounds to a certain one
MOST_TRIES = 100_000  # fields drawn in search of one with the gap asked for
SPARSE = 0.1  # share of the pairs that have an effect


class DrawishGame(Game):
    """A game with draws, the rarer the clearer the favourite; mean scores are those of `Game`.

    Args:
        name: What to call the game.
        payoffs: See `Game`.
        draws: The share of draws between equals; P(draw) = 2 draws min(P, 1 - P).

    >>> game = DrawishGame("careful", [[0.0, 0.2], [-0.2, 0.0]], draws=0.5)
    >>> rng = np.random.default_rng(0)
    >>> [game.play(Match(0, 1), rng) for _ in range(5)]
    [1.0, 0.5, 0.5, 0.5, 0.0]
    """

    def __init__(self, name: str, payoffs: ArrayLike, draws: float) -> None:
        super().__init__(name, payoffs)
        self.draws = check_amount(draws, "draws", most=1.0)

    def play(self, match: Match, rng: np.random.Generator) -> float:
        """The first player's score of one match: 1.0, 0.5 or 0.0, with a mean of P."""
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
    """Normal ratings and effects of pairs decide: logit P(i beats j) = r_i - r_j + e_ij.

    Args:
        rng: Draws the players.
        n_players: How many players, or the fewest.
        most_players: The most, if their number is drawn too.
        spread: Standard deviation of the ratings in nats, or the least.
        most_spread: The largest, if it is drawn too.
        kappa: Standard deviation of the effects; 0 for a ladder.
        cycles: "free", every pair an effect of its own; "sparse", every tenth; "low-rank",
            kappa (x_i y_j - y_i x_j) with normal x and y.
        draws: Share of draws between equals.
        least_gap: By how much, in nats, the best player leads the second at least.
        most_gap: And at most.

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
            return _game(2.0 * expit(advantages) - 1.0, draws)
    raise InvalidInput(
        f"a gap from {least_gap:g} to {most_gap:g} nats between the best two did not come up in "
        f"{MOST_TRIES:,} fields; ask for a wider range"
    )


def _game(payoffs: Table, draws: float) -> Game:
    fair = (payoffs - payoffs.T) / 2.0  # the last bit of expit
    return DrawishGame("field", fair, draws) if draws else Game("field", fair)


def _most(least: float, most: float | None, what: str) -> float:
    """The upper end of a range whose lower end is `least`."""
    if most is None:
        return least
    if most < least:
        raise InvalidInput(f"{what} is at least {least:g}, where its range begins; got {most:g}")
    return most


def _effects(cycles: str, n_players: int, rng: np.random.Generator) -> Table:
    """Antisymmetric effects of size 1."""
    if cycles == "low-rank":
        one, two = rng.standard_normal((2, n_players))
        return np.outer(one, two) - np.outer(two, one)
    above = np.triu(rng.standard_normal((n_players, n_players)), k=1)
    if cycles == "sparse":
        above *= rng.random(above.shape) < SPARSE
    return above - above.T
