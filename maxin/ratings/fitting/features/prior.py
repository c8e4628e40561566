"""The prior correlation of ratings by features, with the shares of each similarity learnt."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from maxin.core.linalg import factorised, inverted
from maxin.kernels.posterior import LEAST_SPREAD2, MOST_SPREAD2
from maxin.ratings.base import Array
from maxin.ratings.fitting.features.similarities import similarities
from maxin.ratings.fitting.features.table import Features

SHARES = (0.3, 0.6, 0.8, 0.9, 0.95, 0.99)  # rho, the share of the variance that features explain
NONE = 0.7  # the prior probability that features explain nothing
SPREADS = (0.5, 1.0, 2.0)  # factors of s^2 that are averaged over
SPREAD_ODDS = np.array([0.25, 0.5, 0.25])
FAR = 12.0  # log odds: values less likely than the best by more have a negligible share
HALVINGS = 40  # of the range of log s^2, of which 1e-11 is left
NEGLIGIBLE = 1e-5  # eigenvalues of a similarity up to this are left out of its evidence

Cells = NDArray[np.bool_]  # which ways, shares and spreads


class FeatureWay(NamedTuple):
    """How some features act: "curve", "line", "category" and so on, with its share of rho."""

    way: str
    features: tuple[str, ...]
    share: float


class FeaturePrior:
    """R = (1 - sum of shares) I + sum of share * similarity, the prior correlation of ratings.

    One similarity K and one rho give r ~ N(0, s^2 (rho K + (1 - rho) I)). The evidence of the
    results weights a grid of both, and rho = 0, and R is the posterior mean; so the shares of
    useless features go to 0. See docs/explanation/features.md.

    Args:
        features: of all players.
        reference: of the players by whom numbers are standardised; all by default.

    >>> prior = FeaturePrior(Features({"step": [0.0, 1.0, 2.0]}))
    >>> prior.correlation()[0].round(2) + 0.0
    array([1.02, 0.08, 0.  ])
    """

    def __init__(self, features: Features, reference: Features | None = None) -> None:
        self.features = features
        self._reference = reference or features
        found = similarities(features, self._reference)
        self.names = [one.name for one in found]
        self._ways = [(one.way, one.features) for one in found]
        self._matrices = [one.matrix for one in found]
        n_ways = len(found)
        self.shares = np.full(n_ways, (1.0 - NONE) * float(np.mean(SHARES)) / n_ways)

    @property
    def explained(self) -> float:
        """The share rho of the prior variance that features explain."""
        return float(self.shares.sum())

    def ways(self) -> list[FeatureWay]:
        """The share of each way in which features act, the largest first.

        >>> prior = FeaturePrior(Features({"step": [0.0, 1.0, 2.0]}))
        >>> [(way.way, way.share) for way in prior.ways()]
        [('curve', 0.195), ('line', 0.032)]
        """
        totals: dict[tuple[str, tuple[str, ...]], float] = {}
        for key, share in zip(self._ways, self.shares.tolist(), strict=True):
            totals[key] = totals.get(key, 0.0) + share
        found = [FeatureWay(way, features, share) for (way, features), share in totals.items()]
        return sorted(found, key=lambda one: -one.share)

    def correlation(self) -> Array:
        """R, shape (players, players)."""
        total = (1.0 - self.explained) * np.eye(self.features.n_players)
        for share, matrix in zip(self.shares, self._matrices, strict=True):
            total += share * matrix
        return total

    def precision(self) -> Array:
        """P, the inverse of R."""
        return inverted(factorised(self.correlation()))

    def move_to(self, shares: Array) -> None:
        """Take over these shares, or the nearest ones that can be."""
        positive = np.maximum(shares, 0.0)
        self.shares = positive * min(1.0, max(SHARES) / max(float(positive.sum()), 1e-300))

    def joined_by(self, others: Features) -> FeaturePrior:
        """The prior of these players and others, with the same shares."""
        joined = FeaturePrior(self.features.followed_by(others), self._reference)
        joined.shares = self.shares
        return joined

    def likely_shares(
        self, laplacian: Array, pull: Array, spread2: float, among: Cells | None = None
    ) -> tuple[Array, Cells]:
        """The shares that the results make likely: all ways, weighted by their evidence.

        Args:
            laplacian: L, what the results say about differences of ratings.
            pull: b = L r + the slope of the log-likelihood at r.
            spread2: s^2.
            among: by way, share and spread, which are tried; all by default.

        Returns:
            the shares, and which of those tried are not far less likely than the best.
        """
        values, vectors = scipy.linalg.eigh(laplacian, driver="evd")
        likelihood = RatingLikelihood(np.maximum(values, 0.0), vectors.T @ pull)
        shape = (len(self._roots), len(SHARES), len(SPREADS))
        cells = np.ones(shape, dtype=np.bool_) if among is None else among
        logs = np.full(shape, -np.inf)
        none = np.array(
            [log_evidence(likelihood, None, 0.0, factor * spread2) for factor in SPREADS]
        )
        for way, root in enumerate(self._roots):
            if cells[way].any():
                turned = vectors.T @ root
                for share, spread in np.argwhere(cells[way]).tolist():
                    logs[way, share, spread] = log_evidence(
                        likelihood, turned, SHARES[share], SPREADS[spread] * spread2
                    )
        most = max(logs.max(), none.max())
        odds = (np.exp(logs - most) @ SPREAD_ODDS) * (1.0 - NONE) / logs[..., 0].size
        total = odds.sum() + NONE * float(np.exp(none - most) @ SPREAD_ODDS)
        return np.asarray(odds @ np.array(SHARES) / total), logs > most - FAR

    def likely_spread2(self, laplacian: Array, pull: Array) -> float:
        """The s^2 = (1 + r'P r + trace(P S)) / (n + 1) of these results; see `likely_shares`.

        With R = C C', the eigenvalues a of C'LC and c = U'C'b, r'P r is the sum of (k c)^2 and
        trace(P S) that of k = s^2 / (1 + s^2 a).

        >>> prior = FeaturePrior(Features({"step": [0.0, 1.0, 2.0]}))
        >>> laplacian = 9.0 * np.eye(3) - 3.0
        >>> prior.likely_spread2(laplacian, laplacian @ np.array([-1.0, 0.0, 1.0]))
        0.927
        """
        root = np.tril(factorised(self.correlation()))
        values, vectors = scipy.linalg.eigh(root.T @ laplacian @ root, driver="evd")
        squares = np.square(vectors.T @ (root.T @ pull))

        def grows(log: float) -> bool:
            parts = 1.0 / (math.exp(-log) + np.maximum(values, 0.0))
            total = 1.0 + float((squares * parts**2).sum() + parts.sum())
            return total > (len(values) + 1.0) * math.exp(log)

        low, high = math.log(LEAST_SPREAD2), math.log(MOST_SPREAD2)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if grows(middle) else (low, middle)
        return math.exp(0.5 * (low + high))

    @cached_property
    def _roots(self) -> list[Array]:
        """For every similarity K a root V, K = V V', with few columns if they suffice."""
        found = []
        for matrix in self._matrices:
            values, vectors = scipy.linalg.eigh(matrix, driver="evd")
            kept = values > NEGLIGIBLE
            found.append(vectors[:, kept] * np.sqrt(values[kept]))
        return found


class RatingLikelihood(NamedTuple):
    """What results say of the ratings, exp(b'r - r'Lr / 2), by the eigenvectors of L."""

    values: Array  # the eigenvalues of L
    pull: Array  # b


def log_evidence(
    likelihood: RatingLikelihood, root: Array | None, rho: float, spread2: float
) -> float:
    """The log evidence of r ~ N(0, s^2 (rho V V' + (1 - rho) I)), up to a constant.

    With u = s^2 (1 - rho), the part of everyone's own leaves exp(b~'x - x'L~x / 2) for the rest,
    L~ = L (I + u L)^-1 and b~ = (I + u L)^-1 b. Then log Z = (b~'W M^-1 W'b~ - log|M|) / 2 with
    W = s sqrt(rho) V and M = I + W'L~W.

    >>> log_evidence(RatingLikelihood(np.array([0.0, 2.0]), np.zeros(2)), None, 0.0, 1.0)
    -0.549
    """
    own = spread2 * (1.0 - rho)
    rest = 1.0 / (1.0 + own * likelihood.values)
    log = 0.5 * float(own * (likelihood.pull**2 @ rest) + np.log(rest).sum())
    if root is None or not root.shape[1]:  # nothing is similar, as if all have the same number
        return log
    scale = np.sqrt(spread2 * rho)
    halves = (scale * np.sqrt(likelihood.values * rest))[:, None] * root
    matrix = np.eye(root.shape[1]) + halves.T @ halves
    upper, _ = scipy.linalg.lapack.dpotrf(matrix.T, lower=0, clean=0)
    pulled = scale * (root.T @ (rest * likelihood.pull))
    fitted = scipy.linalg.blas.dtrsv(upper, pulled, trans=1)
    return log + 0.5 * float(fitted @ fitted) - float(np.log(upper.diagonal()).sum())
