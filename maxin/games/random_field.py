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
    """A game with draws; mean scores are as in `Game`.

    Args:
        name: What to call the game.
        payoffs: See `Game`.
        draws: The share of draws between equal players.
        steady: Whether all pairs draw as often, as far as their mean score permits. Otherwise
            draws are rarer the clearer the favourite: P(draw) = 2 draws min(P, 1 - P).

    >>> game = DrawishGame("careful", [[0.0, 0.2], [-0.2, 0.0]], draws=0.5)
    >>> rng = np.random.default_rng(0)
    >>> [game.play(Match(0, 1), rng) for _ in range(5)]
    [1.0, 0.5, 0.5, 0.5, 0.0]
    """

    def __init__(
        self, name: str, payoffs: ArrayLike, draws: float, *, steady: bool = False
    ) -> None:
        super().__init__(name, payoffs)
        self.draws, self.steady = check_amount(draws, "draws", most=1.0), steady

    def play(self, match: Match, rng: np.random.Generator) -> float:
        """Simulate one match: the first player's score, 1.0, 0.5 or 0.0, with mean P."""
        check_match(match, self.n_players)
        chance = self.probabilities.item(*match)
        most = 2.0 * min(chance, 1.0 - chance)
        drawn = min(self.draws, most) if self.steady else self.draws * most
        luck = rng.random()
        if luck < drawn:
            return 0.5
        return 1.0 if luck < chance + drawn / 2.0 else 0.0


class PairedGame(Game):
    """A match is two games from one opening, which favours the first player of the first game.

    The seats are swapped for the second game, so the first player of the match wins its games with
    log-odds A + bias and A - bias. P is the mean of both: the ratings are those of whole matches.

    Args:
        name: What to call the game.
        advantages: The log-odds A of the row's player against the column's.
        bias: What an opening is worth, in nats.

    >>> game = PairedGame("chess", [[0.0, 0.0], [0.0, 0.0]], bias=3.0)
    >>> rng = np.random.default_rng(0)
    >>> [game.play(Match(0, 1), rng) for _ in range(5)]
    [0.5, 1.0, 0.5, 0.5, 0.5]
    """

    def __init__(self, name: str, advantages: ArrayLike, bias: float) -> None:
        self.advantages = np.asarray(advantages, dtype=np.float64)
        self.bias = check_amount(bias, "openings", MOST_SPREAD)
        with_it, against_it = (scipy.special.expit(self.advantages + b) for b in (bias, -bias))
        super().__init__(name, _fair(with_it + against_it - 1.0))

    def play(self, match: Match, rng: np.random.Generator) -> float:
        """Simulate one match: the mean of the first player's two scores."""
        check_match(match, self.n_players)
        advantage = self.advantages.item(*match)
        chances = scipy.special.expit([advantage + self.bias, advantage - self.bias])
        return float((rng.random(2) < chances).mean())


class GradedGame(Game):
    """A match has a graded score, Beta distributed with mean P and variance phi P (1 - P).

    Args:
        name: What to call the game.
        payoffs: See `Game`.
        phi: Between 0 and 1; 1 would be a coin.

    >>> game = GradedGame("essays", [[0.0, 0.2], [-0.2, 0.0]], phi=0.1)
    >>> rng = np.random.default_rng(0)
    >>> [round(game.play(Match(0, 1), rng), 2) for _ in range(3)]
    [0.54, 0.39, 0.62]
    """

    def __init__(self, name: str, payoffs: ArrayLike, phi: float) -> None:
        super().__init__(name, payoffs)
        self.phi = check_amount(phi, "graded", most=1.0)

    def play(self, match: Match, rng: np.random.Generator) -> float:
        """Simulate one match: the first player's grade, with mean P."""
        check_match(match, self.n_players)
        chance, size = self.probabilities.item(*match), 1.0 / self.phi - 1.0
        return float(rng.beta(chance * size, (1.0 - chance) * size))


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
    steady_draws: float = 0.0,
    openings: float | None = None,
    graded: float = 0.0,
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
        draws: Share of draws between equal players, fewer the clearer the favourite.
        steady_draws: Share of draws between any players; see `DrawishGame`.
        openings: Matches have two games; what an opening is worth in nats; see `PairedGame`.
        graded: Scores are graded, with this dispersion; see `GradedGame`.
        least_gap: The smallest lead of the best player over the second, in nats.
        most_gap: The largest lead, in nats.

    >>> field(np.random.default_rng(0), n_players=3).ratings
    array([-0.3365,  0.436, -0.0995])
    """
    largest = check_size(int(_most(check_size(n_players), most_players, "most_players")))
    widest = _most(check_amount(spread, "spread"), most_spread, "most_spread")
    check_amount(widest, "spread", MOST_SPREAD)
    check_amount(kappa, "kappa", MOST_SPREAD)
    if sum(bool(scoring) for scoring in (draws, steady_draws, openings is not None, graded)) > 1:
        raise InvalidInput(
            "a field has draws, steady_draws, openings or graded scores, not several"
        )
    check_name(cycles, ("free", "sparse", "low-rank"), "kind of cycles")
    for _ in range(MOST_TRIES):
        size = int(rng.integers(n_players, largest + 1))
        ratings = rng.uniform(spread, widest) * rng.standard_normal(size)
        advantages = ratings[:, None] - ratings[None, :]
        if kappa > 0.0:
            advantages += kappa * _effects(cycles, size, rng)
        second, best = np.sort(advantages.mean(axis=1))[-2:]
        if least_gap <= best - second <= most_gap:
            if openings is not None:
                return PairedGame("field", advantages, openings)
            return _game(2.0 * scipy.special.expit(advantages) - 1.0, draws, steady_draws, graded)
    raise InvalidInput(
        f"none of {MOST_TRIES:,} fields had a gap from {least_gap:g} to {most_gap:g} nats between "
        f"the best two players; choose a wider range"
    )


def _game(payoffs: Table, draws: float, steady_draws: float, graded: float) -> Game:
    fair = _fair(payoffs)
    if graded:
        return GradedGame("field", fair, graded)
    if draws or steady_draws:
        return DrawishGame("field", fair, draws or steady_draws, steady=bool(steady_draws))
    return Game("field", fair)


def _fair(payoffs: Table) -> Table:
    """Payoffs of `expit`, which is antisymmetric only up to the last bit, made fair."""
    return (payoffs - payoffs.T) / 2.0


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
