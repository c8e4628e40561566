"""Solutions with the curvature of a Bradley-Terry log-posterior, and its inverse."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from maxin.core import InvalidInput
from maxin.core.linalg import SMALL, factorised, inverted, solved
from maxin.kernels import pairs as kernels
from maxin.kernels.core import mirror_lower
from maxin.ratings.base import Array
from maxin.ratings.fitting.pairs import Pairs

LARGEST_DENSE = 20_000  # players; their covariance takes 3 GB
STEP_ACCURACY = 1e-3  # of a solution; Newton's next step corrects the rest
COLUMN_ACCURACY = 1e-13  # of a column of the covariance, which nothing corrects
# One round of conjugate gradients takes as long, per pair and player, as this many operations of a
# dense factor: it waits for memory (measured at 1,000 and 10,000 players).
ROUND_COST = 32


class Curvature:
    """Minus the Hessian of a log-posterior: D - W - h h' / c.

    W[i, j] is the weight g p (1 - p) of a pair's games, and D the sum of a player's weights plus
    the prior's precision. h holds the mixed derivatives with the first-seat advantage and c, the
    stiffness, the second derivative along it; c is infinite if the advantage is known.

    There are two ways to solve: conjugate gradients, which touch only pairs that met, and a dense
    Cholesky factor. The first one gives way as soon as it has cost as much as the second would.
    Small matrices are always factored, larger ones than `LARGEST_DENSE` never.
    """

    def __init__(
        self,
        pairs: Pairs,
        groups: MatchGroups,
        precision: float,
        weights: Array,
        sums: tuple[Array, Array],
        stiffness: float,
    ) -> None:
        given, taken = sums
        self._groups, self._precision = groups, precision
        self._arrays = (pairs, weights, precision + given + taken, given - taken, stiffness)

    @property
    def pull(self) -> Array:
        """How much each rating moves the most probable advantage: h / c."""
        return np.asarray(self._arrays[3] / self._arrays[4])

    @property
    def stiffness(self) -> float:
        """The curvature c along the advantage."""
        return self._arrays[4]

    def solution(self, right: Array) -> Array:
        """The solution whose groups have a mean of zero, to `STEP_ACCURACY` or better."""
        found = self._by_gradients(right, STEP_ACCURACY, 1.0 / 3.0)
        return self._groups.centred(solved(self._factor[0], right) if found is None else found)

    def inverse(self) -> Array:
        """The whole inverse: the covariance of all players."""
        n_players = self._groups.n_players
        if n_players > LARGEST_DENSE:
            raise InvalidInput(
                f"the covariance of all pairs is limited to {LARGEST_DENSE:,} players, and there "
                f"are {n_players:,}; covariance_of(players) gives it for some of them"
            )
        factor, lifted = self._factor
        covariance = inverted(factor)
        self._groups.lower(covariance, lifted, self._precision)
        return covariance

    def inverse_of(self, players: Sequence[int]) -> Array | None:
        """The inverse in the rows and columns of `players`; None if the whole one is cheaper."""
        labels, block = self._groups.labels, np.empty((len(players), len(players)))
        for row, player in enumerate(players):
            unit = np.zeros(self._groups.n_players)
            unit[player] = 1.0
            column = self._by_gradients(
                self._groups.centred(unit), COLUMN_ACCURACY, 1.0 / len(players)
            )
            if column is None:
                return None
            mates = labels[list(players)] == labels[player]
            level = 1.0 / (self._precision * self._groups.sizes[labels[player]])
            block[row] = self._groups.centred(column)[list(players)] + mates * level
        return np.asarray((block + block.T) / 2.0)

    def _by_gradients(self, right: Array, accuracy: float, share: float) -> Array | None:
        """The solution by conjugate gradients, unless it takes `share` n^3 operations or more."""
        n_players, n_pairs = self._groups.n_players, len(self._arrays[1])
        if n_players < SMALL:
            return None
        limit = int(share * n_players**3 / (ROUND_COST * (n_pairs + n_players)))
        if n_players > LARGEST_DENSE:
            limit = max(limit, 10 * n_players)
        found, is_near = kernels.conjugate_gradients(*self._arrays, right, accuracy, limit)
        return found if is_near or n_players > LARGEST_DENSE else None

    @cached_property
    def _factor(self) -> tuple[Array, Array]:
        """The dense factor, and how far each group's level was lifted before."""
        matrix = kernels.dense_curvature(*self._arrays)
        lifted = self._groups.lift(matrix)
        return factorised(matrix), lifted


class MatchGroups:
    """Groups of players connected by matches; the ratings of each group have a mean of zero.

    The likelihood depends only on differences within a group, so along a group's common level
    the curvature is the prior's alone, which may be tiny. It is lifted to the size of the rest
    before the matrix is factored, and the inverse is corrected afterwards.
    """

    def __init__(self, pairs: Pairs) -> None:
        self.labels = kernels.connected_groups(pairs)
        self.sizes = np.bincount(self.labels)

    @property
    def n_players(self) -> int:
        """How many players there are."""
        return len(self.labels)

    def centred(self, values: Array) -> Array:
        """`values` minus the mean of their group."""
        means = np.bincount(self.labels, values) / self.sizes
        return np.asarray(values - means[self.labels])

    def lift(self, curvature: Array) -> Array:
        """Raise the curvature along each group's level, in place; returns the amounts."""
        amounts = np.bincount(self.labels, np.diagonal(curvature)) / self.sizes
        kernels.add_to_groups(curvature, self.labels, amounts / self.sizes)
        return np.asarray(amounts)

    def lower(self, covariance: Array, amounts: Array, precision: float) -> None:
        """Add to the inverse, in place, what lifting the curvature took from it."""
        taken = 1.0 / precision - 1.0 / (precision + amounts)
        kernels.add_to_groups(covariance, self.labels, taken / self.sizes)
        mirror_lower(covariance)
