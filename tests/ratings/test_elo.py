import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from maxin.core import InvalidInput, Match, Result
from maxin.ratings import Elo, Online, elo_loss


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


@given(st.floats(0.0, 1.0), st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))
def test_the_gradient_is_minus_the_slope_of_the_loss(score, first, second):
    def loss(ratings):
        return elo_loss(score, float(expit(ratings[0] - ratings[1])))

    ratings, step = np.array([first, second]), 1e-5
    slopes = [
        (loss(ratings + step * unit) - loss(ratings - step * unit)) / (2.0 * step)
        for unit in np.eye(2)
    ]
    gradient = Elo(2).gradient(ratings[:, None], [Result(Match(0, 1), score)])
    # A chance near 1 is known to 1e-16, so a difference of logarithms by the step is to 1e-6.
    np.testing.assert_allclose(gradient.ravel(), -np.array(slopes), atol=1e-6)


def test_the_loss_is_finite_wherever_the_prediction_allows_the_result():
    assert elo_loss(1.0, 1.0) == elo_loss(0.0, 0.0) == 0.0
    assert elo_loss(1.0, 0.0) == elo_loss(0.5, 1.0) == np.inf
    assert elo_loss(0.0, 1e-300) == pytest.approx(1e-300)
    assert elo_loss(1.0, 5e-324) == pytest.approx(744.44, abs=0.01)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: elo_loss(1.5, 0.5), "chance must be a probability from 0 to 1; got 1.5"),
        (lambda: elo_loss(0.5, np.nan), "predicted must be a probability from 0 to 1; got nan"),
        (lambda: Elo(1), "at least two players; got 1"),
        (
            lambda: Online(Elo(2), step_size=0.0, rng=np.random.default_rng(0)),
            "step_size must be positive and finite; got 0.0",
        ),
    ],
)
def test_errors_name_the_invalid_argument(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()


def test_parameters_need_a_row_for_each_player_and_may_lie_anywhere_in_memory():
    model, result = Elo(3), Result(Match(0, 2), 1.0)
    with pytest.raises(InvalidInput, match=r"one row for each of 3 players; got shape \(2, 1\)"):
        model.gradient(np.zeros((2, 1)), [result])
    with pytest.raises(InvalidInput, match=r"got shape \(3,\)"):
        model.updated(np.zeros(3), result, 0.1)
    scattered = np.zeros((6, 2), order="F")[::2, :1]
    np.testing.assert_array_equal(model.gradient(scattered, [result])[:, 0], [0.5, 0.0, -0.5])
