"""What can be said from so many seeds: intervals of shares, matches until one is reached."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

Z = 1.959964  # of a two-sided interval at 95 %
N_RESAMPLES = 200


def wilson(successes: float, n: int) -> tuple[float, float]:
    """The interval of a share at 95 % (Wilson 1927).

    >>> wilson(0, 100)
    (0.0, 0.037)
    >>> wilson(50, 100)
    (0.404, 0.596)
    """
    share, weight = successes / n, Z * Z / n
    middle = (share + weight / 2.0) / (1.0 + weight)
    reach = math.sqrt(share * (1.0 - share) * weight + weight * weight / 4.0) / (1.0 + weight)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def matches_needed(
    found: NDArray[np.float64], rounds: NDArray[np.int64], share: float = 0.9
) -> float:
    """After how many matches the best is found with probability `share`; inf if never.

    The mean over seeds is made to rise (isotonic regression), since chance makes a curve cross a
    line many times, and read between two rounds on a straight line.

    Args:
        found: whether, or with what probability, it was found, shape (seeds, readings).
        rounds: when it was read.
        share: what is to be reached.

    >>> matches_needed(np.array([[0, 0, 1, 1], [0, 1, 1, 1.0]]), np.array([1, 2, 3, 4]), share=0.75)
    2.5
    """
    curve = isotonic_regression(found.mean(axis=0)).x
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
    """The interval of `matches_needed` at 95 %, by drawing the seeds anew (bootstrap).

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
    """The mean of each curve from the share `start` of its rounds on.

    >>> mean_over(np.array([[0.0, 1.0, 1.0]]), np.array([2, 4, 8]))
    array([0.833])
    """
    late = rounds >= start * rounds[-1]
    late[-2:] = True
    area = np.trapezoid(curves[:, late], rounds[late], axis=1)
    mean: NDArray[np.float64] = area / (rounds[-1] - rounds[late][0])
    return mean
