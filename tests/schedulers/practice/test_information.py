"""Informative matches against the covariance that a pending match leaves."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.core import Match, Result
from maxin.kernels.information import rating_gains
from maxin.ratings.posterior.pending import WithPending
from maxin.schedulers import make_scheduler
from maxin.schedulers.practice.information import heavy_pairs, spanning_pairs
from tests.helpers.dense_posterior import rating_cov, some_posterior

N = 6
BOTH = ["information", "swiss-information"]
seeds = st.integers(0, 10_000)


@given(seed=seeds)
@settings(max_examples=30)
def test_the_gain_is_the_information_about_the_ratings(seed):
    """Half the log of the ratio of determinants of Cov(r), before and after the match."""
    posterior = some_posterior(seed, N)
    gains = rating_gains(posterior.state)
    before = np.linalg.slogdet(rating_cov(posterior.state))[1]
    for i, j in itertools.permutations(range(N), 2):
        after = rating_cov(WithPending(posterior).state([Match(i, j)]))
        assert gains[i, j] == pytest.approx((before - np.linalg.slogdet(after)[1]) / 2, abs=1e-9)
    assert (np.diag(gains) == 0.0).all()


@given(seed=seeds, n_players=st.integers(2, 15))
@settings(max_examples=50)
def test_a_batch_is_the_heaviest_spanning_tree(seed, n_players):
    rng = np.random.default_rng(seed)
    weights = rng.random((n_players, n_players))
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    pairs = spanning_pairs(weights, rng)
    tree = nx.maximum_spanning_tree(nx.from_numpy_array(weights))
    assert {frozenset(pair) for pair in pairs.tolist()} == {frozenset(pair) for pair in tree.edges}
    found = weights[tuple(pairs.T)]
    assert (np.diff(found) <= 0.0).all()


def test_the_first_batch_is_random():
    """All matches are equally informative then, and no player has all of them."""
    pairs = spanning_pairs(np.ones((20, 20)), np.random.default_rng(0))
    assert len(pairs) == 19
    assert np.bincount(pairs.ravel()).max() < 8


@pytest.mark.parametrize("n_players", [2, 3, 6, 7])
def test_everyone_is_in_a_round_but_an_odd_player(n_players):
    gains = rating_gains(some_posterior(0, n_players).state)
    pairs = heavy_pairs(gains, np.random.default_rng(0))
    assert len(set(pairs.ravel().tolist())) == pairs.size == n_players // 2 * 2
    assert (np.diff(gains[tuple(pairs.T)]) <= 0.0).all()


@pytest.mark.parametrize("name", BOTH)
def test_more_matches_than_a_round_has_can_be_pending(name):
    scheduler = make_scheduler(name, N, np.random.default_rng(0))
    asked = scheduler.ask_many(15)
    assert len(asked) == 15
    assert len({frozenset(match) for match in asked[:6]}) == 6
    for match in asked[::-1]:
        scheduler.tell(Result(match, 0.5))
    assert scheduler.ask() is not None


@pytest.mark.parametrize("name", BOTH)
def test_a_round_is_paired_from_the_results_before_it(name):
    scheduler = make_scheduler(name, N, np.random.default_rng(0))
    size = {"information": N - 1, "swiss-information": N // 2}[name]
    for _ in range(3):
        matches = scheduler.ask_many(size)
        for match in matches:
            scheduler.tell(Result(match, float(match.first < match.second)))
        scheduler.choose()
    assert scheduler.n_told == 3 * size
    gains = rating_gains(scheduler.posterior.state)
    best = max(itertools.combinations(range(N), 2), key=lambda pair: gains[pair])
    assert set(scheduler.ask()) == set(best)
