"""Estimates from a few seeds: means with errors, tests, intervals of shares, matches to a share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

Z = 1.959964  # of a two-sided 95 % interval
FEWEST_SEEDS = 5  # a difference is never decided with fewer
N_RESAMPLES = 200  # of a bootstrap


class Estimate(NamedTuple):
    """A mean over seeds and its standard error.

    `by_seed` has the value of each seed where others are measured on the same ones: then a
    comparison is by the differences seed by seed, since what they share does not count.
    """

    mean: float
    error: float
    n_seeds: int
    by_seed: tuple[float, ...] = ()

    @classmethod
    def of(cls, values: Sequence[float] | NDArray[np.float64]) -> Estimate:
        """From one value per seed; with a single seed the error is unknown and counts as 0."""
        return cls.over_games([np.asarray(values, dtype=np.float64)])

    @classmethod
    def on_same_seeds(cls, values: Sequence[float] | NDArray[np.float64]) -> Estimate:
        """From one value per seed, to be compared with others on the same seeds."""
        return cls.of(values)._replace(by_seed=tuple(map(float, values)))

    @classmethod
    def over_games(cls, games: Sequence[NDArray[np.float64]]) -> Estimate:
        """The mean over games of the means over seeds, where games share seeds.

        Values of the same seed, which have the same place in every game, may depend on each other.
        With d_gs the deviation of seed s from the mean of game g, n_g its seeds and G games, the
        variance is sum_s (sum_g d_gs / (G sqrt(n_g (n_g - 1))))^2. The seeds count as the fewest.

        >>> str(Estimate.over_games([np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0])]))
        '2.25 ± 0.27'
        """
        sizes = [len(values) for values in games]
        deviations = np.zeros((len(games), max(sizes)))
        for row, values in zip(deviations, games, strict=True):
            scale = max(1, len(values) * (len(values) - 1)) ** 0.5
            row[: len(values)] = (values - values.mean()) / scale
        mean = float(np.mean([values.mean() for values in games]))
        return cls(mean, float(np.linalg.norm(deviations.mean(axis=0))), min(sizes))

    def p_value(self) -> float | None:
        """The two-sided p-value of a mean of 0 by Student's t; None if the seeds are too few.

        >>> Estimate(0.5, 0.2, n_seeds=20).p_value()
        0.0218
        """
        if self.n_seeds < FEWEST_SEEDS:
            return None
        if self.error == 0.0:
            return float(self.mean == 0.0)
        return 2.0 * float(scipy.special.stdtr(self.n_seeds - 1, -abs(self.mean) / self.error))

    def is_above(self, other: Estimate) -> bool | None:
        """Whether this mean is the larger one; None if the seeds are too few to decide.

        By Student's t at 95 %, with the smaller number of seeds; never with fewer than five.

        >>> half = Estimate(0.5, 0.1, n_seeds=20)
        >>> Estimate(1.0, 0.1, 20).is_above(half), Estimate(1.0, 0.3, 20).is_above(half)
        (True, None)
        >>> one, other = ([place + lead for place in range(5)] for lead in (0.1, 0.0))
        >>> Estimate.on_same_seeds(one).is_above(Estimate.on_same_seeds(other))
        True
        """
        gap, n_seeds = self.mean - other.mean, min(self.n_seeds, other.n_seeds)
        if n_seeds < FEWEST_SEEDS:
            return None
        reach = float(scipy.special.stdtrit(n_seeds - 1, 0.975))
        is_noise = abs(gap) <= reach * self._error_of_difference(other)
        return None if is_noise else gap > 0.0

    def _error_of_difference(self, other: Estimate) -> float:
        if len(self.by_seed) == len(other.by_seed) > 1:
            differences = np.subtract(self.by_seed, other.by_seed)
            return Estimate.of(differences).error
        return float((self.error**2 + other.error**2) ** 0.5)

    def changed(self, factor: float = 1.0, plus: float = 0.0) -> Estimate:
        """The estimate times a number, plus another.

        >>> Estimate.on_same_seeds([1.0, 3.0]).changed(2.0, plus=1.0)
        Estimate(mean=5.0, error=2.0, n_seeds=2, by_seed=(3.0, 7.0))
        """
        values = tuple(factor * value + plus for value in self.by_seed)
        mean, error = factor * self.mean + plus, abs(factor) * self.error
        return Estimate(mean, error, self.n_seeds, values)

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean by Student's t; with a single seed, the mean itself.

        >>> Estimate(0.5, 0.1, n_seeds=5).interval()
        (0.222, 0.778)
        """
        reach = (
            float(scipy.special.stdtrit(self.n_seeds - 1, 0.975)) * self.error
            if self.n_seeds > 1
            else 0.0
        )
        return self.mean - reach, self.mean + reach

    def is_at_most(self, limit: float) -> bool | None:
        """Whether the mean is at most `limit`; None if the seeds are too few to decide.

        >>> half = Estimate(0.5, 0.1, n_seeds=5)
        >>> half.is_at_most(0.8), half.is_at_most(0.6), half.is_at_most(0.2)
        (True, None, False)
        """
        low, high = self.interval()
        if self.n_seeds < FEWEST_SEEDS or low <= limit < high:
            return None
        return high <= limit

    def text(self, digits: int, sign: str = "") -> str:
        """The mean, with a `sign` if that is "+", and the error.

        >>> Estimate(0.5, 0.1, n_seeds=5).text(1)
        '0.5 ± 0.1'
        """
        error = f" ± {self.error:.{digits}f}" if self.n_seeds > 1 else ""
        return f"{self.mean:{sign}.{digits}f}{error}"

    def __str__(self) -> str:
        return self.text(0 if abs(self.mean) >= 100.0 else 2)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number (Holm 1979).

    Of all differences that do not exist, one or more fall below a level with at most its
    probability, however they depend on each other. The k-th smallest of m is multiplied by
    m - k + 1, and is at least the one before.

    >>> holm([0.01, 0.9, 0.02])
    [0.03, 0.9, 0.04]
    """
    order = np.argsort(p_values, kind="stable")
    steps = np.arange(len(p_values), 0, -1) * np.asarray(p_values)[order]
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return [float(value) for value in corrected]


def wilson(successes: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); all shares, if there is no case.

    >>> wilson(0, 100)
    (0.0, 0.037)
    >>> wilson(50, 100)
    (0.404, 0.596)
    """
    if n == 0:
        return 0.0, 1.0
    share, weight = successes / n, Z * Z / n
    middle = (share + weight / 2.0) / (1.0 + weight)
    reach = math.sqrt(share * (1.0 - share) * weight + weight * weight / 4.0) / (1.0 + weight)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def matches_needed(
    found: NDArray[np.float64], rounds: NDArray[np.int64], share: float = 0.9
) -> float:
    """After how many matches the mean over seeds reaches `share`; inf if it never does.

    The mean is made non-decreasing first (isotonic regression), since by chance a curve crosses a
    line many times. Between two readings it is linear.

    Args:
        found: whether, or with what probability, the goal is reached, shape (seeds, readings).
        rounds: the rounds of the readings.
        share: the value to reach.

    >>> matches_needed(np.array([[0, 0, 1, 1], [0, 1, 1, 1.0]]), np.array([1, 2, 3, 4]), share=0.75)
    2.5
    """
    curve = scipy.optimize.isotonic_regression(found.mean(axis=0)).x
    place = int(np.searchsorted(curve, share))
    if place == len(curve):
        return math.inf
    if place == 0:
        return float(rounds[0])
    part = (share - curve[place - 1]) / (curve[place] - curve[place - 1])
    return float(rounds[place - 1] + part * (rounds[place] - rounds[place - 1]))


