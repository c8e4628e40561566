"""Ratings from results counted by seat, with a first-seat advantage that is fitted too."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy

from maxin.ratings.base import Array
from maxin.ratings.bradley_terry import check_prior
from maxin.ratings.fitting.newton import Fit, Likelihood, maximise
from maxin.ratings.fitting.pairs import Pairs
from maxin.ratings.tally import Tally

ADVANTAGE_SCALE = 2.0  # prior standard deviation of the advantage, in nats: 350 Elo points
SMALLEST_SCALE, LARGEST_SCALE = 0.2, 5.0  # bounds of the ratings' scale when it is learnt
SCALE_TOLERANCE = 1e-6  # accuracy of the logarithm of the learnt variance of the ratings


class SeatFit(NamedTuple):
    """Ratings as in `Fit`, the scale of their prior, and the first-seat advantage in nats.

    `advantage_deviation` is the posterior standard deviation of the advantage. Both are 0 if no
    advantage is fitted.
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
    if not tally.games.any():
        scale, n_players = given or 1.0, tally.n_players
        deviation = ADVANTAGE_SCALE if first_advantage else 0.0
        return SeatFit(np.zeros(n_players), scale**2 * np.eye(n_players), scale, 0.0, deviation)
    if first_advantage:
        tables = tally.table(tally.points), tally.table(tally.games)
        pairs, precision = Pairs.by_seat(*tables), ADVANTAGE_SCALE**-2
    else:
        pairs, precision = Pairs.of_table(tally.crosstable()), math.inf
    likelihood = Likelihood(pairs, precision)
    refits = _Refits(likelihood)
    scale = given or _learnt_scale(refits)
    fit = refits.fit(scale)
    pull, spread = fit.curvature.pull, 1.0 / fit.curvature.stiffness
    deviation = math.sqrt(spread + pull @ fit.covariance @ pull)
    return SeatFit(fit.ratings, fit.covariance, scale, likelihood.advantage, deviation)


class _Refits:
    """Fits for one prior after the other, each starting where the last one ended."""

    def __init__(self, likelihood: Likelihood) -> None:
        self._likelihood, self._ratings = likelihood, likelihood.first_guess()

    def fit(self, scale: float) -> Fit:
        """Ratings and their covariance for a prior of this scale."""
        fit = maximise(self._ratings, self._likelihood, scale**-2)
        self._ratings = fit.ratings
        return fit


def _learnt_scale(refits: _Refits) -> float:
    """The fixed point of expectation maximisation of the ratings' variance.

    Its steps are short where results say little, so the fixed point is found as a root instead.
    A step is never too long: the root lies at its end or beyond.
    """

    @cache
    def step(log_variance: float) -> float:
        """One step of expectation maximisation."""
        fit = refits.fit(math.exp(log_variance / 2.0))
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
