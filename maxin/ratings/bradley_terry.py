"""The Bradley-Terry fit: ratings and their uncertainty from wins, draws and losses."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import (
    InvalidInput,
    Result,
    check_n_players,
    check_positive,
    check_result,
)
from maxin.kernels import learner as kernels
from maxin.kernels import pairs as pair_kernels
from maxin.ratings.base import Array, read_only
from maxin.ratings.fitting.logs import checked_log, checked_numbers
from maxin.ratings.fitting.newton import Fit, Likelihood, maximise
from maxin.ratings.fitting.pairs import Pairs

LEARNER_TOLERANCE = 1e-7  # a refit stops when no rating moves by more, in nats


def crosstable(first: ArrayLike, second: ArrayLike, scores: ArrayLike, *, n_players: int) -> Array:
    """Count a log in one pass: entry [i, j] holds the points that i scored against j.

    Args:
        first: the first player of each match, by index.
        second: the second player of each match.
        scores: the first player's score: 1 for a win, 0.5 a draw, 0 a loss, or a value between.
        n_players: how many players there are.

    >>> crosstable([0, 1], [1, 2], [1.0, 0.5], n_players=3)
    array([[0. , 1. , 0. ],
           [0. , 0. , 0.5],
           [0. , 0.5, 0. ]])
    """
    n_players = check_n_players(n_players)
    points = np.zeros((n_players, n_players))
    log = checked_log(first, second, scores, n_players)
    if len(log[0]):
        pair_kernels.count_points(*log, points)
    return points


def fit_bradley_terry(points: ArrayLike | Pairs, *, prior_scale: float = 1.0) -> Fit:
    """Maximum a posteriori ratings under P(i beats j) = sigmoid(r_i - r_j) and r ~ N(0, s^2 I).

    Thanks to the prior, the maximum exists and is unique for every log: with an unbeaten player,
    with players who never met, or without any match. Newton's method works on the pairs that met,
    so the cost does not depend on the number of matches. The covariance is the inverse Hessian of
    minus the log-posterior at the maximum; it is computed when it is asked for.

    Args:
        points: `points[i, j]` is what i scored against j, draws as half points (see `crosstable`);
            for thousands of players, of whom most never met, `Pairs.of_log`.
        prior_scale: s, in nats; 1 nat is 174 Elo points.

    >>> fit = fit_bradley_terry([[0, 3], [1, 0]], prior_scale=1.0)
    >>> fit.ratings
    array([ 0.342, -0.342])
    >>> float(fit.covariance[0, 0]) ** 0.5  # one standard deviation
    0.824
    >>> pairs = Pairs.of_log([0, 7, 7], [9_999, 0, 9_999], [0.5, 1.0, 1.0], n_players=10_000)
    >>> fit_bradley_terry(pairs).ratings[[0, 7, 9_999]]
    array([-0.293,  0.586, -0.293])
    """
    if not isinstance(points, Pairs):
        table = checked_numbers(points)
        check_points(table)
        points = Pairs.of_table(table)
    precision = check_prior(prior_scale) ** -2
    likelihood = Likelihood(points)
    return maximise(likelihood.first_guess(), likelihood, precision)


def check_points(points: Array) -> None:
    """Raise unless `points` is a valid crosstable."""
    if points.ndim != 2 or points.shape[0] != points.shape[1]:
        raise InvalidInput(f"a crosstable is square; got shape {points.shape}")
    check_n_players(len(points))
    if not (np.isfinite(points).all() and (points >= 0.0).all()):
        i, j = np.argwhere(~(np.isfinite(points) & (points >= 0.0)))[0]
        raise InvalidInput(f"points are finite and not negative; [{i}, {j}] is {points[i, j]!r}")
    if np.diagonal(points).any():
        i = int(np.flatnonzero(np.diagonal(points))[0])
        raise InvalidInput(f"nobody plays themselves; points[{i}, {i}] is {points[i, i]!r}")


def check_prior(prior_scale: float, what: str = "prior_scale") -> float:
    """Return `prior_scale`, or raise unless it is in the range that floating point can handle."""
    scale = check_positive(prior_scale, what)
    if not 1e-6 <= scale <= 1e6:
        raise InvalidInput(f"{what} must be from 1e-6 to 1e6; got {prior_scale!r}")
    return scale


class BradleyTerry:
    """A learner that keeps the maximum a posteriori fit of all results so far.

    It agrees with `fit_bradley_terry` on the whole crosstable to 1e-7 nats, but each result costs
    only O(players^2 + pairs met): Newton's steps reuse an inverse Hessian, which gets a rank-one
    correction per match and is recomputed from scratch every n_players / 2 matches.

    Args:
        n_players: how many players are rated.
        prior_scale: see `fit_bradley_terry`.

    >>> from maxin.core import Match
    >>> learner = BradleyTerry(2)
    >>> for score in (1.0, 1.0, 0.0, 1.0):
    ...     learner.tell(Result(Match(0, 1), score))
    >>> learner.ratings()
    array([ 0.342, -0.342])
    """

    def __init__(self, n_players: int, *, prior_scale: float = 1.0) -> None:
        self._n_players = check_n_players(n_players)
        self.prior_scale = check_prior(prior_scale)
        self._precision = self.prior_scale**-2
        self._forget()

    def _forget(self) -> None:
        """Forget all results."""
        n_players = self._n_players
        self._ratings = np.zeros(n_players)
        self._inverse = np.eye(n_players) / self._precision
        self._age = 0  # matches since the inverse was computed from scratch
        self._slots = np.full((n_players, n_players), -1)  # a pair's row in `_tallies`; -1 for none
        self._pairs = np.zeros((n_players, 2), dtype=np.int64)
        self._tallies = np.zeros((n_players, 2))
        self._n_pairs = 0

    @property
    def n_players(self) -> int:
        """How many players are rated."""
        return self._n_players

    def ratings(self) -> Array:
        """The maximum a posteriori ratings."""
        return read_only(self._ratings)

    def covariance(self) -> Array:
        """The inverse Hessian at the current ratings, shape (players, players)."""
        return fit_bradley_terry(self.points(), prior_scale=self.prior_scale).covariance

    def points(self) -> Array:
        """The crosstable of all results so far."""
        points = np.zeros((self._n_players, self._n_players))
        i, j = self._pairs[: self._n_pairs].T
        won, played = self._tallies[: self._n_pairs].T
        points[i, j], points[j, i] = won, played - won
        return points

    def fit(self, points: ArrayLike) -> None:
        """Replace all results by a whole crosstable.

        Args:
            points: see `fit_bradley_terry`.

        >>> learner = BradleyTerry(2)
        >>> learner.fit([[0, 3], [1, 0]])
        >>> learner.ratings()
        array([ 0.342, -0.342])
        """
        table = checked_numbers(points)
        check_points(table)
        if len(table) != self._n_players:
            raise InvalidInput(
                f"the crosstable must have {self._n_players} players; got {len(table)}"
            )
        self._forget()
        games = table + table.T
        for i, j in np.argwhere(np.triu(games)).tolist():
            slot = self._slot(i, j)  # it may make room in the tallies
            self._tallies[slot] = table[i, j], games[i, j]
        self._start_over()

    def tell(self, result: Result) -> None:
        """Add the result and move the ratings to the new maximum."""
        (i, j), score = check_result(result, self._n_players)
        if i == j:
            raise InvalidInput(f"nobody can play themselves; player {i} did")
        if i > j:
            i, j, score = j, i, 1.0 - score
        slot = self._slot(i, j)
        self._tallies[slot, 0] += score
        self._tallies[slot, 1] += 1.0
        ratings = self._ratings.copy()
        kernels.bradley_terry_nudge(ratings, self._inverse, i, j, score)
        if kernels.bradley_terry_refine(
            ratings,
            self._inverse,
            self._pairs,
            self._tallies,
            self._n_pairs,
            self._precision,
            LEARNER_TOLERANCE,
        ):
            self._ratings = ratings
            self._age += 1
        else:
            self._start_over()
        if self._age == max(1, self._n_players // 2):
            self._start_over()

    def _slot(self, i: int, j: int) -> int:
        """The row of the pair's tally, a new one if the two never met."""
        if self._slots[i, j] < 0:
            if self._n_pairs == len(self._pairs):
                self._pairs = np.vstack([self._pairs, np.zeros_like(self._pairs)])
                self._tallies = np.vstack([self._tallies, np.zeros_like(self._tallies)])
            self._slots[i, j] = self._n_pairs
            self._pairs[self._n_pairs] = i, j
            self._n_pairs += 1
        return int(self._slots[i, j])

    def _start_over(self) -> None:
        """Refit from the last maximum, with the exact curvature at every step."""
        likelihood = Likelihood(Pairs.of_table(self.points()))
        self._ratings, self._inverse = maximise(self._ratings, likelihood, self._precision)
        self._age = 0
