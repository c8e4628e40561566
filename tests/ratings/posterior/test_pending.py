"""Pending matches: counted at once, one by one, and by dense algebra."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.core import Match
from maxin.kernels.posterior import expected_score
from maxin.ratings.posterior.pending import WithPending
from tests.helpers.dense_posterior import pair_table, rating_cov, some_posterior, strength_cov

N = 6
seeds = st.integers(0, 10_000)


def some_match(rng):
    return Match(*rng.choice(N, size=2, replace=False).tolist())


def plainly_narrowed(posterior, matches):
    """S after pending matches, one after another, by the formula of a Gaussian update."""
    state = posterior.state
    cov, weights = rating_cov(state), pair_table(state, "weights")
    effects, kappa2 = pair_table(state, "effects"), state.scales[1]
    for match in matches:
        i, j = sorted(match)
        share = 1.0 / (1.0 + kappa2 * weights[i, j])
        gain = share * (cov[i] - cov[j])
        variance = share * (gain[i] - gain[j]) + kappa2 * share
        mean = state.ratings[i] - state.ratings[j] + effects[i, j]
        weight = expected_score(mean, variance)[1] / state.scales[3]
        cov = cov - weight / (1.0 + weight * variance) * np.outer(gain, gain)
        weights[i, j] += weight
    return cov, weights


@given(seed=seeds, n_pending=st.integers(0, 12), n_at_once=st.integers(0, 12))
@settings(max_examples=50)
def test_pending_matches_narrow_as_updates_one_after_another(seed, n_pending, n_at_once):
    rng, posterior = np.random.default_rng(seed), some_posterior(seed, N, n_matches=seed % 40)
    matches = [some_match(rng) for _ in range(n_pending)]
    counting = WithPending(posterior)
    counting.state(matches[:n_at_once])
    state = counting.state(matches)
    cov, weights = plainly_narrowed(posterior, matches)
    np.testing.assert_allclose(rating_cov(state), cov, atol=1e-12)
    np.testing.assert_allclose(state.rating_var, np.diagonal(cov), atol=1e-12)
    np.testing.assert_allclose(pair_table(state, "weights"), weights, atol=1e-12)
    variances = np.diagonal(strength_cov(state))
    np.testing.assert_allclose(counting.strength_var(), variances, atol=1e-12)


def test_the_posterior_never_sees_a_pending_match():
    posterior = some_posterior(0, N)
    before = copy.deepcopy(posterior.state)
    counting = WithPending(posterior)
    counting.state([Match(0, 1)] * 40)
    assert counting.strength_var()[0] < posterior.state.strength_var[0]
    for name in ("weights", "pairs", "counts", "rows", "rating_var", "strength_var", "ratings"):
        np.testing.assert_array_equal(getattr(posterior.state, name), getattr(before, name))


def test_other_pending_matches_are_counted_from_the_start():
    counting = WithPending(some_posterior(1, N))
    first = rating_cov(counting.state([Match(0, 1), Match(2, 3)])).copy()
    counting.state([Match(2, 3)])
    np.testing.assert_array_equal(rating_cov(counting.state([Match(0, 1), Match(2, 3)])), first)
    assert counting.state([]) is counting._posterior.state


def test_a_player_against_itself_teaches_nothing():
    counting = WithPending(some_posterior(2, N))
    alone = counting.state([Match(3, 3)])
    assert alone.rating_var == pytest.approx(some_posterior(2, N).state.rating_var)
