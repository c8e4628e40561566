"""Priors of single players, and a field that is larger than the players: by dense algebra."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.core import Match, Result
from maxin.kernels.posterior import (
    OUTSIDERS,
    PAIRS,
    SPREAD2,
    difference_variances,
    drawn,
    expected_score,
    gaps_of,
)
from maxin.ratings import Posterior
from maxin.ratings.posterior.fitting import refit
from tests.helpers.dense_posterior import difference_variance, rating_cov, strength_cov

N = 6
seeds = st.integers(0, 10_000)


def posterior_of_some(seed, n_matches=30, outsiders=20):
    """A posterior of six players of a larger field, each with a prior of its own."""
    rng, posterior = np.random.default_rng(seed), Posterior(N)
    posterior.state.scales[OUTSIDERS] = outsiders
    posterior.state.prior_means[:] = rng.normal(1.0, 0.5, N)
    posterior.state.prior_weights[:] = rng.uniform(0.5, 5.0, N)
    posterior.state = refit(posterior.state)
    for _ in range(n_matches):
        match = Match(*rng.choice(N, size=2, replace=False).tolist())
        posterior.tell(Result(match, float(rng.choice([0.0, 0.5, 1.0]))))
    return posterior


@given(seed=seeds, n_matches=st.integers(0, 40), outsiders=st.sampled_from([0, 1, 50]))
@settings(max_examples=30)
def test_covariances_are_those_of_dense_algebra(seed, n_matches, outsiders):
    posterior = posterior_of_some(seed, n_matches, outsiders)
    state, dense = posterior.state, strength_cov(posterior.state)
    if n_matches == 0:
        spread2 = state.scales[SPREAD2]
        np.testing.assert_allclose(rating_cov(state), np.diag(spread2 / state.prior_weights))
    posterior.state = state = refit(state)
    dense = strength_cov(state)
    np.testing.assert_allclose(posterior.covariance(), dense, atol=1e-12)
    np.testing.assert_allclose(state.strength_var, np.diagonal(dense), atol=1e-12)
    differences = difference_variances(state, state.strength_var, 2)
    assert differences[4] == pytest.approx(difference_variance(state, 2, 4), abs=1e-12)


def test_strengths_move_with_matches_as_in_dense_algebra():
    posterior = posterior_of_some(1)
    state = posterior.state = refit(posterior.state)
    before, cov = posterior.covariance(), strength_cov(state)
    posterior.tell(Result(Match(0, 1), 1.0))
    lost = before - posterior.covariance()
    assert np.linalg.matrix_rank(lost, tol=1e-10) == 1
    np.testing.assert_allclose(strength_cov(posterior.state), posterior.covariance(), atol=1e-12)
    assert np.trace(cov) > np.trace(posterior.covariance())


def test_at_the_fixed_point_priors_balance_the_surprises():
    posterior = posterior_of_some(2)
    posterior.settle()
    state, slope = posterior.state, np.zeros(N)
    kappa2, phi, gaps = state.scales[1], state.scales[3], gaps_of(posterior.state)
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair]
        share = 1.0 / (1.0 + kappa2 * state.weights[pair])
        mean = state.ratings[i] - state.ratings[j] + state.effects[pair]
        chance, _ = expected_score(mean, share**2 * gaps[pair] + kappa2 * share)
        surprise = (state.points[pair] - state.played[pair] * chance) / phi
        slope[i] += surprise
        slope[j] -= surprise
    pull = (state.ratings - state.prior_means) * state.prior_weights / state.scales[SPREAD2]
    np.testing.assert_allclose(pull, slope, atol=1e-6)


def test_of_a_larger_field_only_kappa_is_learnt():
    posterior = posterior_of_some(3, n_matches=60)
    assert posterior.spread == 1.0
    assert posterior.phi == 1.0  # though a third of the matches were drawn
    assert posterior.kappa != 1.0


def test_draws_have_the_covariance_of_the_strengths():
    posterior, rng = posterior_of_some(4), np.random.default_rng(5)
    state, n_draws = posterior.state, 40_000
    root = np.linalg.inv(np.tril(state.factor)).T
    bases = np.ascontiguousarray(rng.standard_normal((n_draws, N)) @ root.T)
    noise = rng.standard_normal((n_draws, state.counts[1]))
    draws = drawn(state, bases, noise, rng.standard_normal((n_draws, N)), 1.0)
    cov = posterior.covariance()
    assert np.abs(np.cov(draws.T) - cov).max() < 0.03 * cov.max()
