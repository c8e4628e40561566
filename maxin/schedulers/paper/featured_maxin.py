"""MaxIn-Elo with features: ratings that are linear in them, and widths in their space."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import ArrayLike

from maxin.core import Match
from maxin.ratings import Features
from maxin.ratings.base import Array, read_only
from maxin.ratings.fitting.features.linear_elo import LinearElo, feature_design
from maxin.ratings.fitting.features.table import check_features
from maxin.schedulers.paper.maxin import Alone, MaxIn
from maxin.schedulers.paper.widths import RIDGE, PairUncertainty

UNSEEN = 1e-10  # up to this share of the largest, an eigenvalue of X'LX is rounding


class FeatureUncertainty(PairUncertainty):
    """Widths ||x_i - x_j|| in the norm of V^-1, V = ridge I + sum of (x_i - x_j)(x_i - x_j)'.

    A match lowers the widths of all pairs with similar differences, whichever players met. The
    steps between two exact inverses are those of `PairUncertainty`, whose x_i are the unit vectors.

    Args:
        design: X, a row per player; see `feature_design`.
        first_batch: see `PairUncertainty`.

    >>> uncertainty = FeatureUncertainty(np.array([[0.0], [1.0], [3.0]]))
    >>> uncertainty.observe(Match(0, 1))
    >>> uncertainty.widths().round(2)
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """

    def __init__(self, design: Array, *, first_batch: int = 0) -> None:
        super().__init__(len(design), ridge=RIDGE, first_batch=first_batch)
        self._design = design
        self._n_groups = 1  # who has met whom says nothing about these widths

    def _join(self, pair: tuple[int, int]) -> bool:
        return False

    def _rebuild(self) -> None:
        """Compute the squared widths by the eigenvectors of X'LX, L the Laplacian of the matches.

        Eigenvalues that are rounding are taken for 0, so that equal widths stay equal.
        """
        laplacian = np.diag(self._settled.sum(axis=1)) - self._settled
        values, vectors = scipy.linalg.eigh(self._design.T @ laplacian @ self._design)
        values = np.where(values > UNSEEN * values.max(initial=0.0), values, 0.0)
        turned = (self._design @ vectors) / np.sqrt(values + self._ridge)
        apart = scipy.spatial.distance.pdist(turned, "sqeuclidean")
        self._widths.base = np.ascontiguousarray(scipy.spatial.distance.squareform(apart))
        self._is_settled = True
        self._forget_steps()


class FeaturedMaxIn(MaxIn):
    """MaxIn-Elo (Algorithm 1) with ratings w'x_i that are linear in the features of the players.

    It is the algorithm with x_i in place of the unit vector e_i, and the weights w in place of
    the ratings. Players with the same features have the same rating and do not rule each other
    out. A category of its own for every player gives `MaxIn` with `Elo` again.

    Args:
        features: of the players, a row each: numbers, 0 or 1, and categories.
        rng: draws the first batch.
        prior_scale: standard deviation of the ratings, in nats, in the fit of the first batch.
        exploration: see `MaxIn`.
        batch_size: see `MaxIn`.
        step_size: see `MaxIn`.
        radius: how far the weights may move away from the fit of the first batch.
        alone: see `MaxIn`.

    >>> from maxin.core import Result
    >>> maxin = FeaturedMaxIn([10.0, 20.0, 30.0, 40.0], rng=np.random.default_rng(0))
    >>> for _ in range(6):
    ...     match = maxin.ask()
    ...     maxin.tell(Result(match, float(match.first > match.second)))
    >>> maxin.ratings()
    array([-1.467, -0.489,  0.489,  1.467])
    """

    def __init__(
        self,
        features: Features | ArrayLike,
        *,
        rng: np.random.Generator,
        prior_scale: float = 1.0,
        exploration: float | Callable[[int], float] = 1.0,
        batch_size: int | None = None,
        step_size: float = 1.0,
        radius: float = 2.0,
        alone: Alone = "rival",
    ) -> None:
        table = features if isinstance(features, Features) else Features(features)
        design = feature_design(check_features(table, table.n_players))
        self._linear = LinearElo(design, prior_scale=prior_scale)
        super().__init__(
            self._linear,
            rng=rng,
            exploration=exploration,
            batch_size=batch_size,
            step_size=step_size,
            radius=radius,
            alone=alone,
        )
        self.uncertainty = FeatureUncertainty(design, first_batch=self.batch_size)
        _, kinds = np.unique(design, axis=0, return_inverse=True)
        self._is_like = kinds.ravel()[:, None] == kinds.ravel()  # pairs with the same features

    def _rated(self) -> Array:
        return read_only(self._linear.ratings(self.estimate))

    def _consider(self, floors: Array) -> None:
        floors[self._is_like] = -1.0
        super()._consider(floors)

    def _lone_match(self, player: int) -> Match | None:
        if self._is_like.all():  # the features say nothing, so any match is as good
            return self._random_match()
        return super()._lone_match(player)
