"""Compiled loops of the stopping rule."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled


@compiled
def doubts(strengths: Floats, covariance: Floats, claims: Ints, lead: float) -> Floats:
    """P(j is stronger than i by more than `lead`), for each row (i, j) of `claims`."""
    chances = np.zeros(len(claims))
    for place in range(len(claims)):
        i, j = claims[place, 0], claims[place, 1]
        variance = covariance[i, i] - 2.0 * covariance[i, j] + covariance[j, j]
        gap = strengths[i] - strengths[j] + lead
        chances[place] = 0.5 * math.erfc(gap / math.sqrt(2.0 * max(variance, 1e-300)))
    return chances


@compiled
def tied_pairs(
    strengths: Floats,
    covariance: Floats,
    claims: Ints,
    order_risk: float,
    tie_risk: float,
    reach: float,
) -> Floats:
    """Mark the rows (i, j) of `claims` that are ties, if i is certainly above j in all others.

    Pairs are set aside as certain, the least doubtful first, until their doubts add up to more
    than `order_risk`. The remaining pairs are marked as ties if the probabilities that they are
    further apart than `reach` add up to at most `tie_risk`; otherwise nothing is marked.
    """
    doubt = doubts(strengths, covariance, claims, 0.0)
    behind = doubts(strengths, covariance, claims, reach)
    ahead = doubts(strengths, covariance, claims, -reach)
    marks = np.zeros_like(doubt)
    aside, apart = 0.0, 0.0
    for place in np.argsort(doubt):
        aside += doubt[place]
        if aside > order_risk:
            marks[place] = 1.0
            apart += behind[place] + 1.0 - ahead[place]
    return marks if apart <= tie_risk else np.zeros_like(doubt)
