"""Ratings from results counted by seat, with a first-seat advantage that is fitted too."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy

from maxin.ratings import bradley_terry_kernels as kernels
from maxin.ratings.base import Array
from maxin.ratings.bradley_terry import (
    Fit,
    Slope,
    check_prior,
    first_guess,
    maximise,
    slope_of,
)
from maxin.ratings.tally import Tally

ADVANTAGE_SCALE = 2.0  # prior standard deviation of the advantage, in nats: 350 Elo points
SMALLEST_SCALE, LARGEST_SCALE = 0.2, 5.0  # bounds of the ratings' scale when it is learnt
SCALE_TOLERANCE = 1e-6  # accuracy of the logarithm of the learnt variance of the ratings
ADVANTAGE_TOLERANCE = 1e-12  # accuracy of the fitted advantage, in nats


class SeatFit(NamedTuple):
    """Ratings as in `Fit`, the scale of their prior, and the first-seat advantage in nats.

    `advantage_deviation` is the posterior standard deviation of the advantage. Both are 0 if no
    advantage is fitted.

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

    The covariance is that of the ratings, with the uncertainty of a included. The order of the
    results does not matter.

    Args:
        tally: the results.
        prior_scale: s, in nats. None learns it by expectation maximisation: s, from 0.2 to 5, is
            the fixed point s^2 = (E[sum r_i^2] + 1) / (n + 1), where the prior acts like one more
            player at one nat from the mean. Without results, s is 1.
        first_advantage: whether to fit a, with a wide prior N(0, 2^2). Otherwise a is 0, and the
            ratings are those of `fit_bradley_terry` on the tally's crosstable.

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
    """The posterior if both seats are equally good."""

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
        """The slope that Newton's method follows."""
        return slope_of(self.points, precision)

    def deviation(self, fit: Fit) -> float:
        """The standard deviation of the advantage."""
        return 0.0


class _Advantaged(_Level):
    """The posterior with a first-seat advantage (docs/notes/seats.md).

    The advantage is always set to its most probable value for the current ratings. Newton's
    method on the ratings then finds the joint maximum, and the ratings' curvature is the joint
    one with the advantage eliminated.
    """

    def __init__(self, tally: Tally) -> None:
        super().__init__(tally)
        self.games, self.first_points = tally.games, tally.points
        self.precision = ADVANTAGE_SCALE**-2
        self.stiffness = self.precision  # the curvature along the advantage
        self.pull = np.zeros(tally.n_players)  # how much each rating moves the best advantage

    def slope_of(self, precision: float) -> Slope:
        """The slope along the ratings, with the advantage following them."""
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
        """The advantage's variance is that at fixed ratings, plus what the ratings add to it."""
        return math.sqrt(1.0 / self.stiffness + self.pull @ fit.covariance @ self.pull)


def _learnt_scale(posterior: _Level) -> float:
    """The fixed point of expectation maximisation of the ratings' variance.

    Its steps are short where results say little, so the fixed point is found as a root instead.
    A step is never too long: the root lies at its end or beyond.
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
            return math.exp(scipy.optimize.brentq(step, near, far, xtol=SCALE_TOLERANCE) / 2.0)
        if far != reach:  # the root lies beyond the bound, so the bound is the answer
            return math.exp(far / 2.0)
        near, reach = far, 2.0 * reach
