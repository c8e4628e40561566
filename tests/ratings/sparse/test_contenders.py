"""The exact posterior of some players, in which results of the others are priors."""

import numpy as np
import pytest

from maxin.core import Match, Result
from maxin.kernels.posterior import OUTSIDERS, gaps_of
from maxin.ratings import SparsePosterior
from maxin.ratings.sparse.contenders import contender_levels, contender_posterior
from tests.helpers.dense_graph import dense_fixed_point
from tests.helpers.dense_posterior import rating_cov

CONTENDERS = np.array([1, 4, 6, 9])


def graph_with_trees(seed):
    """A path of contenders; every one of them has outsiders who met nobody else but in trees."""
    rng = np.random.default_rng(seed)
    inner = [(1, 4), (4, 6), (6, 9), (4, 1)]
    outer = [(0, 1), (2, 1), (3, 4), (5, 6), (7, 9), (8, 7), (0, 1), (10, 8)]
    graph = SparsePosterior(12)
    graph._next_scales = 10**9
    graph.tell_many(np.array(inner + outer), rng.choice([0.0, 0.5, 1.0], len(inner + outer)))
    for _ in range(40):
        graph.settle(1e-9)
    return graph


@pytest.mark.parametrize("seed", range(5))
def test_priors_stand_for_trees_of_outsiders(seed):
    graph = graph_with_trees(seed)
    posterior = contender_posterior(graph, CONTENDERS, float(graph.state.scales[1]))
    ratings, _, _, cov = dense_fixed_point(graph.state)
    np.testing.assert_allclose(posterior.state.ratings, ratings[CONTENDERS], atol=2e-3)
    inside = cov[np.ix_(CONTENDERS, CONTENDERS)]
    np.testing.assert_allclose(rating_cov(posterior.state), inside, atol=2e-3)


def test_a_contender_posterior_has_the_scales_pairs_and_field_of_the_graph():
    graph = graph_with_trees(1)
    graph.leave(11)
    posterior = contender_posterior(graph, CONTENDERS, 0.5)
    state = posterior.state
    assert state.scales[[0, 1, 3]].tolist() == [1.0, 0.5, 1.0]
    assert state.scales[OUTSIDERS] == 11 - 4
    assert state.counts[0] == 3
    assert posterior.n_told == 4
    assert len(gaps_of(state)) == 3
    posterior.tell(Result(Match(0, 3), 1.0))
    assert posterior.n_told == 5


def test_levels_are_strengths_on_the_scale_of_the_graph():
    graph = graph_with_trees(2)
    posterior = contender_posterior(graph, CONTENDERS, 1e-6)
    means, variances = contender_levels(posterior.state, np.array([2, 0]))
    np.testing.assert_allclose(means, posterior.state.ratings[[2, 0]], atol=1e-5)
    assert variances == pytest.approx(posterior.state.strength_var[[2, 0]], rel=1e-4)
