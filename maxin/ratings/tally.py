"""The tally: results counted by pair and seat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import InvalidInput, Match, Result, check_positive, check_result, check_whole
from maxin.core.arrays import Ints
from maxin.core.text import counted
from maxin.ratings.base import Array
from maxin.ratings.fitting.logs import checked_log

WON, DRAWN, LOST = 0, 1, 2  # the columns of `outcomes`, for the player who sat first
ROUNDING = 1e-9  # a weight that is less than this after a match was taken back is 0
SUMS = ("games", "points", "splits", "outcomes", "pairs")  # what a tally holds
RATED = SUMS[:-1]  # what ratings depend on, and what a log without pairs has too
MOST_IN_TABLE = 10_000  # players: a table of all their pairs has 800 MB
SHIFT = 32  # bits of a key that hold the second player


class Tally:
    """Games, points and outcomes of every pair by seat: everything that ratings depend on.

    There is one row per seating that was played, so the size grows with the pairs that met.
    `games[r]` is the weight of the games in which `first[r]` sat first against `second[r]`, and
    `points[r]` is what `first[r]` scored in them. A match has weight 1; if it has two games with
    the seats swapped, each game has weight 1/2. `splits` adds up y (1 - y) for the scores y of
    whole matches: 0 for a match won or lost, 1/4 for a drawn one. `outcomes[r]` counts the games
    that `first[r]` won, drew and lost; a graded score above 1/2 is a win. `pairs[r]` counts the
    pairs of games with swapped seats in which `first[r]` sat first in the first game, by its points
    in both: 0, 1/2, 1, 3/2 and 2. Pairs with graded scores are not among them.

    Args:
        n_players: how many players there are; 0 is allowed.

    >>> tally = Tally(2)
    >>> tally.add(0, 1, 1.0)
    >>> tally.add(1, 0, 0.5)
    >>> tally.first, tally.points
    (array([0, 1]), array([1. , 0.5]))
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
        self._n_players, self._n_rows = count, 0
        self._keys: Ints = np.zeros(0, dtype=np.int64)  # of each row; these arrays have spare room
        self._games: Array = np.zeros(0)
        self._points: Array = np.zeros(0)
        self._splits: Array = np.zeros(0)
        self._outcomes: Ints = np.zeros((0, 3), dtype=np.int64)
        self._pairs: Ints = np.zeros((0, 5), dtype=np.int64)
        self._rows: dict[int, int] | None = {}  # the row of each key; None until it is needed

    def __repr__(self) -> str:
        """How much it counts.

        >>> Tally(3)
        <Tally of 3 players, 0 matches>
        """
        n_matches = counted(round(float(self.games.sum())), "match")
        return f"<{type(self).__name__} of {counted(self.n_players, 'player')}, {n_matches}>"

    @property
    def n_players(self) -> int:
        """How many players there are."""
        return self._n_players

    @property
    def first(self) -> Ints:
        """Who sat first, by row."""
        return self._keys[: self._n_rows] >> SHIFT

    @property
    def second(self) -> Ints:
        """Who sat second, by row."""
        return self._keys[: self._n_rows] & ((1 << SHIFT) - 1)

    @property
    def games(self) -> Array:
        """The weight of the games, by row."""
        return self._games[: self._n_rows]

    @property
    def points(self) -> Array:
        """The points of the player who sat first, by row."""
        return self._points[: self._n_rows]

    @property
    def splits(self) -> Array:
        """The sum of y (1 - y) over the matches, by row."""
        return self._splits[: self._n_rows]

    @property
    def outcomes(self) -> Ints:
        """Games won, drawn and lost by the player who sat first, shape (rows, 3)."""
        return self._outcomes[: self._n_rows]

    @property
    def pairs(self) -> Ints:
        """Pairs of games by the points of the player who sat first, shape (rows, 5)."""
        return self._pairs[: self._n_rows]

    @property
    def n_first(self) -> Array:
        """How many matches each player played in the first seat."""
        return np.bincount(self.first, self.games, self.n_players).astype(np.float64)

    @property
    def n_second(self) -> Array:
        """How many matches each player played in the second seat."""
        return np.bincount(self.second, self.games, self.n_players).astype(np.float64)

    @property
    def n_matches(self) -> Array:
        """How many matches each player played, in either seat: the weight of its games."""
        return np.asarray(self.n_second + self.n_first)

    @property
    def scores(self) -> Array:
        """Each player's points per match, in either seat; NaN for players without a match."""
        won = np.bincount(self.first, self.points, self.n_players)
        won += np.bincount(self.second, self.games - self.points, self.n_players)
        with np.errstate(invalid="ignore"):
            return np.asarray(won / self.n_matches)

    def outcomes_of_players(self) -> NDArray[np.int64]:
        """Games won, drawn and lost by each player in either seat, shape (players, 3)."""
        sums = np.zeros((self.n_players, 3), dtype=np.int64)
        np.add.at(sums, self.first, self.outcomes)
        np.add.at(sums, self.second, self.outcomes[:, ::-1])
        return sums

    def split_among(self, players: ArrayLike) -> float:
        """The sum of `splits` over the matches between these players."""
        is_among = np.zeros(self.n_players, dtype=np.bool_)
        is_among[np.asarray(players, dtype=np.int64)] = True
        splits = self.splits[is_among[self.first] & is_among[self.second]]
        return math.fsum(splits.tolist())  # exact, whatever their order

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
        match, share = self._checked(first, second, score)
        amount = check_positive(weight, "the weight of a game")
        self._count(match, share, amount, share if mean is None else mean, 1)

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
        rows = self._rows_of((one << SHIFT) | two)
        np.add.at(self._games, rows, amounts)
        np.add.at(self._points, rows, amounts * share)
        np.add.at(self._splits, rows, amounts * whole * (1.0 - whole))
        np.add.at(self._outcomes.reshape(-1), 3 * rows + _outcomes(share), count)

    def add_match(self, first: int, second: int, games: Sequence[float], times: int = 1) -> None:
        """Add a match by the scores of its games, several times if it was played often.

        Every second game has the seats swapped. All scores are those of `first`.

        >>> tally = Tally(2)
        >>> tally.add_match(0, 1, [1.0, 0.0])
        >>> tally.games, tally.points, tally.splits.sum()
        (array([0.5, 0.5]), array([0.5, 0.5]), np.float64(0.25))
        """
        checked = [self._checked(first, second, score) for score in games]
        mean, amount = sum(result.score for result in checked) / len(checked), times / len(checked)
        for place, (match, score) in enumerate(checked):
            if place % 2:
                self._count(Match(match.second, match.first), 1.0 - score, amount, mean, times)
            else:
                self._count(match, score, amount, mean, times)
        for one, other in zip(checked[::2], checked[1::2], strict=False):
            halves = 2.0 * one.score, 2.0 * other.score
            if all(half.is_integer() for half in halves):
                self._pairs[self._row(one.match), int(sum(halves))] += times

    def remove_match(self, first: int, second: int, games: Sequence[float]) -> None:
        """Take back a match that was added.

        >>> tally = Tally(2)
        >>> tally.add_match(0, 1, [1.0, 0.0, 0.5])
        >>> tally.remove_match(0, 1, [1.0, 0.0, 0.5])
        >>> tally.games.sum(), tally.outcomes.sum()
        (np.float64(0.0), np.int64(0))
        """
        self.add_match(first, second, games, times=-1)
        for match in (Match(first, second), Match(second, first))[: len(games)]:
            row = self._row(match)  # what is left by rounding goes too
            weight = self._games[row] if self._games[row] > ROUNDING else 0.0
            self._games[row] = weight
            self._points[row] = min(max(self._points[row], 0.0), weight)
            self._splits[row] = min(max(self._splits[row], 0.0), 0.25 * weight)

    def add_tally(self, other: Tally) -> None:
        """Add the games of another tally of the same players."""
        rows = self._rows_of(other._keys[: other._n_rows])
        for name in SUMS:
            getattr(self, name)[rows] += getattr(other, name)

    def crosstable(self, players: ArrayLike | None = None) -> Array:
        """Each player's points against each other, both seats added, for `fit_bradley_terry`.

        Args:
            players: those that the rows and columns stand for; all by default.
        """
        lost = self.table(self.games - self.points, players).T
        return np.asarray(self.table(self.points, players) + lost)

    def table(self, values: Array, players: ArrayLike | None = None) -> Array:
        """Values by row as a table: who sat first by who sat second, 0 where they never did.

        Args:
            values: `games`, `points`, or others with one value per row of the tally.
            players: those that the rows and columns stand for; all by default.

        >>> tally = Tally(3)
        >>> tally.add(2, 0, 0.5)
        >>> tally.table(tally.games, [0, 2])
        array([[0., 0.],
               [1., 0.]])
        """
        shown = np.arange(self.n_players) if players is None else np.asarray(players, np.int64)
        if len(shown) > MOST_IN_TABLE:
            raise InvalidInput(
                f"a table of all pairs has at most {MOST_IN_TABLE:,} players; got {len(shown):,}"
            )
        places = np.full(self.n_players, -1)
        places[shown] = np.arange(len(shown))
        one, two = places[self.first], places[self.second]
        is_shown = (one >= 0) & (two >= 0)
        table = np.zeros((len(shown), len(shown)))
        table[one[is_shown], two[is_shown]] = values[is_shown]
        return table

    def is_like(self, other: Tally, tolerance: float = 0.0) -> bool:
        """Whether another tally gives the same ratings, up to rounding by at most `tolerance`."""
        mine, theirs = self._keys[: self._n_rows], other._keys[: other._n_rows]
        if self.n_players != other.n_players:
            return False
        if np.array_equal(mine, theirs):
            pairs = ((getattr(self, name), getattr(other, name)) for name in RATED)
            return all(bool((np.abs(here - there) <= tolerance).all()) for here, there in pairs)
        keys, rows = np.unique(np.concatenate([mine, theirs]), return_inverse=True)
        for name in RATED:
            here, there = getattr(self, name), getattr(other, name)
            differences = np.zeros((len(keys), *here.shape[1:]))
            differences[rows[: len(mine)]] += here
            differences[rows[len(mine) :]] -= there
            if not (np.abs(differences) <= tolerance).all():
                return False
        return True

    def copy(self) -> Tally:
        """A new tally with the same games."""
        copied = Tally(self.n_players)
        copied._take(self._keys[: self._n_rows].copy(), [getattr(self, x).copy() for x in SUMS])
        return copied

    def grow(self, n_players: int) -> None:
        """Make room for more players, who have not played yet."""
        count = check_whole(n_players, "the number of players")
        if count < self.n_players:
            raise InvalidInput(f"a tally cannot shrink from {self.n_players} players to {count}")
        self._n_players = count

    def _take(self, keys: Ints, sums: Sequence[NDArray[Any]]) -> None:
        """Replace all rows by these."""
        self._keys, self._n_rows, self._rows = keys, len(keys), None
        self._games, self._points, self._splits, self._outcomes, self._pairs = sums

    def _checked(self, first: int, second: int, score: float) -> Result:
        result = check_result(Result(Match(first, second), score), self.n_players)
        if result.match.first == result.match.second:
            raise InvalidInput(f"nobody can play themselves; player {result.match.first} did")
        return result

    def _count(self, match: Match, share: float, amount: float, mean: float, times: int) -> None:
        """Add a game that was checked; `amount` is its weight, all `times` together."""
        row = self._row(match)
        self._games[row] += amount
        self._points[row] += amount * share
        self._splits[row] += amount * mean * (1.0 - mean)
        self._outcomes[row, WON if share > 0.5 else LOST if share < 0.5 else DRAWN] += times

    def _row(self, match: Match) -> int:
        """The row of a seating, a new one if there is none."""
        key, rows = (int(match.first) << SHIFT) | int(match.second), self._row_of_each_key()
        row = rows.get(key)
        if row is None:
            row = rows[key] = self._n_rows
            self._append(np.array([key]))
        return row

    def _rows_of(self, keys: Ints) -> Ints:
        """The rows of many seatings, new ones for those that have none."""
        found, places = np.unique(keys, return_inverse=True)
        if not self._n_rows:
            self._append(found)
            self._rows = None
            return np.asarray(places)
        known = self._row_of_each_key()
        rows = np.array([known.get(key, -1) for key in found.tolist()], dtype=np.int64)
        is_new = rows < 0
        rows[is_new] = np.arange(self._n_rows, self._n_rows + np.count_nonzero(is_new))
        known.update(zip(found[is_new].tolist(), rows[is_new].tolist(), strict=True))
        self._append(found[is_new])
        return rows[places]

    def _row_of_each_key(self) -> dict[int, int]:
        if self._rows is None:
            keys = self._keys[: self._n_rows].tolist()
            self._rows = dict(zip(keys, range(len(keys)), strict=True))
        return self._rows

    def _append(self, keys: Ints) -> None:
        """Add empty rows; the arrays double when they are full."""
        end = self._n_rows + len(keys)
        if end > len(self._keys):
            n_spare = max(end, 2 * len(self._keys), 8) - len(self._keys)
            for name in ("_keys", *(f"_{sum}" for sum in SUMS)):
                full = getattr(self, name)
                spare = np.zeros((n_spare, *full.shape[1:]), dtype=full.dtype)
                setattr(self, name, np.concatenate([full, spare]))
        self._keys[self._n_rows : end] = keys
        self._n_rows = end


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
