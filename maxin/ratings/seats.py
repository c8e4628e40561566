"""Ratings from results with seats: who sat first is counted, and what that is worth is fitted."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from maxin.core import (
    InvalidInput,
    Match,
    Result,
    check_positive,
    check_result,
    check_whole,
)
from maxin.ratings import bradley_terry_kernels as kernels
from maxin.ratings.base import Array
from maxin.ratings.bradley_terry import (
    Fit,
    Slope,
    check_prior,
    checked_log,
    first_guess,
    maximise,
    slope_of,
)

ADVANTAGE_SCALE = 2.0  # of the first seat's prior, in nats: 350 Elo points either way
SMALLEST_SCALE, LARGEST_SCALE = 0.2, 5.0  # of ratings, when it is learnt
SCALE_TOLERANCE = 1e-6  # of the logarithm of the ratings' variance
ADVANTAGE_TOLERANCE = 1e-12


class Tally:
    """Points and games of every pair, by seat: all that ratings need to know of a log.

    `games[i, j]` is the weight of the games in which i sat first against j, `points[i, j]` what i
    scored in them. A match is worth 1; of a match of two games with the seats swapped, each game
    is worth 1/2.

    Args:
        n_players: how many players there are, from 0 on.

    >>> tally = Tally(2)
    >>> tally.add(0, 1, 1.0)
    >>> tally.add(1, 0, 0.5)
    >>> tally.crosstable()
    array([[0. , 1.5],
           [0.5, 0. ]])
    """

    def __init__(self, n_players: int) -> None:
        count = check_whole(n_players, "the number of players")
        if count < 0:
            raise InvalidInput(f"the number of players is 0 or more; got {count}")
        self.games: Array = np.zeros((count, count))
        self.points: Array = np.zeros((count, count))

    @property
    def n_players(self) -> int:
        """How many players there are."""
        return len(self.games)

    @property
    def n_matches(self) -> Array:
        """How many matches each player had, in either seat: the weight of its games."""
        return np.asarray(self.games.sum(axis=0) + self.games.sum(axis=1))

    @property
    def scores(self) -> Array:
        """Each player's points a match, in either seat; NaN for those who had none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.crosstable().sum(axis=1) / self.n_matches)

    def add(self, first: int, second: int, score: float, weight: float = 1.0) -> None:
        """Add one game."""
        (i, j), share = check_result(Result(Match(first, second), score), self.n_players)
        if i == j:
            raise InvalidInput(f"nobody can play themselves; player {i} did")
        amount = check_positive(weight, "the weight of a game")
        self.games[i, j] += amount
        self.points[i, j] += amount * share

    def add_many(
        self,
        first: ArrayLike,
        second: ArrayLike,
        scores: ArrayLike,
        weights: ArrayLike | None = None,
    ) -> None:
        """Add a game for each place in the columns; without `weights` each is worth 1."""
        one, two, share = checked_log(first, second, scores, self.n_players)
        amounts = np.ones_like(share) if weights is None else _weights(weights, len(share))
        np.add.at(self.games, (one, two), amounts)
        np.add.at(self.points, (one, two), amounts * share)

    def crosstable(self) -> Array:
        """What each player scored against each other in both seats, as `bradley_terry` takes it."""
        return np.asarray(self.points + (self.games - self.points).T)

    def copy(self) -> Tally:
        """A new tally with the same games."""
        return self.grown(self.n_players)

    def grown(self, n_players: int) -> Tally:
        """A new tally with the same games and more players."""
        count = check_whole(n_players, "the number of players")
        if count < self.n_players:
            raise InvalidInput(f"a tally keeps its {self.n_players} players; got {count}")
        larger = Tally(count)
        larger.games[: self.n_players, : self.n_players] = self.games
        larger.points[: self.n_players, : self.n_players] = self.points
        return larger


def _weights(values: ArrayLike, count: int) -> Array:
    weights = np.asarray(values, dtype=np.float64)
    if weights.shape != (count,):
        raise InvalidInput(f"weights are one a game; got {weights.shape} for {count} games")
    bad = np.flatnonzero(~((weights > 0.0) & (weights < np.inf)))
    if bad.size:
        raise InvalidInput(
            f"weights are positive and finite; game {bad[0]} has {float(weights[bad[0]])!r}"
        )
    return weights


class SeatFit(NamedTuple):
    """Ratings as in `Fit`, the scale of their prior, and the first seat's advantage in nats.

    Without a fitted advantage it is 0, and so is its deviation (the posterior's standard one).

    >>> fit_seats(Tally(3)).prior_scale
    1.0
    """

    ratings: Array
    covariance: Array
    prior_scale: float
    advantage: float
    advantage_deviation: float


