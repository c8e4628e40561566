import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from scipy.special import expit, log_expit

from maxin.core import InvalidInput, Match, Result
from maxin.ratings import Elo, MElo, Online

N = 5
MODELS = [Elo(N), MElo(N, dimensions=2), MElo(N, dimensions=8)]
matches = st.permutations(range(N)).map(lambda order: Match(*order[:2]))
results = st.builds(Result, matches, st.sampled_from([0.0, 0.25, 0.5, 1.0]))


def point_of(model, seed):
    return np.random.default_rng(seed).normal(size=model.start(np.random.default_rng(0)).shape)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(batch=st.lists(results, max_size=20), seed=st.integers(0, 9))
def test_swapping_sides_changes_nothing(model, batch, seed):
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


def test_online_elo_is_the_textbook_update():
    online = Online(Elo(3), step_size=0.2, rng=np.random.default_rng(0))
    ratings = np.zeros(3)
    rng = np.random.default_rng(1)
    for _ in range(50):
        i, j = rng.choice(3, size=2, replace=False).tolist()
        score = float(rng.integers(2))
        surprise = score - expit(ratings[i] - ratings[j])
        ratings[i] += 0.2 * surprise
        ratings[j] -= 0.2 * surprise
        online.tell(Result(Match(i, j), score))
    np.testing.assert_allclose(online.ratings(), ratings, atol=1e-12)


def test_melo_learns_rock_paper_scissors_and_elo_cannot():
    rng = np.random.default_rng(0)
    learners = [Online(model, step_size=0.1, rng=rng) for model in (Elo(3), MElo(3, dimensions=2))]
    for _ in range(4000):
        winner = int(rng.integers(3))
        for learner in learners:
            learner.tell(Result(Match(winner, (winner + 1) % 3), 1.0))
    elo, melo = (expit(learner.model.advantages(learner.parameters)[0, 1]) for learner in learners)
    assert elo == pytest.approx(0.5, abs=0.1)
    assert melo > 0.9


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Elo(1), "at least two players; got 1"),
        (lambda: MElo(4, dimensions=3), "even number from 0 to 1024; got 3"),
        (lambda: MElo(4, dimensions=-2), "even number from 0 to 1024; got -2"),
        (
            lambda: Online(Elo(2), step_size=0.0, rng=np.random.default_rng(0)),
            "step_size must be positive and finite; got 0.0",
        ),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
