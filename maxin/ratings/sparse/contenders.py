"""The exact posterior of a few players of a large field, given all results of the others."""

from __future__ import annotations

import numpy as np

from maxin.core.compile import Floats, Ints, compiled
from maxin.core.linalg import one_blas_thread
from maxin.ratings.posterior.fitting import based_on, newton_step
from maxin.ratings.posterior.posterior import Posterior
from maxin.ratings.posterior.relaxation_kernels import pair_surprise
from maxin.ratings.posterior.state import with_room
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    NOBODY,
    OUTSIDERS,
    PAIRS,
    PHI,
    PRIOR_KAPPA2,
    SPREAD2,
    PosteriorState,
    gaps_of,
    list_pair,
    open_share,
)
from maxin.ratings.sparse.sparse_posterior import SparsePosterior
from maxin.ratings.sparse.sparse_state import SparseState

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
    (array([0.37, 0.03]), array([1.  , 1.15]))
    """
    posterior = Posterior(len(contenders), kappa=float(np.sqrt(graph.state.scales[PRIOR_KAPPA2])))
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
        state = state._replace(base_cov=np.diag(state.rating_var))
        gaps = gaps_of(state)
        for _ in range(N_STEPS):
            _, factor, cov = newton_step(state, gaps, 1.0)
        state = based_on(state, factor, cov)
    posterior.start_with(state, round(float(state.played[: state.counts[PAIRS]].sum())))
    return posterior


@compiled
def fill_contenders(
    graph: SparseState, contenders: Ints, places: Ints, state: PosteriorState
) -> None:
    """Fill in the ratings, priors and pairs of the contenders; `places` has -1 for outsiders."""
    spread2 = graph.scales[SPREAD2]
    for place in range(len(contenders)):
        x = contenders[place]
        precision, total, end = 1.0 / spread2, 0.0, graph.heads[x]
        while end != NOBODY:
            pair, sign = end // 2, 1.0 - 2.0 * (end % 2)
            rival = places[graph.pairs[pair, 1 - end % 2]]
            if rival != NOBODY:
                if place < rival:
                    copy_pair(graph, pair, state, place, rival)
            else:
                surprise, _ = pair_surprise(graph, pair)
                pull = surprise + graph.weights[pair] * graph.effects[pair]
                message = graph.messages[end]
                precision += message
                total += sign * open_share(graph, pair) * pull + message * graph.ratings[x]
            end = graph.nexts[end]
        state.prior_means[place] = total / precision
        state.prior_weights[place] = precision * spread2
        state.ratings[place] = graph.ratings[x]
        state.rating_var[place] = 1.0 / graph.precisions[x]


@compiled
def copy_pair(graph: SparseState, pair: int, state: PosteriorState, i: int, j: int) -> None:
    """List a pair of contenders i < j with everything the graph has of it."""
    own = list_pair(state, i, j)
    state.played[own], state.points[own] = graph.played[pair], graph.points[pair]
    state.weights[own], state.effects[own] = graph.weights[pair], graph.effects[pair]


@compiled
def contender_levels(state: PosteriorState, top: Ints) -> tuple[Floats, Floats]:
    """Means and variances of the ratings that an outsider must exceed to replace the top.

    It is the strength without the common part, and with the mean effect of the outsider's pairs.
    """
    n_field = state.members.sum() + state.scales[OUTSIDERS]
    shift = (state.members * state.ratings).sum() / n_field
    means: Floats = state.strengths[top] + shift
    variances: Floats = state.strength_var[top] + state.scales[KAPPA2] / n_field
    return means, variances
