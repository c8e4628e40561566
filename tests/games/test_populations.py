"""Populations of board players: exact results against a plain recursion."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.games import hex_board, populations, tic_tac_toe
from maxin.games.boards import hex_rhombus, minimax, tic_tac_toe_board, unfold
from maxin.games.populations import first_seat_values, move_chances, population_payoffs

BOARDS = {"tic-tac-toe": tic_tac_toe_board(), "hex-2": hex_rhombus(2), "hex-3": hex_rhombus(3)}
each_board = pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)


def plain_value(plies, chances, first, second):
    """The mean result of `first` against `second`, by recursion over positions."""

    @cache
    def value(depth, position):
        children, results = plies[depth]
        if position >= len(children):
            return results[position]
        mover = second if depth % 2 else first
        choice = chances[depth][position, :, mover]
        following = [value(depth + 1, child) for child in children[position].tolist()]
        return sum(p * v for p, v in zip(choice, following, strict=True))

    return value(0, 0)


@each_board
@pytest.mark.parametrize("seed", range(2))
def test_exact_results_equal_a_plain_recursion_on_two_players(board, seed):
    rng, plies = np.random.default_rng(seed), unfold(board)
    chances = move_chances(plies, rng.uniform(0, 3, 2), rng.uniform(0, 1, 2), rng)
    values = first_seat_values(plies, chances)
    for first, second in [(0, 1), (1, 0)]:
        expected = plain_value(plies, chances, first, second)
        assert values[first, second] == pytest.approx(expected, abs=1e-12)


def test_exact_results_do_not_depend_on_the_block(monkeypatch):
    rng, plies = np.random.default_rng(0), unfold(BOARDS["hex-3"])
    chances = move_chances(plies, rng.uniform(0, 3, 7), rng.uniform(0, 1, 7), rng)
    whole = first_seat_values(plies, chances)
    monkeypatch.setattr(populations, "BLOCK", 14)
    np.testing.assert_allclose(first_seat_values(plies, chances), whole, atol=1e-14)


@each_board
def test_move_chances_are_chances_and_prefer_the_better_move(board):
    plies, rng = unfold(board), np.random.default_rng(0)
    chances = move_chances(plies, np.array([0.0, 2.0, 40.0]), np.zeros(3), rng)
    values = minimax(plies)
    for depth, chance in enumerate(chances):
        np.testing.assert_allclose(chance.sum(axis=1), 1.0)
        np.testing.assert_allclose(chance[:, :, 0], 1.0 / (board.n_cells - depth))
        options = values[depth + 1][plies[depth].children]
        best = options == values[depth][: len(options), None]
        assert (np.where(best, chance[:, :, 2], 0.0).sum(axis=1) > 1 - 1e-9).all()


@each_board
def test_sharp_players_beat_dull_ones_and_blurred_ones(board):
    rng = np.random.default_rng(0)
    sharpness = np.repeat([30.0, 1.0, 0.0, 30.0], [1, 1, 1, 20])
    blur = np.repeat([0.0, 2.0], [3, 20])
    payoffs = population_payoffs(board, sharpness, blur, rng)
    assert payoffs[0, 1] > 0.05
    assert payoffs[0, 2] > payoffs[0, 1]
    assert payoffs[1, 2] > 0.05
    assert payoffs[0, 3:].mean() > 0.05


def test_perfect_players_never_lose_on_average():
    payoffs = population_payoffs(
        BOARDS["tic-tac-toe"], np.array([60.0, 1.0, 0.1]), np.zeros(3), np.random.default_rng(0)
    )
    assert (payoffs[0] >= -1e-12).all()


def test_random_play_has_its_known_result():
    """In random tic-tac-toe the first seat wins 58.5 % and loses 28.8 % of all games."""
    plies, rng = unfold(BOARDS["tic-tac-toe"]), np.random.default_rng(0)
    chances = move_chances(plies, np.zeros(2), np.zeros(2), rng)
    won_minus_lost = 737 / 1260 - 121 / 420
    np.testing.assert_allclose(first_seat_values(plies, chances), won_minus_lost)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_same_seed_same_population(seed):
    first, second = (hex_board(np.random.default_rng(seed), n_players=4) for _ in range(2))
    np.testing.assert_array_equal(first.payoffs, second.payoffs)


@pytest.mark.parametrize("build", [tic_tac_toe, hex_board])
def test_populations_reach_from_weak_to_strong(build):
    game = build(np.random.default_rng(0), n_players=30)
    assert game.mean_scores.max() > 0.6
    assert game.mean_scores.min() < 0.35


def test_infinitely_sharp_players_choose_among_the_best_moves_they_see():
    rng, plies = np.random.default_rng(0), unfold(BOARDS["hex-2"])
    exact = move_chances(plies, np.array([np.inf]), np.zeros(1), rng)
    np.testing.assert_array_equal(exact[0][0, :, 0], [0.0, 0.5, 0.5, 0.0])
    blurred = move_chances(plies, np.array([np.inf]), np.ones(1), rng)
    assert all(set(np.unique(chance)) <= {0.0, 1.0} for chance in blurred)


def test_pure_players_have_sure_results():
    payoffs = tic_tac_toe(np.random.default_rng(0), n_players=20, pure=1).payoffs
    np.testing.assert_array_equal(np.unique(np.abs(payoffs)), [0.0, 0.5, 1.0])
