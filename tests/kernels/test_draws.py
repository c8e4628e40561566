"""Draws of the strengths against the covariance of dense algebra."""

import numpy as np
import pytest

from maxin.core import Match, Result
from maxin.kernels.posterior import ROWS, drawn
from maxin.ratings import Posterior
from maxin.ratings.posterior.pending import WithPending
from tests.helpers.dense_posterior import strength_cov

N_DRAWS = 60_000


def many_draws(state, scale=1.0):
    rng, n_players = np.random.default_rng(1), len(state.ratings)
    inverse = np.linalg.inv(np.tril(state.factor))
    bases = rng.standard_normal((N_DRAWS, n_players)) @ inverse
    row_noise = rng.standard_normal((N_DRAWS, state.counts[ROWS]))
    return drawn(state, bases, row_noise, rng.standard_normal(bases.shape), scale)


def played(n_players, n_matches, seed=0):
    rng, posterior = np.random.default_rng(seed), Posterior(n_players)
    for _ in range(n_matches):
        i, j = rng.choice(n_players, size=2, replace=False).tolist()
        posterior.tell(Result(Match(i, j), float(rng.random() < 0.6)))
    return posterior


@pytest.mark.parametrize(("n_players", "n_matches"), [(2, 0), (2, 7), (5, 0), (6, 33), (12, 43)])
def test_draws_have_the_means_and_covariance_of_the_posterior(n_players, n_matches):
    """The covariance of the mean effects is exact where all pairs met as often, or none did."""
    posterior = played(n_players, n_matches)
    state = WithPending(posterior).state([Match(0, 1), Match(1, 0)] if n_players > 5 else [])
    draws, cov = many_draws(state), strength_cov(state)
    assert draws.mean(axis=0) == pytest.approx(state.strengths, abs=0.02)
    scale = np.sqrt(np.outer(np.diagonal(cov), np.diagonal(cov)))
    error = np.abs(np.cov(draws.T) - cov) / scale
    assert error.max() < (0.025 if n_players <= 5 else 0.08)
    assert np.diagonal(error).max() < 0.025


def test_a_scaled_draw_is_nearer_to_the_mean():
    state = played(4, 9).state
    spread = many_draws(state, 0.5).std(axis=0)
    assert spread == pytest.approx(0.5 * np.sqrt(np.diagonal(strength_cov(state))), rel=0.02)
