"""The stopping rule against plain sums over pairs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from maxin.kernels import stopping as kernels

N = 5
seeds = st.integers(0, 10_000)
PAIRS = np.array([(i, j) for i in range(N) for j in range(N) if i != j])


def random_posterior(seed):
    rng = np.random.default_rng(seed)
    half = rng.standard_normal((N, N))
    return rng.standard_normal(N), half @ half.T / 20.0


def plain_claimed(means, cov, tolerance):
    """The doubt, the shortfall, and the sum of the largest relative shortfall of each player."""
    doubt, total, strain = 0.0, 0.0, 0.0
    for i in range(N):
        parts = []
        for j in range(N):
            if i == j:
                continue
            variance = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
            z = (means[i] - means[j] + tolerance) / np.sqrt(variance)
            shortfall = np.sqrt(variance) * (norm.pdf(z) - z * norm.sf(z))
            doubt, total = doubt + norm.sf(z), total + shortfall
            parts.append(shortfall / max(tolerance, variance / 2.0))
        strain += max(parts)
    return doubt, total, strain


@given(seed=seeds, tolerance=st.floats(0.0, 1.0))
def test_claims_are_summed_over_pairs_and_their_strain_over_players(seed, tolerance):
    means, cov = random_posterior(seed)
    expected = plain_claimed(means, cov, tolerance)
    found = kernels.claimed(means, cov, PAIRS, tolerance)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_shortfall_is_what_is_missed_on_average():
    cov, claims = np.diag([0.3, 0.2]), np.array([[0, 1]])
    _, shortfall, _ = kernels.claimed(np.array([0.4, 0.0]), cov, claims, 0.1)
    missed, _ = quad(lambda x: (x - 0.1) * norm.pdf(x, -0.4, np.sqrt(0.5)), 0.1, 10.0)
    np.testing.assert_allclose(shortfall, missed, rtol=1e-9)


def test_without_any_variance_the_order_of_the_means_is_certain():
    means, none = np.array([1.0, 0.0]), np.zeros((2, 2))
    assert kernels.claimed(means, none, np.array([[0, 1]]), 0.0) == (0.0, 0.0, 0.0)
    assert kernels.claimed(means, none, np.array([[1, 0]]), 0.0)[:2] == (1.0, 1.0)
