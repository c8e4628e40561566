"""The compiled loops of the stopping rule against plain sums over pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from maxin.evaluation import stopping_kernels as kernels

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


@given(seed=seeds, lead=st.floats(-1.0, 1.0))
def test_a_doubt_is_the_chance_that_the_other_is_ahead(seed, lead):
    means, cov = random_posterior(seed)
    expected = [plain_chance(means, cov, i, j, lead) for i, j in PAIRS]
    np.testing.assert_allclose(kernels.doubts(means, cov, PAIRS, lead), expected, atol=1e-12)


def test_without_any_variance_the_order_of_the_means_is_certain():
    means, claims = np.array([1.0, 0.0]), np.array([[0, 1], [1, 0]])
    assert kernels.doubts(means, np.zeros((2, 2)), claims, 0.0).tolist() == [0.0, 1.0]


def plain_ties(means, cov, claims, order_risk, tie_risk, reach):
    """Set aside the most certain pairs within the order risk; the rest must be within reach."""
    doubt = [plain_chance(means, cov, i, j) for i, j in claims]
    marks, spent, apart = np.zeros(len(claims)), 0.0, 0.0
    for place in np.argsort(doubt):
        i, j = claims[place]
        spent += doubt[place]
        if spent > order_risk:
            marks[place] = 1.0
            apart += plain_chance(means, cov, i, j, reach) + plain_chance(means, cov, j, i, reach)
    return marks if apart <= tie_risk else np.zeros(len(claims))


@pytest.mark.parametrize("reach", [0.1, 0.5, 5.0])
@given(seed=seeds)
def test_ties_are_the_pairs_left_in_doubt_if_all_are_within_reach(reach, seed):
    means, cov = random_posterior(seed)
    claims = np.argsort(-means)[np.stack(np.triu_indices(N, 1), axis=-1)]
    risks = 0.05, 0.05, reach
    found = kernels.tied_pairs(means, cov / 10.0, claims, *risks)
    np.testing.assert_array_equal(found, plain_ties(means, cov / 10.0, claims, *risks))
