"""How many matches are still missing until a decision, as far as one can tell."""

from __future__ import annotations

import math

import numpy as np

from maxin.core import InvalidInput, Stop, check_whole
from maxin.evaluation.checks import finite_vector
from maxin.evaluation.stopping_rule import MARGIN
from maxin.kernels.core import normal_cdf
from maxin.kernels.stopping import FIRST_LOOK

# A lead in standard deviations counts at least this much: the median size of a true difference
# whose estimate is zero. Without it, a chance tie early on would seem to last forever.
LEAST_LEAD = 0.674
MOST_TIMES = 1e6  # as many matches as so far
STEPS = 20  # of the bisection; they leave an error of 1e-5


def matches_left(
    strengths: np.ndarray,
    covariance: np.ndarray,
    n_matches: float,
    stop: Stop = Stop(),
    *,
    k: int | None = 1,
) -> float:
    """About how many more matches decide the top k, or the whole order if k is None.

    A lead of z standard deviations grows as the square root of the number of matches, and the
    variance V of a difference falls in proportion. So this is (c - 1) n for the smallest c with

        sum over claims of P(Z > sqrt(c) z) (1 + log(1 + 0.1 c / V))^2 <= (1 - confidence) / 5,

    with the same claims and the same bound as the stopping rule. In simulations, half of all
    estimates were between 0.7 and 2.9 times the matches that it took: see docs/stopping.md.

    Args:
        strengths: the posterior mean of each player's strength, in nats.
        covariance: the posterior covariance of the strengths.
        n_matches: how many matches were played.
        stop: how certain the decision must be, and its tolerance.
        k: how many of the best players are sought.

    >>> round(matches_left(np.array([0.3, 0.0]), 0.02 * np.eye(2), n_matches=100))
    198
    """
    means, cov = finite_vector(strengths, "strengths"), np.asarray(covariance)
    allowed = stop.risk / MARGIN
    leads, variances = _leads(means, cov, k, stop.nats)
    if _looked(leads, variances, 1.0) <= allowed:
        return 0.0
    leads = np.maximum(leads, LEAST_LEAD)
    low, high = 0.0, math.log(MOST_TIMES)
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        is_enough = _looked(leads, variances, math.exp(middle)) <= allowed
        low, high = (low, middle) if is_enough else (middle, high)
    return n_matches * math.expm1(high)


def _looked(leads: np.ndarray, variances: np.ndarray, factor: float) -> float:
    """The doubt, weighted by looks, after `factor` times as many matches."""
    doubts = normal_cdf(-math.sqrt(factor) * leads)
    looks = 1.0 + np.log1p(FIRST_LOOK * factor / variances)
    return float((doubts * looks**2).sum())


def _leads(
    means: np.ndarray, covariance: np.ndarray, k: int | None, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """For every claim, the lead plus the tolerance in standard deviations, and its variance."""
    order = np.argsort(-means, kind="stable")
    if k is None:
        above, below = order[np.stack(np.triu_indices(len(order), 1))]
    elif 1 <= check_whole(k, "k") < len(means):
        above, below = np.repeat(order[:k], len(order) - k), np.tile(order[k:], k)
    else:
        most = len(means) - 1
        raise InvalidInput(f"k, the size of the top, must be from 1 to {most}; got {k}")
    variances = np.diagonal(covariance)
    squares = variances[above] + variances[below] - 2.0 * covariance[above, below]
    squares = np.maximum(squares, np.finfo(float).tiny)
    return (means[above] - means[below] + tolerance) / np.sqrt(squares), squares
