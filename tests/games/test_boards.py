"""Board games: rules and perfect play."""

import numpy as np
import pytest

from maxin.games.boards import hex_rhombus, minimax, tic_tac_toe_board, unfold
from maxin.games.populations import first_seat_values, move_chances

BOARDS = {"tic-tac-toe": tic_tac_toe_board(), "hex-2": hex_rhombus(2), "hex-3": hex_rhombus(3)}
each_board = pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)


def test_tic_tac_toe_has_its_known_number_of_positions():
    sizes = [len(ply.results) for ply in unfold(BOARDS["tic-tac-toe"])]
    assert sizes == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    results = np.concatenate(
        [ply.results[len(ply.children) :] for ply in unfold(BOARDS["tic-tac-toe"])]
    )
    assert [int((results == result).sum()) for result in (1, -1, 0)] == [626, 316, 16]


def test_perfect_tic_tac_toe_is_a_draw_and_perfect_hex_is_won_by_the_first():
    values = {name: minimax(unfold(board))[0].item() for name, board in BOARDS.items()}
    assert values == {"tic-tac-toe": 0.0, "hex-2": 1.0, "hex-3": 1.0}


def open_spiel_openings(start):
    """The first seat's result after each first move, under perfect and under random play."""
    seen = {}

    def values(state):
        if state.is_terminal():
            return state.returns()[0], state.returns()[0]
        if str(state) not in seen:
            following = [values(state.child(action)) for action in state.legal_actions()]
            best = min if state.current_player() else max
            seen[str(state)] = best(v for v, _ in following), np.mean([v for _, v in following])
        return seen[str(state)]

    return zip(*(values(start.child(action)) for action in start.legal_actions()), strict=True)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("tic-tac-toe", "tic_tac_toe"),
        ("hex-2", "hex(board_size=2)"),
        ("hex-3", "hex(board_size=3)"),
    ],
)
def test_rules_and_perfect_play_agree_with_open_spiel(name, theirs):
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    perfect, random = open_spiel_openings(pyspiel.load_game(theirs).new_initial_state())
    plies = unfold(BOARDS[name])
    np.testing.assert_array_equal(minimax(plies)[1], perfect)
    chances = move_chances(plies, np.zeros(2), np.zeros(2), np.random.default_rng(0))
    assert first_seat_values(plies, chances)[0, 1] == pytest.approx(np.mean(random))


def test_hex_is_symmetric_under_half_a_turn():
    openings = minimax(unfold(BOARDS["hex-3"]))[1].reshape(3, 3)
    np.testing.assert_array_equal(openings, openings[::-1, ::-1])


@pytest.mark.parametrize("size", [2, 3])
def test_a_full_hex_board_has_exactly_one_winner(size):
    n_cells, (downward, across) = hex_rhombus(size)
    everything = 2**n_cells - 1
    for stones in range(2**n_cells):
        assert (stones in downward) != (everything ^ stones in across)


@each_board
def test_every_position_has_as_many_moves_as_free_cells(board):
    plies = unfold(board)
    for depth, (children, results) in enumerate(plies[:-1]):
        assert children.shape[1] == board.n_cells - depth
        assert set(children.ravel()) == set(range(len(plies[depth + 1].results)))
        assert (results[: len(children)] == 0).all()
