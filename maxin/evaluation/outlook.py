"""How many matches are still missing until a decision, as far as one can tell."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, Stop, check_whole
from maxin.evaluation.checks import finite_vector
from maxin.evaluation.stopping_rule import DOUBT, SHARE
from maxin.kernels.core import normal_cdf
from maxin.kernels.stopping import EARLY

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

    Leads stay as they are, and the variance of a difference falls in proportion to the number of
    matches. So this is (c - 1) n for the smallest c for which the claims hold with every variance
    divided by c,
    by the bound of the stopping rule. docs/explanation/stopping.md compares it with simulations.

    Args:
        strengths: the posterior mean of each player's strength, in nats.
        covariance: the posterior covariance of the strengths.
        n_matches: how many matches were played.
        stop: how certain the decision must be, and its tolerance.
        k: how many of the best players are sought.

    >>> round(matches_left(np.array([0.3, 0.0]), 0.02 * np.eye(2), n_matches=100))
    87
    """
    claims = _Claims.of(finite_vector(strengths, "strengths"), np.asarray(covariance), k, stop.nats)
    if claims.risk(1.0) <= stop.risk:
        return 0.0
    claims = claims.at_least(LEAST_LEAD)
    low, high = 0.0, math.log(MOST_TIMES)
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        is_enough = claims.risk(math.exp(middle)) <= stop.risk
        low, high = (low, middle) if is_enough else (middle, high)
    return n_matches * math.expm1(high)


class _Claims(NamedTuple):
    """That players i are above players j, one entry per claim; those of one i are together."""

    gaps: NDArray[np.float64]  # t_i - t_j + tolerance
    variances: NDArray[np.float64]  # of t_i - t_j
    starts: NDArray[np.int64]  # where the claims of each i begin
    tolerance: float

    @classmethod
    def of(
        cls,
        means: NDArray[np.float64],
        covariance: NDArray[np.float64],
        k: int | None,
        tolerance: float,
    ) -> _Claims:
        """Those of the top k, or of the whole order if k is None."""
        order, n_players = np.argsort(-means, kind="stable"), len(means)
        if k is None:
            above, below = order[np.stack(np.triu_indices(n_players, 1))]
        elif 1 <= check_whole(k, "k") < n_players:
            above, below = np.repeat(order[:k], n_players - k), np.tile(order[k:], k)
        else:
            raise InvalidInput(
                f"k, the size of the top, must be from 1 to {n_players - 1}; got {k}"
            )
        variances = np.diagonal(covariance)
        squares = variances[above] + variances[below] - 2.0 * covariance[above, below]
        starts = np.flatnonzero(np.diff(above, prepend=-1))
        squares = np.maximum(squares, np.finfo(float).tiny)
        return cls(means[above] - means[below] + tolerance, squares, starts, tolerance)

    def at_least(self, least: float) -> _Claims:
        """The claims with every gap at least so many standard deviations."""
        return self._replace(gaps=np.maximum(self.gaps, least * np.sqrt(self.variances)))

    def risk(self, factor: float) -> float:
        """The least 1 - confidence at which they hold after `factor` times as many matches."""
        variances = self.variances / factor
        deviations = np.sqrt(variances)
        z = self.gaps / deviations
        density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        doubts = normal_cdf(-z)
        shortfalls = np.maximum(deviations * density - self.gaps * doubts, 0.0)
        parts = shortfalls / np.maximum(self.tolerance, EARLY * variances)
        strain = float(np.maximum.reduceat(parts, self.starts).sum())
        return max(strain / SHARE, float(doubts.sum()) / DOUBT)
