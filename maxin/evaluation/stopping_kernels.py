"""Compiled loops of the stopping rule."""

from __future__ import annotations

import math

from maxin.core.compile import Floats, Ints, compiled

LEAST_VARIANCE = 1e-300  # stands for none
FIRST_LOOK = 0.1  # nats^2: the variance of a difference from which on looks are counted


@compiled
def doubt(
    strengths: Floats, covariance: Floats, claims: Ints, tolerance: float
) -> tuple[float, float]:
    """The sum over the rows (i, j) of `claims` of P(j is stronger than i by over `tolerance`).

    And the same with every term times looks^2, where looks = 1 + log(1 + 0.1 / V) and V is the
    variance of the difference.
    """
    total, looked = 0.0, 0.0
    for place in range(len(claims)):
        i, j = claims[place, 0], claims[place, 1]
        variance = covariance[i, i] - 2.0 * covariance[i, j] + covariance[j, j]
        variance = max(variance, LEAST_VARIANCE)
        gap = strengths[i] - strengths[j] + tolerance
        chance = 0.5 * math.erfc(gap / math.sqrt(2.0 * variance))
        total += chance
        looked += chance * (1.0 + math.log1p(FIRST_LOOK / variance)) ** 2
    return total, looked
