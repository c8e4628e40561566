import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from maxin.ratings import Features
from maxin.ratings.fitting.features import prior as module
from maxin.ratings.fitting.features.prior import FeaturePrior
from maxin.ratings.fitting.features.similarities import similarities

N = 12
seeds = st.integers(0, 10_000)


def some_features(rng):
    return Features(
        {
            "step": rng.normal(1e6, 1e5, N),
            "size": rng.normal(size=N),
            "family": rng.choice(["a", "b"], N).tolist(),
            "data": rng.choice(["x", "y", "z"], N).tolist(),
        }
    )


@given(seed=seeds)
def test_similarities_are_covariances_with_mean_variance_one(seed):
    for name, matrix, *_ in similarities(some_features(np.random.default_rng(seed))):
        assert np.trace(matrix) / N == pytest.approx(1.0), name
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
        assert np.linalg.eigvalsh(matrix).min() > -1e-9, name


def test_a_constant_feature_is_accepted():
    prior = FeaturePrior(Features({"step": [3.0] * N}))
    assert np.isfinite(prior.precision()).all()


@given(seed=seeds)
def test_shares_are_those_of_dense_gaussian_evidence(seed):
    """log Z = log N(y; 0, s^2 A R A' + D) - log N(y; 0, D), up to what is common to all R."""
    rng = np.random.default_rng(seed)
    prior, spread2 = FeaturePrior(Features(rng.normal(size=N))), rng.uniform(0.3, 2.0)
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(20)])
    design = np.eye(N)[pairs[:, 0]] - np.eye(N)[pairs[:, 1]]
    seen, noises = rng.normal(size=20), rng.uniform(0.5, 4.0, 20)
    laplacian, pull = design.T @ (design / noises[:, None]), design.T @ (seen / noises)

    def evidence(correlation):
        total = 0.0
        for factor, odds in zip(module.SPREADS, module.SPREAD_ODDS, strict=True):
            cov = factor * spread2 * design @ correlation @ design.T + np.diag(noises)
            total += odds * scipy.stats.multivariate_normal.pdf(seen, cov=cov)
        return total

    ways = [one.matrix for one in similarities(prior.features)]
    odds = np.array(
        [[evidence(rho * way + (1.0 - rho) * np.eye(N)) for rho in module.SHARES] for way in ways]
    )
    odds *= (1.0 - module.NONE) / odds.size
    total = odds.sum() + module.NONE * evidence(np.eye(N))
    expected = odds @ module.SHARES / total
    found, _ = prior.likely_shares(laplacian, pull, spread2)
    np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_without_results_the_shares_stay():
    prior = FeaturePrior(Features(np.arange(N)))
    found, _ = prior.likely_shares(np.zeros((N, N)), np.zeros(N), 1.0)
    np.testing.assert_allclose(found, prior.shares)
    assert prior.explained == pytest.approx((1.0 - module.NONE) * np.mean(module.SHARES))


@given(seed=seeds)
def test_the_likely_spread_is_its_own_fixed_point(seed):
    """s^2 = (1 + r'P r + trace(P S)) / (n + 1), with S = (P / s^2 + L)^-1 and r = S b."""
    rng = np.random.default_rng(seed)
    prior = FeaturePrior(some_features(rng))
    apart = rng.normal(size=(3 * N, N)) * rng.choice([0.0, 1.0], size=(3 * N, N))
    laplacian, pull = apart.T @ apart, rng.normal(size=N) * rng.choice([0.1, 5.0])
    spread2, precision = prior.likely_spread2(laplacian, pull), prior.precision()
    cov = np.linalg.inv(precision / spread2 + laplacian)
    ratings = cov @ pull
    total = 1.0 + ratings @ precision @ ratings + np.trace(precision @ cov)
    assert spread2 == pytest.approx(np.clip(total / (N + 1.0), 0.04, 9.0), rel=1e-6)


def test_unlikely_values_are_not_tried_again():
    rng = np.random.default_rng(1)
    step = np.linspace(-1.0, 1.0, 30)
    prior = FeaturePrior(Features({"step": step, "noise": rng.normal(size=30)}))
    laplacian = 20.0 * (np.eye(30) - 1.0 / 30.0)
    pull = laplacian @ (2.0 * np.sin(3.0 * step))
    whole, likely = prior.likely_shares(laplacian, pull, 1.0)
    part, still = prior.likely_shares(laplacian, pull, 1.0, likely)
    assert likely.sum() < 0.5 * likely.size
    assert (still == likely).all()
    np.testing.assert_allclose(part, whole, atol=1e-3)
