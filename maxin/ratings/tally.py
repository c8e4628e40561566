"""The tally: results counted by pair and seat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import InvalidInput, Match, Result, check_positive, check_result, check_whole
from maxin.core.stored import Arrays, StoredArrays, Unusable, floats, wholes
from maxin.ratings.base import Array
from maxin.ratings.fitting.logs import checked_log

WON, DRAWN, LOST = 0, 1, 2  # the indices of `outcomes`, for the player who sat first
ROUNDING = 1e-9  # a weight that is less than this after a match was taken back is 0
SUMS = ("games", "points", "splits", "outcomes")  # what a tally holds


class Tally:
    """Games, points and outcomes of every pair by seat: everything that ratings depend on.

    `games[i, j]` is the weight of the games in which i sat first against j, and `points[i, j]` is
    what i scored in them. A match has weight 1; if it has two games with the seats swapped, each
    game has weight 1/2. `splits` adds up y (1 - y) for the scores y of whole matches: 0 for a
    match won or lost, 1/4 for a drawn one. `outcomes` counts the games that i, sitting first, won,
    drew and lost; a graded score above 1/2 is a win.

    Args:
        n_players: how many players there are; 0 is allowed.

    >>> tally = Tally(2)
    >>> tally.add(0, 1, 1.0)
    >>> tally.add(1, 0, 0.5)
    >>> tally.crosstable()
    array([[0. , 1.5],
           [0.5, 0. ]])
    >>> tally.splits.sum(), tally.outcomes_of_players()[0]
    (np.float64(0.25), array([1, 1, 0]))
    """

    def __init__(self, n_players: int) -> None:
        count = check_whole(n_players, "the number of players")
        if count < 0:
            raise InvalidInput(f"the number of players must be 0 or more; got {count}")
        self.games: Array = np.zeros((count, count))
        self.points: Array = np.zeros((count, count))
        self.splits: Array = np.zeros((count, count))
        self.outcomes: NDArray[np.int64] = np.zeros((3, count, count), dtype=np.int64)

    @property
    def n_players(self) -> int:
        """How many players there are."""
        return len(self.games)

    @property
    def n_matches(self) -> Array:
        """How many matches each player played, in either seat: the weight of its games."""
        return np.asarray(self.games.sum(axis=0) + self.games.sum(axis=1))

    @property
    def scores(self) -> Array:
        """Each player's points per match, in either seat; NaN for players without a match."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.crosstable().sum(axis=1) / self.n_matches)

    def outcomes_of_players(self) -> NDArray[np.int64]:
        """Games won, drawn and lost by each player in either seat, shape (players, 3)."""
        seated, other = self.outcomes.sum(axis=2), self.outcomes[::-1].sum(axis=1)
        return np.asarray((seated + other).T)

    def split_among(self, players: ArrayLike) -> float:
        """The sum of `splits` over the matches between these players."""
        return float(self.splits[np.ix_(np.asarray(players), np.asarray(players))].sum())

    def add(
        self,
        first: int,
        second: int,
        score: float,
        weight: float = 1.0,
        *,
        mean: float | None = None,
    ) -> None:
        """Add one game.

        Args:
            first: who sat first.
            second: the other one.
            score: the first player's.
            weight: the share of its match that the game makes up.
            mean: the score of that whole match; by default the game's.
        """
        (i, j), share = check_result(Result(Match(first, second), score), self.n_players)
        if i == j:
            raise InvalidInput(f"nobody can play themselves; player {i} did")
        amount = check_positive(weight, "the weight of a game")
        whole = share if mean is None else mean
        self.games[i, j] += amount
        self.points[i, j] += amount * share
        self.splits[i, j] += amount * whole * (1.0 - whole)
        self.outcomes[_outcomes(np.float64(share)), i, j] += 1

    def add_many(
        self,
        first: ArrayLike,
        second: ArrayLike,
        scores: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        means: ArrayLike | None = None,
        times: ArrayLike | None = None,
    ) -> None:
        """Add one game per row of these columns; see `add`.

        Args:
            first: who sat first in each game.
            second: the other ones.
            scores: the first players'.
            weights: shares of matches; 1 by default.
            means: the scores of the whole matches; by default those of the games.
            times: how often each game was played.
        """
        one, two, share = checked_log(first, second, scores, self.n_players)
        count = np.ones(len(share), dtype=np.int64) if times is None else np.asarray(times)
        amounts = count * (1.0 if weights is None else _weights(weights, len(share)))
        whole = share if means is None else np.asarray(means)
        np.add.at(self.games, (one, two), amounts)
        np.add.at(self.points, (one, two), amounts * share)
        np.add.at(self.splits, (one, two), amounts * whole * (1.0 - whole))
        np.add.at(self.outcomes, (_outcomes(share), one, two), count)

    def add_match(self, first: int, second: int, games: Sequence[float], times: int = 1) -> None:
        """Add a match by the scores of its games, several times if it was played often.

        Every second game has the seats swapped. All scores are those of `first`.

        >>> tally = Tally(2)
        >>> tally.add_match(0, 1, [1.0, 0.0])
        >>> tally.games[0, 1], tally.points[1, 0], tally.splits.sum()
        (np.float64(0.5), np.float64(0.5), np.float64(0.25))
        """
        swapped = np.arange(len(games)) % 2 == 1
        scores = np.asarray(games, dtype=np.float64)
        self.add_many(
            np.where(swapped, second, first),
            np.where(swapped, first, second),
            np.where(swapped, 1.0 - scores, scores),
            np.full(len(games), 1.0 / len(games)),
            means=np.full(len(games), scores.mean()),
            times=np.full(len(games), times),
        )

    def remove_match(self, first: int, second: int, games: Sequence[float]) -> None:
        """Take back a match that was added.

        >>> tally = Tally(2)
        >>> tally.add_match(0, 1, [1.0, 0.0, 0.5])
        >>> tally.remove_match(0, 1, [1.0, 0.0, 0.5])
        >>> tally.games.sum(), tally.outcomes.sum()
        (np.float64(0.0), np.int64(0))
        """
        self.add_match(first, second, games, times=-1)
        for pair in ((first, second), (second, first)):  # what is left by rounding
            self.games[pair] = self.games[pair] if self.games[pair] > ROUNDING else 0.0
            self.points[pair] = min(max(self.points[pair], 0.0), self.games[pair])
            self.splits[pair] = min(max(self.splits[pair], 0.0), 0.25 * self.games[pair])

    def add_tally(self, other: Tally) -> None:
        """Add the games of another tally of the same players."""
        for name in SUMS:
            mine: Array = getattr(self, name)
            mine += getattr(other, name)

    def crosstable(self) -> Array:
        """Each player's points against each other, both seats added, for `fit_bradley_terry`."""
        return np.asarray(self.points + (self.games - self.points).T)

    def is_like(self, other: Tally, tolerance: float = 0.0) -> bool:
        """Whether another tally has the same games, up to rounding by at most `tolerance`."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in SUMS)
        return all(
            here.shape == there.shape and np.allclose(here, there, rtol=0.0, atol=tolerance)
            for here, there in pairs
        )

    def copy(self) -> Tally:
        """A new tally with the same games."""
        return self.grown(self.n_players)

    def grown(self, n_players: int) -> Tally:
        """A new tally with the same games and more players."""
        count = check_whole(n_players, "the number of players")
        if count < self.n_players:
            raise InvalidInput(f"a tally cannot shrink from {self.n_players} players to {count}")
        larger = Tally(count)
        for name in SUMS:
            getattr(larger, name)[..., : self.n_players, : self.n_players] = getattr(self, name)
        return larger

    def stored(self) -> Arrays:
        """See `Storable`."""
        sums = {name: floats(getattr(self, name)) for name in SUMS[:-1]}
        return sums | {"outcomes": wholes(self.outcomes)}

    def restore(self, stored: StoredArrays) -> None:
        """See `Storable`."""
        for name in SUMS[:-1]:
            setattr(self, name, stored.floats(name, self.games.shape, low=0.0))
        self.outcomes = stored.wholes("outcomes", self.outcomes.shape)
        is_counted = (self.points <= self.games + 1e-6).all() and not self.games.diagonal().any()
        if not (is_counted and (self.splits <= 0.25 * self.games + 1e-6).all()):
            raise Unusable("nobody can have more points than games, or play themselves")


def _outcomes(scores: ArrayLike) -> NDArray[np.int64]:
    """Whether each score is a win, a draw or a loss."""
    return np.asarray(1 - np.sign(np.asarray(scores) - 0.5), dtype=np.int64)


def _weights(values: ArrayLike, count: int) -> Array:
    weights = np.asarray(values, dtype=np.float64)
    if weights.shape != (count,):
        raise InvalidInput(
            f"weights must hold one number per game; got shape {weights.shape} for {count} games"
        )
    bad = np.flatnonzero(~((weights > 0.0) & (weights < np.inf)))
    if bad.size:
        raise InvalidInput(
            f"weights must be positive and finite; game {bad[0]} has {float(weights[bad[0]])!r}"
        )
    return weights
