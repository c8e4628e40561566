"""The stopping rule against plain sums over pairs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from maxin.kernels import stopping as kernels

N = 5
seeds = st.integers(0, 10_000)
PAIRS = np.array([(i, j) for i in range(N) for j in range(N) if i != j])


def random_posterior(seed):
    rng = np.random.default_rng(seed)
    half = rng.standard_normal((N, N))
    return rng.standard_normal(N), half @ half.T / 20.0


def plain_chance(means, cov, i, j, lead=0.0):
    """P(t_j - t_i > lead)."""
    deviation = np.sqrt(cov[i, i] + cov[j, j] - 2.0 * cov[i, j])
    return ndtr((means[j] - means[i] - lead) / deviation)


def plain_looks(cov, i, j):
    return 1.0 + np.log(1.0 + 0.1 / (cov[i, i] + cov[j, j] - 2.0 * cov[i, j]))


@given(seed=seeds, tolerance=st.floats(0.0, 1.0))
def test_the_doubt_is_the_sum_of_the_chances_that_the_other_is_ahead(seed, tolerance):
    means, cov = random_posterior(seed)
    chances = [plain_chance(means, cov, i, j, tolerance) for i, j in PAIRS]
    weights = [plain_looks(cov, i, j) ** 2 for i, j in PAIRS]
    expected = sum(chances), np.dot(chances, weights)
    np.testing.assert_allclose(kernels.doubt(means, cov, PAIRS, tolerance), expected, rtol=1e-9)


def test_without_any_variance_the_order_of_the_means_is_certain():
    means, none = np.array([1.0, 0.0]), np.zeros((2, 2))
    assert kernels.doubt(means, none, np.array([[0, 1]]), 0.0) == (0.0, 0.0)
    assert kernels.doubt(means, none, np.array([[1, 0]]), 0.0)[0] == 1.0
