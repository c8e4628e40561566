"""About how many matches a decision still needs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.core import InvalidInput, Stop
from maxin.evaluation import matches_left, order_verdict, top_verdict


@given(seed=st.integers(0, 1000), n_players=st.integers(2, 6), k=st.sampled_from([None, 1, 2]))
@settings(max_examples=50)
def test_none_are_left_exactly_if_it_is_decided(seed, n_players, k):
    rng = np.random.default_rng(seed)
    means, covariance = rng.normal(size=n_players), np.diag(rng.uniform(0.01, 0.3, n_players))
    if k is not None and k >= n_players:
        return
    verdict = order_verdict(means, covariance) if k is None else top_verdict(means, covariance, k=k)
    left = matches_left(means, covariance, 100, k=k)
    assert (left == 0.0) == (verdict.kind == "decided")


@pytest.mark.parametrize("tolerance", [0.0, 20.0])
def test_so_many_more_matches_are_just_enough(tolerance):
    means, covariance = np.array([0.3, 0.0]), 0.02 * np.eye(2)
    stop = Stop(tolerance=tolerance)
    times = 1.0 + matches_left(means, covariance, 100, stop) / 100
    assert top_verdict(means, covariance / times, stop).kind == "decided"
    assert top_verdict(means, 1.01 * covariance / times, stop).kind == "undecided"


def test_a_chance_tie_does_not_last_forever():
    left = matches_left(np.zeros(2), np.eye(2), 10, Stop(tolerance=0.0))
    times = 1.0 + left / 10
    lead = 0.674 * np.sqrt(2.0)  # of two ratings with variance 1, whose means are equal
    apart = np.array([lead, 0.0])
    assert top_verdict(apart, np.eye(2) / times, Stop(tolerance=0.0)).kind == "decided"
    assert top_verdict(apart, 1.01 * np.eye(2) / times, Stop(tolerance=0.0)).kind == "undecided"


def test_the_lead_may_have_no_variance():
    assert matches_left(np.array([1.0, 0.0]), np.zeros((2, 2)), 10) == 0.0


@pytest.mark.parametrize("k", [0, 3])
def test_a_top_of_everyone_is_refused(k):
    with pytest.raises(InvalidInput, match=f"must be from 1 to 2; got {k}"):
        matches_left(np.arange(3.0), np.eye(3), 10, k=k)
