"""Laws that every rating model keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from scipy.special import log_expit

from maxin.core import Match, Result
from maxin.ratings import Elo, MElo

N = 5
MODELS = [Elo(N), MElo(N, dimensions=2), MElo(N, dimensions=8)]
matches = st.permutations(range(N)).map(lambda order: Match(*order[:2]))
results = st.builds(Result, matches, st.sampled_from([0.0, 0.25, 0.5, 1.0]))


def point_of(model, seed):
    return np.random.default_rng(seed).normal(size=model.start(np.random.default_rng(0)).shape)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(batch=st.lists(results, max_size=20), seed=st.integers(0, 9))
def test_swapping_the_seats_changes_nothing(model, batch, seed):
    swapped = [Result(Match(m.second, m.first), 1.0 - score) for m, score in batch]
    point = point_of(model, seed)
    np.testing.assert_allclose(
        model.gradient(point, batch), model.gradient(point, swapped), atol=1e-12
    )


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(batch=st.lists(results, min_size=1, max_size=8), seed=st.integers(0, 9))
def test_gradient_is_that_of_the_log_likelihood(model, batch, seed):
    point = point_of(model, seed)

    def log_likelihood(flat):
        a = model.advantages(flat.reshape(point.shape))
        return sum(s * log_expit(a[m]) + (1 - s) * log_expit(-a[m]) for m, s in batch)

    def gradient(flat):
        return model.gradient(flat.reshape(point.shape), batch).ravel()

    assert check_grad(log_likelihood, gradient, point.ravel()) < 1e-5


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(
    batch=st.lists(results, min_size=1, max_size=8),
    order=st.permutations(range(N)),
    seed=st.integers(0, 9),
)
def test_renumbering_players_renumbers_everything(model, batch, order, seed):
    point, place = point_of(model, seed), np.argsort(order)
    moved = [Result(Match(int(place[a]), int(place[b])), score) for (a, b), score in batch]
    np.testing.assert_allclose(
        model.advantages(point[order]), model.advantages(point)[np.ix_(order, order)], atol=1e-12
    )
    np.testing.assert_allclose(
        model.gradient(point[order], moved), model.gradient(point, batch)[order], atol=1e-12
    )
    np.testing.assert_allclose(
        model.fit(point[order], moved), model.fit(point, batch)[order], atol=1e-8
    )


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(seed=st.integers(0, 99))
def test_advantages_are_antisymmetric(model, seed):
    advantages = model.advantages(point_of(model, seed))
    np.testing.assert_allclose(advantages, -advantages.T, atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(result=results, seed=st.integers(0, 9))
def test_an_online_step_is_the_gradient_of_one_result(model, result, seed):
    point = point_of(model, seed)
    before = point.copy()
    stepped = model.updated(point, result, 0.3)
    np.testing.assert_allclose(stepped, point + 0.3 * model.gradient(point, [result]), atol=1e-12)
    np.testing.assert_array_equal(point, before)
