"""The compiled choices of the posterior's schedulers, against updates of the state."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.core import Match, Result
from maxin.ratings import Posterior
from maxin.ratings.posterior.posterior_kernels import narrow, observe
from maxin.schedulers.posterior import information

N = 6
seeds = st.integers(0, 10_000)


def some_state(seed, n_matches=30):
    rng = np.random.default_rng(seed)
    posterior = Posterior(N)
    for _ in range(n_matches):
        i, j = rng.choice(N, size=2, replace=False).tolist()
        posterior.tell(Result(Match(i, j), float(rng.choice([0.0, 0.5, 1.0]))))
    return posterior.state


def copied(state):
    return type(state)(*(array.copy() for array in state))


def difference_variance(state, x, y):
    cov = state.strength_cov
    return cov[x, x] + cov[y, y] - 2.0 * cov[x, y]


@given(seed=seeds)
@settings(max_examples=30)
def test_the_variance_reduction_is_that_of_a_pending_match(seed):
    state = some_state(seed)
    x, y = np.random.default_rng(seed).choice(N, size=2, replace=False).tolist()
    before, drops = difference_variance(state, x, y), {}
    for i in range(N):
        for j in range(i + 1, N):
            after = copied(state)
            narrow(after, i, j)
            drops[i, j] = before - difference_variance(after, x, y)
            drop = information.variance_reduction(state, x, y, i, j)
            assert drop == pytest.approx(drops[i, j], abs=1e-12)
    first, second = information.most_informative_match(state, x, y)
    best = max(drops.values())
    assert drops[min(first, second), max(first, second)] == pytest.approx(best, abs=1e-12)


def plain_value(state, i, j):
    """By how much a match is expected to lower P(i and j are misordered)."""

    def misorder(state):
        gap = state.strengths[i] - state.strengths[j]
        return information.misorder(gap, difference_variance(state, i, j))

    posterior = Posterior(N)
    posterior.state = state
    chance = posterior.chance(Match(i, j))
    value = misorder(state)
    for outcome, odds in ((1.0, chance), (0.0, 1.0 - chance)):
        after = copied(state)  # scores are less far from their mean than a coin, by the dispersion
        observe(after, i, j, chance + np.sqrt(posterior.phi) * (outcome - chance))
        value -= odds * misorder(after)
    return value


@given(seed=seeds)
@settings(max_examples=30)
def test_doubtful_neighbours_are_those_a_look_ahead_finds(seed):
    state = some_state(seed)
    order = np.argsort(-state.strengths).tolist()
    neighbours = [sorted(pair) for pair in pairwise(order)]
    values = [plain_value(state, i, j) for i, j in neighbours]
    found = sorted(information.doubtful_neighbours(state))
    assert values[neighbours.index(found)] == pytest.approx(max(values), abs=1e-12)


@given(seed=seeds, k=st.integers(1, N - 1))
def test_a_boundary_pair_has_one_player_in_the_top_and_one_outside(seed, k):
    state = some_state(seed)
    normals = np.random.default_rng(seed).standard_normal((21, N))
    x, y = information.boundary_pair(state, normals, k)
    draw = state.strengths + normals[0] @ state.root
    top = set(np.argsort(-draw)[:k].tolist())
    np.testing.assert_allclose(information.drawn(state, normals[0], 1.0), draw, atol=1e-12)
    assert x in top
    assert y not in top
