import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from maxin.core import Match, Result
from maxin.ratings import Features, Posterior
from maxin.ratings.fitting.features.shared import shared_part
from tests.helpers.dense_posterior import rating_cov

N = 6


def played(seed, features, truth, n_matches):
    rng, posterior = np.random.default_rng(seed), Posterior(N, features=features)
    for _ in range(n_matches):
        i, j = rng.choice(N, 2, replace=False).tolist()
        posterior.tell(Result(Match(i, j), float(rng.random() < expit(truth[i] - truth[j]))))
    return posterior


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), n_matches=st.integers(0, 43))
def test_the_shared_part_is_that_of_dense_algebra(seed, n_matches):
    """Joint prior of g and r, the likelihood on r alone, and the posterior of g - w'r."""
    rng = np.random.default_rng(seed)
    features = Features({"step": rng.uniform(size=N), "family": ["a", "b"] * (N // 2)})
    posterior = played(seed, features, rng.normal(size=N), n_matches)
    state, prior = posterior.state, posterior.prior
    others = Features({"step": [0.2, 1.7], "family": ["a", "c"]})
    base = np.array([0, 3])
    everyone = prior.joined_by(others)
    shared = everyone.correlation() - (1.0 - prior.explained) * np.eye(N + 2)
    shared *= state.scales[0]
    own = state.scales[0] * (1.0 - prior.explained)
    joint = shared + np.diag(np.append(np.full(N, own), np.full(2, 1e-9)))
    likelihood = np.zeros((N + 2, N + 2))
    inverse = np.linalg.inv(rating_cov(state))
    likelihood[:N, :N] = inverse - state.prior_precision / state.scales[0]
    cov = np.linalg.inv(np.linalg.inv(joint) + likelihood)
    mean = cov[:, :N] @ (inverse @ state.ratings)
    contrast = np.zeros((2, N + 2))
    contrast[:, base], contrast[:, N:] = -0.5, np.eye(2)
    means, variances = shared_part(state, prior, others, base)
    np.testing.assert_allclose(means, contrast @ mean, atol=1e-5)
    np.testing.assert_allclose(variances, np.diagonal(contrast @ cov @ contrast.T), atol=1e-5)


def test_a_curve_is_uncertain_far_from_all_players():
    step = np.linspace(0.0, 1.0, N)
    posterior = played(1, step, 3.0 * step, 120)
    means, variances = shared_part(
        posterior.state, posterior.prior, Features([0.5, 1.0, 9.0]), np.arange(N)
    )
    assert means[1] > means[0]
    assert variances[2] > 2.0 * variances[1]


def test_ways_add_up_to_what_is_explained():
    table = Features({"step": [1, 2, 3], "size": [3, 1, 2], "family": ["a", "b", "b"]})
    prior = Posterior(3, features=table).prior
    ways = prior.ways()
    assert sum(way.share for way in ways) == pytest.approx(prior.explained)
    assert {way.way for way in ways} == {
        *("curve", "line", "category", "curve by category", "line by category"),
        *("curve and category", "line and category"),
    }
    assert ("curve", ("size",)) in [way[:2] for way in ways]
