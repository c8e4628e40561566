"""The exact posterior of a few players of a large field, given all results of the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.core.arrays import Floats, Ints
from maxin.core.linalg import one_blas_thread
from maxin.kernels.posterior import (
    CYCLIC_KAPPA2,
    KAPPA2,
    NOBODY,
    OUTSIDERS,
    PAIRS,
    PHI,
    SPREAD2,
    difference_variances,
    gaps_of,
)
from maxin.kernels.sparse import (
    contender_levels,
    fill_chances,
    fill_contenders,
    fill_doubts,
    normal_tail,
)
from maxin.ratings.base import Array
from maxin.ratings.posterior.fitting import based_on, newton_step
from maxin.ratings.posterior.posterior import Posterior
from maxin.ratings.posterior.state import with_room
from maxin.ratings.sparse.sparse_posterior import SparsePosterior

N_STEPS = 3  # Newton steps, after which covariances belong to the pairs among contenders


def contender_posterior(graph: SparsePosterior, contenders: Ints, kappa2: float) -> Posterior:
    """The posterior of some players, numbered by their places in `contenders`, which is sorted.

    Matches among them are in it as they are. A match with an outsider becomes part of its player's
    prior: the precision is the message that belief propagation passes, and the mean is such that
    nothing moves. Strength is still measured against the whole field. The scales are kept but for
    kappa^2, which the posterior learns from its next refit on.

    >>> graph = SparsePosterior(3_000)
    >>> graph.tell_many(np.array([[0, 1], [1, 2]]), np.array([1.0, 1.0]))
    >>> posterior = contender_posterior(graph, np.array([0, 1]), kappa2=1.0)
    >>> posterior.ratings().round(2), posterior.state.prior_weights.round(2)
    (array([0.37, 0.03]), array([1.  , 1.16]))
    """
    posterior = Posterior(len(contenders), kappa=float(np.sqrt(graph.state.scales[CYCLIC_KAPPA2])))
    places = np.full(graph.n_players, NOBODY)
    places[contenders] = np.arange(len(contenders))
    n_ends = int(graph.state.degrees[contenders].sum())
    state = with_room(posterior.state, n_pairs=n_ends, n_rows=0)
    for scale in (SPREAD2, PHI):
        state.scales[scale] = graph.state.scales[scale]
    state.scales[KAPPA2] = kappa2
    state.scales[OUTSIDERS] = graph.n_members - len(contenders)
    fill_contenders(graph.state, contenders, places, state)
    with one_blas_thread():
        state = state.replace(base_cov=np.diag(state.rating_var))
        gaps = gaps_of(state)
        for _ in range(N_STEPS):
            _, factor, cov = newton_step(state, gaps, 1.0)
        state = based_on(state, factor, cov)
    posterior.start_with(state, round(float(state.played[: state.counts[PAIRS]].sum())))
    return posterior


class Rivals(NamedTuple):
    """Who may belong to the top: the leaders, and everyone's P(better than the last of them)."""

    leaders: Ints
    chances: Floats
    n_effective: float  # (sum of chances)^2 / (sum of their squares)

    def likeliest(self, count: int) -> Ints:
        """The players most likely to belong to the top, sorted by number."""
        return np.sort(np.argpartition(-self.chances, count - 1)[:count])


def find_rivals(graph: SparsePosterior, k: int) -> Rivals:
    """The k players rated highest, and how likely the others are to replace the last of them.

    Leaders have 1/2 each in the effective number, and count as certain in `chances`.

    >>> find_rivals(SparsePosterior(3_000), 1).n_effective
    3000.0
    """
    state = graph.state
    ratings = np.where(state.members, state.ratings, -np.inf)
    leaders = np.argpartition(-ratings, k - 1)[:k]
    leaders = leaders[np.argsort(-ratings[leaders], kind="stable")]
    last = leaders[-1]
    variance = 1.0 / state.precisions[last] + 2.0 * state.scales[KAPPA2] / graph.n_members
    chances = np.empty(graph.n_players)
    fill_chances(state, float(state.ratings[last]), float(variance), chances)
    chances[leaders] = 0.5
    n_effective = float(chances.sum() ** 2 / np.square(chances).sum())
    chances[leaders] = 1.0
    return Rivals(leaders, chances, n_effective)


class Contenders:
    """The players of a large field who may belong to its top, rated exactly.

    Args:
        graph: rates the whole field.
        contenders: their numbers, sorted.
        k: the size of the top.
        posterior: that of the contenders, numbered by their places.
    """

    def __init__(
        self, graph: SparsePosterior, contenders: Ints, k: int, posterior: Posterior
    ) -> None:
        self.graph, self.contenders, self.k, self.posterior = graph, contenders, k, posterior

    def top(self) -> Ints:
        """The places of the k contenders rated highest."""
        return np.argsort(-self.posterior.state.strengths, kind="stable")[: self.k]

    def inside_doubt(self) -> float:
        """The sum of P(t_y > t_x) over x in the top and y among the other contenders."""
        state, top, doubt = self.posterior.state, self.top(), 0.0
        others = np.setdiff1d(np.arange(len(self.contenders)), top)
        for x in top.tolist():
            variances = difference_variances(state, state.strength_var, x)
            for y in others.tolist():
                doubt += normal_tail(state.strengths[x] - state.strengths[y], variances[y])
        return doubt

    def levels(self) -> tuple[Floats, Floats]:
        """Means and variances of the ratings that an outsider must exceed, the best first."""
        return contender_levels(self.posterior.state, self.top())

    def outside_doubts(self) -> Floats:
        """For each player, the doubt that `inside_doubt` lacks: all of it for outsiders.

        Players who met few rivals are integrated numerically, with a prior whose tails are heavy.
        """
        doubts, top = np.empty(self.graph.n_players), self.contenders[self.top()]
        fill_doubts(self.graph.state, self.contenders, top, *self.levels(), doubts)
        return doubts

    def ratings(self) -> Array:
        """The graph's ratings, with the contenders' own in their places."""
        ratings: Array = self.graph.ratings().copy()
        means, _ = contender_levels(self.posterior.state, np.arange(len(self.contenders)))
        ratings[self.contenders] = means - self.graph.mean()
        return ratings
