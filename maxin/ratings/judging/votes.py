"""Votes: games by judge and seating, with the covariates that are controlled for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core.arrays import Ints
from maxin.kernels.posterior import PROBIT, advantages
from maxin.ratings.base import Array
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.posterior.posterior import Posterior
from maxin.ratings.tally import ROUNDING, Tally


class Votes(NamedTuple):
    """Results in rows; those of a row have one judge, one seating and the same covariates.

    Args:
        names: of the judges. Results without a judge have the number that follows the last one.
        n_players: how many players there are.
        judge: the number of the judge, by row.
        first: who the judge saw first.
        second: the other one.
        games: the weight of the games.
        points: the points of the player in `first`.
        splits: the sum of y (1 - y) over the scores y of whole matches.
        values: by how much `first` has more of each covariate than the levels of the two players
            say, shape (rows, covariates).
        levels: how much of each covariate every player has on average, shape (players, covariates).
    """

    names: tuple[str, ...]
    n_players: int
    judge: Ints
    first: Ints
    second: Ints
    games: Array
    points: Array
    splits: Array
    values: Array
    levels: Array

    @property
    def n_judges(self) -> int:
        """How many judges there are; this is also the number of "no judge"."""
        return len(self.names)

    @property
    def n_votes(self) -> Array:
        """How many votes each judge has; at last, how many results have none."""
        return self.total(self.games)

    def total(self, values: Array) -> Array:
        """The sum of values by row, for each judge and for "no judge"."""
        return np.bincount(self.judge, values, self.n_judges + 1).astype(np.float64)

    def table(self, values: Array) -> Array:
        """The sum of values by row, for each two seats, shape (players, players)."""
        cells = np.bincount(self.first * self.n_players + self.second, values, self.n_players**2)
        return np.asarray(cells.reshape(self.n_players, self.n_players), dtype=np.float64)


def judged_votes(tally: JudgedTally) -> Votes:
    """The votes of a tally, in the order of judges and players whatever that of the tally is.

    >>> tally = JudgedTally(2)
    >>> tally.add(0, 1, 1.0)
    >>> tally.add_judged("ann", 1, 0, [1.0])
    >>> judged_votes(tally)[:5]
    (('ann',), 2, array([0, 1]), array([1, 0]), array([0, 1]))
    """
    names, n_players = tuple(sorted(tally.judged)), tally.n_players
    judged = [tally.judged[name] for name in names]
    nobody = len(names)
    parts = [_rows(part, number) for number, part in enumerate(judged)]
    # The tally has the results of judges too; who was seen first does not matter for the others.
    parts += [_rows(tally, nobody, is_turned=tally.first > tally.second)]
    for part in judged:
        judge, first, second, *sums = _rows(part, nobody, is_turned=part.first > part.second)
        parts.append((judge, first, second, *(-column for column in sums)))
    judge, first, second, *sums = map(np.concatenate, zip(*parts, strict=True))
    keys = (judge * n_players + first) * n_players + second
    found, rows = np.unique(keys, return_inverse=True)
    games, points, splits = (np.bincount(rows, column).astype(np.float64) for column in sums)
    kept = games > ROUNDING
    seats, second = np.divmod(found[kept], n_players)
    judge, first = np.divmod(seats, n_players)
    games, points, splits = games[kept], points[kept], np.maximum(splits[kept], 0.0)
    values, levels = np.zeros((len(judge), 0)), np.zeros((n_players, 0))
    return Votes(names, n_players, judge, first, second, games, points, splits, values, levels)


def _rows(tally: Tally, judge: int, is_turned: NDArray[np.bool_] | bool = False) -> tuple[Any, ...]:
    """The judge, seats, games, points and splits of each row, some with the seats exchanged."""
    first = np.where(is_turned, tally.second, tally.first)
    second = np.where(is_turned, tally.first, tally.second)
    points = np.where(is_turned, tally.games - tally.points, tally.points)
    return np.full(len(first), judge), first, second, tally.games, points, tally.splits


def row_advantages(posterior: Posterior, votes: Votes) -> tuple[Array, Array]:
    """Mean and variance of the advantage of the player in `first`, by row."""
    players, places = np.unique(votes.first, return_inverse=True)
    found = [advantages(posterior.state, player) for player in players.tolist()]
    means, variances = (np.array(part)[places, votes.second] for part in zip(*found, strict=True))
    return means, variances


def expected(
    means: Array, variances: Array, offset: Array, reliability: Array | float
) -> tuple[Array, Array]:
    """E[sigmoid(c A + b)] for A ~ N(m, v), and its slope in the mean of c A."""
    shrink = 1.0 / np.sqrt(1.0 + PROBIT * np.square(reliability) * variances)
    chances = 1.0 / (1.0 + np.exp(-shrink * (reliability * means + offset)))
    return chances, shrink * chances * (1.0 - chances)