def needed_interval(
    found: NDArray[np.float64],
    rounds: NDArray[np.int64],
    rng: np.random.Generator,
    share: float = 0.9,
) -> tuple[float, float]:
    """The 95 % interval of `matches_needed`, by resampling the seeds (bootstrap).

    >>> found = np.array([[0, 1, 1], [0, 0, 1.0]] * 20)
    >>> needed_interval(found, np.array([1, 2, 3]), np.random.default_rng(0), share=0.75)
    (2.286, 2.6)
    """
    draws = [
        matches_needed(found[rng.integers(len(found), size=len(found))], rounds, share)
        for _ in range(N_RESAMPLES)
    ]
    low, high = np.quantile(draws, [0.025, 0.975], method="inverted_cdf")
    return float(low), float(high)


def mean_over(
    curves: NDArray[np.float64], rounds: NDArray[np.int64], start: float = 0.0
) -> NDArray[np.float64]:
    """The mean of each curve over its rounds, from the share `start` of them to the last.

    >>> mean_over(np.array([[0.0, 1.0, 1.0]]), np.array([2, 4, 8]))
    array([0.833])
    """
    late = rounds >= start * rounds[-1]
    late[-2:] = True
    area = np.trapezoid(curves[:, late], rounds[late], axis=1)
    mean: NDArray[np.float64] = area / (rounds[-1] - rounds[late][0])
    return mean
