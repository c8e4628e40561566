"""Newton's method: the most probable ratings, and the curvature there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from maxin.core import InvalidInput, check_whole
from maxin.kernels import pairs as kernels
from maxin.ratings.base import Array
from maxin.ratings.fitting.curvature import Curvature, MatchGroups
from maxin.ratings.fitting.pairs import Pairs

TOLERANCE = 1e-10  # a fit stops when no rating moves by more, in nats
ADVANTAGE_TOLERANCE = 1e-12  # accuracy of the fitted advantage, in nats


class Fit:
    """Ratings and their covariance: the posterior is approximately N(ratings, covariance).

    The covariance is computed when it is first read. `ratings, covariance = fit` works too.

    >>> from maxin.ratings import crosstable, fit_bradley_terry
    >>> fit = fit_bradley_terry(crosstable([0, 1], [1, 2], [1.0, 0.5], n_players=3))
    >>> fit.covariance_of([2])
    array([[0.83]])
    """

    def __init__(self, ratings: Array, curvature: Curvature) -> None:
        self.ratings = ratings
        self.curvature = curvature

    def __iter__(self) -> Iterator[Array]:
        yield self.ratings
        yield self.covariance

    @cached_property
    def covariance(self) -> Array:
        """The covariance of all pairs of players, for up to 20,000 players."""
        return self.curvature.inverse()

    def covariance_of(self, players: Sequence[int]) -> Array:
        """The covariance of these players, in this order, however many others there are."""
        chosen = [check_whole(player, "a player") for player in players]
        for player in chosen:
            if not 0 <= player < len(self.ratings):
                raise InvalidInput(f"players are 0 to {len(self.ratings) - 1}; got {player}")
        block = None if "covariance" in vars(self) else self.curvature.inverse_of(chosen)
        return self.covariance[np.ix_(chosen, chosen)] if block is None else block


class Likelihood:
    """What results say under logit P(i beats j) = r_i - r_j + a.

    Args:
        pairs: the results; counted by seat if a is not 0.
        advantage_precision: that of the prior of a; infinite if a is 0.
    """

    def __init__(self, pairs: Pairs, advantage_precision: float = math.inf) -> None:
        self.groups = MatchGroups(pairs)
        self.advantage = 0.0  # the most probable one at the ratings last looked at
        self._pairs, self._precision = pairs, advantage_precision

    def slope(self, ratings: Array, precision: float) -> tuple[Array, Curvature]:
        """The slope of the log-posterior and its curvature, for ratings with this precision.

        The advantage follows the ratings, and is eliminated from the curvature
        (docs/explanation/notes/seats.md).
        """
        pairs = self._pairs
        if self._precision < math.inf:
            self.advantage = kernels.first_seat_advantage(
                ratings, pairs, self._precision, self.advantage, ADVANTAGE_TOLERANCE
            )
        weights = np.empty_like(pairs.games)
        slope, given, taken = (np.empty_like(ratings) for _ in range(3))
        kernels.log_likelihood_slope(ratings, self.advantage, pairs, slope, weights, given, taken)
        stiffness = self._precision + float(given.sum())
        curvature = Curvature(pairs, self.groups, precision, weights, (given, taken), stiffness)
        return slope - precision * ratings, curvature

    def first_guess(self) -> Array:
        """A starting point: the log-odds of each player's total score, plus one win and one loss.

        Where everyone has met many others it is nearly right, and saves a third of the steps.
        """
        won, lost = self._pairs.totals()
        return np.asarray(np.log((won + 1.0) / (lost + 1.0)))


def maximise(ratings: Array, likelihood: Likelihood, precision: float) -> Fit:
    """Maximise a log-posterior by Newton's method, starting from `ratings`.

    The log-posterior is concave, so a step is too long only if the slope at its end points back;
    it is then halved. The method stops when a step is within the tolerance, or when the slope no
    longer falls and only rounding errors are left. `precision` is that of the ratings' prior.
    """
    ratings = likelihood.groups.centred(ratings)
    slope, curvature = likelihood.slope(ratings, precision)
    gentlest, n_idle = np.inf, 0
    while True:
        step = curvature.solution(slope)
        steepness, rise = np.abs(slope).max(), slope @ step
        n_idle = 0 if steepness < 0.9 * gentlest else n_idle + 1
        gentlest = min(gentlest, steepness)
        if np.abs(step).max() <= TOLERANCE or n_idle > 5 or rise <= 0.0:
            return Fit(ratings + step, curvature)
        while True:
            tried = ratings + step
            slope, curvature = likelihood.slope(tried, precision)
            if slope @ step >= -0.5 * rise:
                break
            step, rise = step / 2.0, rise / 2.0
        ratings = tried
