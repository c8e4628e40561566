import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxin.kernels.posterior import SPREAD2, gaps_of, likelihood_of
from tests.helpers.dense_posterior import pair_table, some_posterior


@given(seed=st.integers(0, 10_000))
def test_the_likelihood_balances_the_prior_when_settled(seed):
    """At the fixed point (P / s^2 + L) r = b, and L is the Laplacian of w f."""
    posterior = some_posterior(seed, 6)
    posterior.settle()
    state = posterior.state
    weights = pair_table(state, "weights")
    ties = weights / (1.0 + state.scales[1] * weights)
    ties += ties.T
    laplacian, pull = likelihood_of(state, gaps_of(state))
    np.testing.assert_allclose(laplacian, np.diag(ties.sum(axis=1)) - ties, atol=1e-12)
    expected = state.ratings / state.scales[SPREAD2] + laplacian @ state.ratings
    np.testing.assert_allclose(pull, expected, atol=1e-6)
