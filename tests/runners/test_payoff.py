import numpy as np
import pytest

from maxin.core import InvalidInput, UnknownName
from maxin.runners import Payoff

CHANCES = [[0.5, 0.8, 1.0], [0.2, 0.5, 0.0], [0.0, 1.0, 0.5]]
NAMES = ["anna", "bo", "cy"]


def scores(runner, job, first, second, n=2000):
    return np.array([runner.play(job(first, second, seed=seed)).score for seed in range(n)])


def test_wins_are_as_frequent_as_the_matrix_says(job):
    runner = Payoff(CHANCES, NAMES)
    won = scores(runner, job, "anna", "bo")
    assert set(won) == {0.0, 1.0}
    assert won.mean() == pytest.approx(0.8, abs=0.04)  # four standard errors
    assert scores(runner, job, "bo", "anna").mean() == pytest.approx(0.2, abs=0.04)


def test_certain_wins_and_losses_are_certain(job):
    runner = Payoff(CHANCES, NAMES)
    assert scores(runner, job, "anna", "cy", n=50).all()
    assert not scores(runner, job, "bo", "cy", n=50).any()


def test_swapped_seats_are_drawn_independently(job):
    """If both games used the same random number, an even pair would always share the points."""
    runner = Payoff([[0.5, 0.5], [0.5, 0.5]], ["x", "y"])
    shared = scores(runner, job, "x", "y") + scores(runner, job, "y", "x")
    assert np.mean(shared == 1.0) == pytest.approx(0.5, abs=0.05)


def test_the_matrix_is_copied(job):
    chances = np.array([[0.5, 1.0], [0.0, 0.5]])
    runner = Payoff(chances, ["x", "y"])
    chances[0, 1] = 0.0
    assert runner.play(job("x", "y")).score == 1.0


def test_players_without_a_row_are_refused(job):
    runner = Payoff(CHANCES, NAMES)
    runner.check([job().first])
    with pytest.raises(UnknownName, match="'anne'; did you mean 'anna'"):
        runner.check([job("anne").first])


@pytest.mark.parametrize(
    ("chances", "names"),
    [
        ([[0.5, 1.1], [0.0, 0.5]], "xy"),
        ([[0.5, np.nan], [0.0, 0.5]], "xy"),
        ([[0.5, "often"], [0.0, 0.5]], "xy"),
        ([[0.5], [0.0, 0.5]], "xy"),
        ([[0.5, 0.5], [0.5, 0.5]], "xyz"),
        ([[0.5, 0.5], [0.5, 0.5]], "xx"),
        ([0.5, 0.5], "xy"),
    ],
)
def test_an_invalid_matrix_is_refused(chances, names):
    with pytest.raises(InvalidInput, match="payoff matrix"):
        Payoff(chances, list(names))
