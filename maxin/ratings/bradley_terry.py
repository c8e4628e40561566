"""The Bradley-Terry fit: ratings and their uncertainty from wins, draws and losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import (
    InvalidInput,
    Match,
    Result,
    check_n_players,
    check_positive,
    check_result,
)
from maxin.core.linalg import factorised, inverted, mirror_lower, solved
from maxin.core.stored import Arrays, StoredArrays, Unusable, floats, whole, wholes
from maxin.ratings import bradley_terry_kernels as kernels
from maxin.ratings.base import Array, read_only

TOLERANCE = 1e-10  # a fit stops when no rating moves by more, in nats
LEARNER_TOLERANCE = 1e-7  # the same for the learner, which refits after every match

# A function of the ratings that fills in a log-posterior's gradient and minus its Hessian (only
# the lower triangle).
Slope = Callable[[Array, Array, Array], None]


class Fit(NamedTuple):
    """Ratings and their covariance: the posterior is approximately N(ratings, covariance)."""

    ratings: Array
    covariance: Array


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
        kernels.count_points(*log, points)
    return points


def checked_log(
    first: ArrayLike, second: ArrayLike, scores: ArrayLike, n_players: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """The columns of a log as arrays, or an error that names the first invalid match."""
    one, two = _players(first, "first"), _players(second, "second")
    share = _numbers(scores)
    if not one.shape == two.shape == share.shape:
        raise InvalidInput(
            "a log has one first player, second player and score per match; "
            f"got {one.shape}, {two.shape} and {share.shape} of them"
        )
    if len(one):
        _check_matches(one, two, share, n_players)
    return one, two, share


def _players(values: ArrayLike, which: str) -> NDArray[np.int64]:
    """Player numbers as an array; an empty list, which has no type, is allowed."""
    given = np.asarray(values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise InvalidInput(
            f"{which} players are a list of whole numbers; got shape {given.shape} of {given.dtype}"
        )
    return np.ascontiguousarray(given, dtype=np.int64)


def _numbers(values: ArrayLike) -> Array:
    try:
        given = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("scores are a list of numbers in [0, 1]") from None
    return given


def _check_matches(
    first: NDArray[np.int64], second: NDArray[np.int64], scores: Array, n_players: int
) -> None:
    """Raise an error that names the first match of a log that breaks a rule, if there is one."""
    bad = kernels.first_bad_match(first, second, scores, n_players)
    if bad < 0:
        return
    match = Match(int(first[bad]), int(second[bad]))
    try:
        check_result(Result(match, float(scores[bad])), n_players)
    except InvalidInput as error:
        raise InvalidInput(f"match {bad} of the log: {error}") from None
    raise InvalidInput(f"match {bad} of the log: player {match.first} cannot play itself")


def fit_bradley_terry(points: ArrayLike, *, prior_scale: float = 1.0) -> Fit:
    """Maximum a posteriori ratings under P(i beats j) = sigmoid(r_i - r_j) and r ~ N(0, s^2 I).

    Thanks to the prior, the maximum exists and is unique for every log: with an unbeaten player,
    with players who never met, or without any match. Newton's method works on the crosstable, so
    the cost does not depend on the number of matches. The covariance is the inverse Hessian of
    minus the log-posterior at the maximum.

    Args:
        points: `points[i, j]` is what i scored against j, draws as half points (see `crosstable`).
        prior_scale: s, in nats; 1 nat is 174 Elo points.

    >>> fit = fit_bradley_terry([[0, 3], [1, 0]], prior_scale=1.0)
    >>> fit.ratings
    array([ 0.342, -0.342])
    >>> float(fit.covariance[0, 0]) ** 0.5  # one standard deviation
    0.824
    """
    table = _numbers(points)
    check_points(table)
    precision = check_prior(prior_scale) ** -2
    return maximise(first_guess(table), table, precision, slope_of(table, precision))


def slope_of(points: Array, precision: float) -> Slope:
    """The slope of the Bradley-Terry log-posterior of a crosstable."""

    def slope_at(ratings: Array, slope: Array, curvature: Array) -> None:
        kernels.bradley_terry_slope(ratings, points, precision, slope, curvature)

    return slope_at


def first_guess(points: Array) -> Array:
    """A starting point: the log-odds of each player's total score, plus one win and one loss.

    Where everyone has met many others it is nearly right, and saves a third of the steps.
    """
    won, lost = points.sum(axis=1), points.sum(axis=0)
    return np.asarray(np.log((won + 1.0) / (lost + 1.0)))


def maximise(ratings: Array, points: Array, precision: float, slope_at: Slope) -> Fit:
    """Maximise a log-posterior by Newton's method, starting from `ratings`.

    The log-posterior is concave, so a step is too long only if the slope at its end points back;
    it is then halved. The method stops when a step is within the tolerance, or when the slope no
    longer falls and only rounding errors are left. The likelihood may depend on nothing but the
    rating differences of players who met (see `points`); `precision` is the prior's.
    """
    groups = _Groups(points)
    ratings = groups.centred(ratings)
    slope, curvature = np.empty_like(ratings), np.zeros_like(points)
    slope_at(ratings, slope, curvature)
    gentlest, n_idle = np.inf, 0
    while True:
        lift = groups.lift(curvature)
        factor = factorised(curvature)
        step = groups.centred(solved(factor, slope))
        steepness, rise = np.abs(slope).max(), slope @ step
        n_idle = 0 if steepness < 0.9 * gentlest else n_idle + 1
        gentlest = min(gentlest, steepness)
        if np.abs(step).max() <= TOLERANCE or n_idle > 5 or rise <= 0.0:
            covariance = inverted(factor)
            groups.lower(covariance, lift, precision)
            return Fit(ratings + step, covariance)
        while True:
            tried = ratings + step
            slope_at(tried, slope, curvature)
            if slope @ step >= -0.5 * rise:
                break
            step, rise = step / 2.0, rise / 2.0
        ratings = tried


class _Groups:
    """Groups of players connected by matches; the ratings of each group have a mean of zero.

    The likelihood depends only on differences within a group, so along a group's common level
    the curvature is the prior's alone, which may be tiny. It is lifted to the size of the rest
    before the matrix is factored, and the inverse is corrected afterwards.
    """

    def __init__(self, points: Array) -> None:
        self.labels = kernels.connected_groups(points)
        self.sizes = np.bincount(self.labels)

    def centred(self, values: Array) -> Array:
        """`values` minus the mean of their group."""
        means = np.bincount(self.labels, values) / self.sizes
        return np.asarray(values - means[self.labels])

    def lift(self, curvature: Array) -> Array:
        """Raise the curvature along each group's level, in place; returns the amounts."""
        amounts = np.bincount(self.labels, np.diagonal(curvature)) / self.sizes
        kernels.add_to_groups(curvature, self.labels, amounts / self.sizes)
        return amounts

    def lower(self, covariance: Array, amounts: Array, precision: float) -> None:
        """Add to the inverse, in place, what lifting the curvature took from it."""
        taken = 1.0 / precision - 1.0 / (precision + amounts)
        kernels.add_to_groups(covariance, self.labels, taken / self.sizes)
        mirror_lower(covariance)


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

    def stored(self) -> Arrays:
        """See `Storable`."""
        return {
            "ratings": floats(self._ratings),
            "inverse": floats(self._inverse),
            "age": whole(self._age),
            "pairs": wholes(self._pairs[: self._n_pairs]),
            "tallies": floats(self._tallies[: self._n_pairs]),
        }

    def restore(self, stored: StoredArrays) -> None:
        """See `Storable`."""
        n_players = self._n_players
        pairs = stored.wholes("pairs", (None, 2), high=n_players - 1)
        tallies = stored.floats("tallies", (len(pairs), 2), low=0.0)
        if not (pairs[:, 0] < pairs[:, 1]).all() or (tallies[:, 0] > tallies[:, 1] + 1e-6).any():
            raise Unusable("a pair has its lower player first, and no more points than matches")
        for i, j in pairs.tolist():
            self._slot(i, j)
        if self._n_pairs != len(pairs):
            raise Unusable("a pair is there twice")
        self._tallies[: len(pairs)] = tallies
        self._ratings = stored.floats("ratings", (n_players,))
        self._inverse = stored.floats("inverse", (n_players, n_players))
        self._age = stored.whole("age", high=n_players)

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
        points, precision = self.points(), self._precision
        slope_at = slope_of(points, precision)
        self._ratings, self._inverse = maximise(self._ratings, points, precision, slope_at)
        self._age = 0
