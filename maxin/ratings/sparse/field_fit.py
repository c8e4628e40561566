"""The fit of all results of a large field: everyone is rated, and the best of them exactly."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from maxin.core import InvalidInput, Match, check_match
from maxin.core.arrays import Ints
from maxin.kernels.core import normal_cdf
from maxin.kernels.posterior import KAPPA2, PROBIT
from maxin.kernels.sparse import fill_outsiders
from maxin.ratings.base import Array
from maxin.ratings.fitting.pairs import Pairs
from maxin.ratings.sparse.contenders import Contenders, contender_posterior, find_rivals
from maxin.ratings.sparse.sparse_posterior import SparsePosterior
from maxin.ratings.tally import Tally

N_CONTENDERS = 512  # players who are rated exactly
N_HIGHEST = 128  # of them are the highest rated, so that they include the whole top
N_ROUNDS = 2  # how many times contenders are chosen and kappa is learnt from them
N_LEVELS = 64  # at which outsiders are compared with the contenders
FINE = 1e-4  # nats, to which ratings settle; and the scales, relative


class FieldFit:
    """What a `Posterior` knows, for fields in which a covariance of all players is too large.

    Everyone is rated by a `SparsePosterior`. The 128 players rated highest, and those most likely
    to be the best, 512 in all, have an exact `Posterior`, and so a covariance; all others are
    taken as independent. The fit depends on the set of results alone.

    Args:
        tally: the results.
        field: the players against whom strength is measured; everyone by default.

    >>> tally = Tally(3_000)
    >>> tally.add_many([0] * 9 + [1] * 9, [1] * 9 + [2] * 9, [1.0, 1.0, 0.0] * 6)
    >>> fit = FieldFit(tally)
    >>> fit.ratings()[:4].round(2), len(fit.contenders)
    (array([ 0.34, -0.  , -0.33, -0.  ]), 512)
    >>> fit.difference_variances([0, 0], [1, 2_999]).round(2)
    array([0.36, 0.88])
    """

    def __init__(self, tally: Tally, field: ArrayLike | None = None) -> None:
        self.graph = SparsePosterior(tally.n_players)
        if field is not None:
            self.graph.state.members[:] = False
            self.graph.state.members[np.asarray(field, dtype=np.int64)] = True
        pairs = Pairs.of_tally(tally, np.arange(tally.n_players))
        split = float(tally.splits.sum())
        self.graph.replace(pairs.rows(), pairs.points, pairs.games, split)
        kappa2 = float(self.graph.state.scales[KAPPA2])
        n_contenders = min(N_CONTENDERS, self.graph.n_members)
        for _ in range(N_ROUNDS):
            self.graph.learn_kappa(kappa2)
            self.graph.settle_scales(FINE)
            self.contenders = self._chosen(n_contenders)
            self.posterior = contender_posterior(self.graph, self.contenders, kappa2)
            self.posterior.settle()
            kappa2 = self.posterior.kappa**2

    def _chosen(self, count: int) -> Ints:
        """The players rated highest, and with them those who are likeliest to be the best."""
        rivals = find_rivals(self.graph, 1)
        rivals.chances[find_rivals(self.graph, min(N_HIGHEST, count)).leaders] = 1.0
        return rivals.likeliest(count)

    @property
    def n_players(self) -> int:
        """How many players are rated."""
        return self.graph.n_players

    @cached_property
    def places(self) -> Ints:
        """The place of each player among the contenders; -1 for all others."""
        places = np.full(self.n_players, -1)
        places[self.contenders] = np.arange(len(self.contenders))
        return places

    def ratings(self) -> Array:
        """The posterior means of the strengths, in nats."""
        return Contenders(self.graph, self.contenders, 1, self.posterior).ratings()

    @cached_property
    def _covariance(self) -> Array:
        return self.posterior.covariance()

    def covariance_of(self, players: ArrayLike) -> Array:
        """The covariance of the strengths of some contenders."""
        places = self.places[np.asarray(players, dtype=np.int64)]
        if (places < 0).any():
            raise InvalidInput("only contenders have a covariance")
        return self._covariance[np.ix_(places, places)]

    def variances(self) -> Array:
        """The variance of each strength."""
        effects = self.posterior.kappa**2 / self.graph.n_members
        variances: Array = self.graph.variances() + effects
        variances[self.contenders] = np.diagonal(self._covariance)
        return variances

    def variances_from(self, base: ArrayLike) -> Array:
        """Var(t_i - mean of t over `base`); the mean of many players is taken as known."""
        chosen = np.asarray(base, dtype=np.int64)
        if len(chosen) > 1:
            return self.variances()
        everyone = np.arange(self.n_players)
        found = self.difference_variances(everyone, np.full(self.n_players, chosen[0]))
        found[chosen] = 0.0
        return found

    def outside(self, levels: Array) -> tuple[Array, Array]:
        """P(no outsider is stronger) for each level, and each outsider's mean chance to be.

        Levels are strengths. Outsiders are independent; those who met few rivals are integrated
        numerically, because their ratings are not quite normal.
        """
        spread = max(float(np.ptp(levels)), 1e-6)
        grid = np.linspace(levels.min() - 0.01 * spread, levels.max() + 0.01 * spread, N_LEVELS)
        places = np.round((levels - grid[0]) / (grid[1] - grid[0])).astype(np.int64)
        shares = np.bincount(places, minlength=N_LEVELS) / len(levels)
        logs, tails = np.empty(N_LEVELS), np.empty(self.n_players)
        on_graph = grid + self.graph.mean()
        fill_outsiders(self.graph.state, self.contenders, on_graph, shares, logs, tails)
        return np.exp(np.interp(levels, grid, logs)), tails

    def difference_variances(self, one: ArrayLike, other: ArrayLike) -> Array:
        """Var(t_i - t_j) for each two players."""
        first, second = np.asarray(one, dtype=np.int64), np.asarray(other, dtype=np.int64)
        variances = self.variances()
        sums: Array = variances[first] + variances[second]
        here, there = self.places[first], self.places[second]
        is_known = (here >= 0) & (there >= 0)
        sums[is_known] -= 2.0 * self._covariance[here[is_known], there[is_known]]
        return np.maximum(sums, 0.0)

    def chances(self, players: ArrayLike) -> Array:
        """P(the row's player beats the column's) for each two of some players."""
        chosen = np.asarray(players, dtype=np.int64)
        means, variances = self._advantages(chosen, chosen)
        shrunk = scipy.special.expit(means / np.sqrt(1.0 + PROBIT * variances))
        places = self.places[chosen]
        known = np.flatnonzero(places >= 0)
        exact = self.posterior.chances()
        shrunk[np.ix_(known, known)] = exact[np.ix_(places[known], places[known])]
        np.fill_diagonal(shrunk, 0.5)
        return np.asarray(shrunk)

    def lead_chance(self, match: Match) -> float:
        """P(the first player would win more than half of many matches against the second)."""
        first, second = check_match(match, self.n_players)
        here, there = int(self.places[first]), int(self.places[second])
        if here >= 0 and there >= 0:
            return self.posterior.lead_chance(Match(here, there))
        means, variances = self._advantages(np.array([first]), np.array([second]))
        return normal_cdf(float(means[0, 0] / math.sqrt(variances[0, 0])))

    def _advantages(self, rows: Ints, columns: Ints) -> tuple[Array, Array]:
        """Means and variances of advantages, as if no two of these players were known jointly."""
        ratings, variances = self.ratings(), self.variances()
        means = np.subtract.outer(ratings[rows], ratings[columns])
        sums = np.add.outer(variances[rows], variances[columns]) + self.posterior.kappa**2
        return means, np.asarray(sums)
