import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput
from maxin.evaluation import players_in_cycles, sink_components, sink_players

TABLE_2 = {  # in the paper: the number of players, and of players in the top components
    "Transitive game": (100, 1),
    "Triangular game": (100, 1),
    "Elo game": (100, 1),
    "Elo game + noise=0.01": (100, 1),
    "Elo game + noise=0.05": (100, 1),
    "Elo game + noise=0.1": (100, 1),
    "Kuhn-poker": (64, 64),
    "AlphaStar": (100, 1),
    "tic_tac_toe": (100, 2),
    "hex(board_size=3)": (100, 2),
    "Blotto": (100, 99),
    "5,3-Blotto": (21, 18),
}


@pytest.mark.parametrize(("name", "row"), TABLE_2.items(), ids=TABLE_2)
def test_sink_components_have_the_sizes_of_table_2(name, row, paper_game):
    payoffs = paper_game(name)
    # Two of the noisy games break P + P' = 1, so take them as they are and with seats averaged.
    for probabilities in ((payoffs + 1) / 2, (payoffs - payoffs.T + 2) / 4):
        assert (len(probabilities), len(sink_players(probabilities))) == row


def test_two_of_table_2_have_two_top_components(paper_game):
    for name in ("tic_tac_toe", "hex(board_size=3)"):
        sizes = [len(players) for players in sink_components((paper_game(name) + 1) / 2)]
        assert sizes == [1, 1]


IN_CYCLES = {"Elo game + noise=0.05": 3, "Elo game + noise=0.1": 36}


@pytest.mark.parametrize("name", [name for name in TABLE_2 if "noise" in name or "game" in name])
def test_two_games_printed_as_transitive_have_cycles(name, paper_game):
    payoffs = paper_game(name)
    cyclic = players_in_cycles((payoffs - payoffs.T + 2) / 4)
    assert len(cyclic) == IN_CYCLES.get(name, 0)


@st.composite
def probabilities(draw, max_players=7):
    n_players = draw(st.integers(1, max_players))
    chances = st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0])
    matrix = np.full((n_players, n_players), 0.5)
    for x in range(n_players):
        for y in range(x):
            matrix[x, y] = draw(chances)
            matrix[y, x] = 1.0 - matrix[x, y]
    return matrix


def reachable(matrix, player):
    """The players reached from `player` by going from losers to winners."""
    seen, todo = {player}, [player]
    while todo:
        loser = todo.pop()
        for winner in np.flatnonzero(matrix[:, loser] > 0.5):
            if winner not in seen:
                seen.add(int(winner))
                todo.append(int(winner))
    return frozenset(seen)


@given(probabilities())
def test_a_sink_is_exactly_the_set_that_each_of_its_players_reaches(matrix):
    reach = [reachable(matrix, player) for player in range(len(matrix))]
    expected = {group for group in reach if all(reach[player] == group for player in group)}
    found = sink_components(matrix)
    assert {frozenset(players.tolist()) for players in found} == expected
    assert [players[0] for players in found] == sorted(min(group) for group in expected)
    np.testing.assert_array_equal(sink_players(matrix), sorted(set().union(*expected)))


@given(probabilities())
def test_a_player_is_in_a_cycle_if_someone_else_reaches_it_and_is_reached(matrix):
    reach = [reachable(matrix, player) for player in range(len(matrix))]
    expected = [x for x, seen in enumerate(reach) if any(x in reach[y] for y in seen - {x})]
    np.testing.assert_array_equal(players_in_cycles(matrix), expected)


def test_a_probability_of_a_half_up_to_rounding_is_a_tie():
    barely = np.array([[0.5, 0.5 + 1e-16 * 4], [0.5, 0.5]])
    assert [players.tolist() for players in sink_components(barely)] == [[0], [1]]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), r"square matrix.*\(2, 3\)"),
        (np.zeros((2, 2, 2)), r"one square matrix.*\(2, 2, 2\)"),
        (np.full((2, 2), 1.5), r"\[0, 1\]; got 1.5"),
        (np.array([[0.5, np.nan], [0.0, 0.5]]), r"entry \(0, 1\) is nan"),
    ],
)
def test_errors_name_the_invalid_probabilities(matrix, message):
    with pytest.raises(InvalidInput, match=message):
        sink_components(matrix)
