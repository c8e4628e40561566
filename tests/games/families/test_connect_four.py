"""Connect four: games against a plain board of rows and columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.games import connect_four
from maxin.games.families.connect_four import COLUMNS, PURE, drawn_styles
from maxin.kernels.connect_four import (
    chosen_column,
    has_four,
    judgement,
    landing,
    mean_results,
    played,
)

AROUND = [(0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1)]
seeds = st.integers(0, 10_000)


def plain_four(cells):
    """Whether four of these (column, row) cells are in a line."""
    return any(
        all((column + right * k, row + up * k) in cells for k in range(4))
        for column, row in cells
        for right, up in AROUND[:4]
    )


def cells_of(stones):
    return {(c, r) for c in range(7) for r in range(6) if stones >> (7 * c + r) & 1}


def plain_cell(mine, theirs, column):
    height = sum((column, row) in mine | theirs for row in range(6))
    return (column, height) if height < 6 else None


def plain_judgement(mine, theirs, column, weights):
    cell = plain_cell(mine, theirs, column)
    if cell is None:
        return -np.inf
    above = {(column, cell[1] + 1)} if cell[1] < 5 else set()
    company = sum((column + right, cell[1] + up) in mine for right, up in AROUND)
    return (
        weights[0] * plain_four(mine | {cell})
        + weights[1] * plain_four(theirs | {cell})
        - weights[2] * plain_four(theirs | above)
        + weights[3] * company
        + weights[4 + column]
    )


def plain_game(first, second, rng):
    mine, theirs, weights, other, win = set(), set(), first, second, 1.0
    for _ in range(42):
        values = np.array([plain_judgement(mine, theirs, column, weights) for column in range(7)])
        chances = np.exp(values - values.max())
        column = int(np.searchsorted(np.cumsum(chances), rng.random() * chances.sum(), "right"))
        mine = mine | {plain_cell(mine, theirs, column)}
        if plain_four(mine):
            return win
        mine, theirs, weights, other, win = theirs, mine, other, weights, -win
    return 0.0


def random_position(seed):
    """The stones after some random moves."""
    rng = np.random.default_rng(seed)
    mine, theirs = 0, 0
    for _ in range(int(rng.integers(0, 40))):
        cell = int(landing(mine | theirs, int(rng.integers(7))))
        if cell:
            mine, theirs = theirs, mine | cell
    return mine, theirs


@given(seed=seeds)
@settings(max_examples=60)
def test_moves_are_judged_as_on_a_plain_board(seed):
    mine, theirs = random_position(seed)
    weights = drawn_styles(1, np.random.default_rng(seed))[0]
    for stones in (mine, theirs):
        assert has_four(stones) == plain_four(cells_of(stones))
    for column in range(7):
        found = judgement(mine, theirs, column, weights)
        expected = plain_judgement(cells_of(mine), cells_of(theirs), column, weights)
        assert found == pytest.approx(expected, abs=1e-12)


@given(seed=seeds)
@settings(max_examples=20)
def test_games_are_those_of_a_plain_board(seed):
    first, second = drawn_styles(2, np.random.default_rng(seed))
    rngs = [np.random.default_rng(seed) for _ in range(2)]
    for _ in range(3):
        assert played(first, second, rngs[0]) == plain_game(first, second, rngs[1])


def test_a_table_has_the_means_of_all_games():
    weights = drawn_styles(3, np.random.default_rng(0))
    rng, expected = np.random.default_rng(1), np.zeros((3, 3))
    for first in range(3):
        for second in range(3):
            if first != second:
                results = [played(weights[first], weights[second], rng) for _ in range(4)]
                expected[first, second] = np.mean(results)
    found = mean_results(weights, 4, np.random.default_rng(1))
    np.testing.assert_array_equal(found, expected)


def test_a_full_column_is_never_chosen():
    column = 0b010101, 0b101010  # six stones in column 0, no line
    weights = np.zeros(11)
    weights[-COLUMNS] = 50.0  # the taste for column 0
    chosen = {int(chosen_column(*column, weights, luck)) for luck in np.linspace(0, 0.999, 50)}
    assert chosen == set(range(1, 7))


def test_careful_players_beat_careless_ones():
    styles = np.tile([3.0, 3.0, 2.0, 0.4, 0, 0.2, 0.4, 0.6, 0.4, 0.2, 0], (2, 1))
    weights = styles * np.array([[5.0], [0.1]])
    results = mean_results(weights, 100, np.random.default_rng(0))
    assert results[0, 1] - results[1, 0] > 1.8


def test_pure_players_repeat_their_game():
    weights = PURE * drawn_styles(6, np.random.default_rng(0))
    one, two = (mean_results(weights, 1, np.random.default_rng(seed)) for seed in range(2))
    np.testing.assert_array_equal(one, two)
    payoffs = connect_four(np.random.default_rng(0), pure=1).payoffs
    np.testing.assert_array_equal(np.unique(np.abs(payoffs)), [0.0, 0.5, 1.0])
