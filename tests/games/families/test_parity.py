"""The parity game against a plain recursion over what is said."""

import numpy as np
import pytest

from maxin.games import parity
from maxin.games.families.parity import first_seat_results


def best_first_result(moves, said=()):
    """The first seat's result if both say the best bit in every position."""
    if len(said) == moves:
        return 1.0 if sum(said) % 2 else -1.0
    best = min if len(said) % 2 else max
    return best(best_first_result(moves, (*said, bit)) for bit in (0, 1))


@pytest.mark.parametrize("moves", [2, 3, 4])
def test_the_last_to_speak_can_always_win(moves):
    results = first_seat_results(moves)
    value = results.min(axis=1).max()  # the best plan of the first seat, whatever the other says
    assert value == best_first_result(moves) == (1.0 if moves % 2 else -1.0)
    assert results.max(axis=0).min() == value


@pytest.mark.parametrize(("moves", "shape"), [(2, (2, 4)), (3, (8, 4)), (4, (8, 64))])
def test_plans_answer_everything_that_was_said(moves, shape):
    results = first_seat_results(moves)
    assert results.shape == shape
    assert results.sum() == 0.0  # the last bit, in both ways
    assert len(parity(np.random.default_rng(0), moves=moves).payoffs) == shape[0] * shape[1]


def test_each_player_has_both_seats():
    """With three moves, player 4 f + s has plan f in the first seat and s in the second."""
    results, payoffs = first_seat_results(3), parity(np.random.default_rng(0)).payoffs
    for one, two in [(5, 17), (30, 2)]:
        won = results[one // 4, two % 4] - results[two // 4, one % 4]
        assert payoffs[one, two] == won / 2


def test_middling_players_beat_each_other_in_circles():
    """A sum of three log-odds around a triangle is 0 if ratings alone decide."""
    chances = parity(np.random.default_rng(0), moves=2).probabilities
    odds = np.log(chances / (1.0 - chances))
    around = odds[:, :, None] + odds[None, :, :] - odds[:, None, :]
    assert np.abs(around).max() > 4.0


def test_some_players_can_be_drawn():
    game = parity(np.random.default_rng(0), moves=4, n_players=50)
    assert game.n_players == 50
    assert game.mean_scores.max() - game.mean_scores.min() > 0.3