def fit_seats(
    tally: Tally, *, prior_scale: float | None = None, first_advantage: bool = False
) -> SeatFit:
    """Most probable ratings under logit P(first i beats second j) = r_i - r_j + a, r ~ N(0, s^2 I).

    The covariance is the ratings' own, whatever `a` may be. It all depends on the tally alone.

    Args:
        tally: the results.
        prior_scale: s, in nats. None learns it: s is where s^2 = (E[sum r_i^2] + 1) / (n + 1),
            the fixed point of expectation maximisation when one more player is known to be one
            nat off the mean, within 0.2 to 5. Without results it is 1.
        first_advantage: fit a, with a wide prior N(0, 2^2). Otherwise a is 0, and the ratings
            are those of `bradley_terry` on the tally's crosstable.

    >>> tally = Tally(2)
    >>> tally.add_many([0, 0, 0, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0])
    >>> fit = fit_seats(tally, prior_scale=1.0, first_advantage=True)
    >>> fit.ratings, fit.advantage
    (array([ 0.452, -0.452]), 1.085)
    """
    given = None if prior_scale is None else check_prior(prior_scale)
    posterior = _Advantaged(tally) if first_advantage else _Level(tally)
    if not tally.games.any():
        scale = given or 1.0
        fit = Fit(np.zeros(tally.n_players), scale**2 * np.eye(tally.n_players))
    else:
        scale = given or _learnt_scale(posterior)
        fit = posterior.fit(scale)
    return SeatFit(*fit, scale, posterior.advantage, posterior.deviation(fit))


class _Level:
    """The posterior when the seats are equally good."""

    advantage = 0.0

    def __init__(self, tally: Tally) -> None:
        self.points = tally.crosstable()
        self.ratings = first_guess(self.points)  # where the next fit starts

    def fit(self, scale: float) -> Fit:
        """Ratings and their covariance for a prior of this scale."""
        precision = scale**-2
        fit = maximise(self.ratings, self.points, precision, self.slope_of(precision))
        self.ratings = fit.ratings
        return fit

    def slope_of(self, precision: float) -> Slope:
        """What Newton's method climbs."""
        return slope_of(self.points, precision)

    def deviation(self, fit: Fit) -> float:
        """Of the advantage."""
        return 0.0


class _Advantaged(_Level):
    """The posterior when the first seat has an advantage of its own (docs/notes/seats.md).

    For any ratings the advantage is at its best; then Newton's method on ratings alone is that on
    both, and the ratings' curvature is the joint one with the advantage eliminated.
    """

    def __init__(self, tally: Tally) -> None:
        super().__init__(tally)
        self.games, self.first_points = tally.games, tally.points
        self.precision = ADVANTAGE_SCALE**-2
        self.stiffness = self.precision  # the curvature along the advantage
        self.pull = np.zeros(tally.n_players)  # how a rating moves the best advantage

    def slope_of(self, precision: float) -> Slope:
        """The slope along the ratings, the advantage following them."""
        precisions = (precision, self.precision)

        def slope_at(ratings: Array, slope: Array, curvature: Array) -> None:
            log = self.games, self.first_points
            self.advantage = kernels.first_seat_advantage(
                ratings, *log, self.precision, self.advantage, ADVANTAGE_TOLERANCE
            )
            self.stiffness = kernels.seats_slope(
                ratings, self.advantage, *log, precisions, slope, curvature, self.pull
            )

        return slope_at

    def deviation(self, fit: Fit) -> float:
        """What is unsure of the advantage at the ratings, and with the ratings."""
        return math.sqrt(1.0 / self.stiffness + self.pull @ fit.covariance @ self.pull)


def _learnt_scale(posterior: _Level) -> float:
    """Where expectation maximisation of the ratings' variance comes to rest.

    Its steps are short where results say little, so the place is found as a root instead. A step
    is never too long: the root lies at its end or beyond.
    """

    @cache
    def step(log_variance: float) -> float:
        """One step of expectation maximisation."""
        fit = posterior.fit(math.exp(log_variance / 2.0))
        squares = fit.ratings @ fit.ratings + np.trace(fit.covariance)
        return math.log((squares + 1.0) / (len(fit.ratings) + 1.0)) - log_variance

    near, reach = 0.0, 2.0 * step(0.0)
    while True:
        far = min(max(reach, 2.0 * math.log(SMALLEST_SCALE)), 2.0 * math.log(LARGEST_SCALE))
        if step(far) * reach <= 0.0:
            return math.exp(brentq(step, near, far, xtol=SCALE_TOLERANCE) / 2.0)
        if far != reach:  # even the outermost scale is not far enough
            return math.exp(far / 2.0)
        near, reach = far, 2.0 * reach
