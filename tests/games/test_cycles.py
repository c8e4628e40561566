import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.games import disc

seeds = st.integers(0, 2**32 - 1)


def seeded(seed):
    return np.random.default_rng(seed)


@given(seeds)
def test_disc_payoffs_have_rank_two(seed):
    payoffs = disc(seeded(seed), n_players=9).payoffs
    assert np.linalg.matrix_rank(payoffs, tol=1e-9) == 2


def test_disc_points_fill_the_disc_evenly():
    payoffs = disc(seeded(0), n_players=2_000).payoffs
    # E (x_1 y_2 - x_2 y_1)^2 = 2 E[x_1^2]^2 with E[x_1^2] = 1/4 on the unit disc.
    assert (payoffs**2).mean() == pytest.approx(1 / 8, rel=0.05)
