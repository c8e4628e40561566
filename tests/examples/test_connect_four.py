"""Connect four: its rules, its kernels against plain versions, and the players' strength."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.connect_four.game import BUILT_IN, PLAYERS, Position, play
from maxin.core import InvalidInput, UnknownName
from maxin.kernels import connect_four as kernels

COLUMNS, HEIGHT = 7, 6
CELLS = [(column, row) for column in range(COLUMNS) for row in range(HEIGHT)]
LINES = [
    [(column + right * step, row + up * step) for step in range(4)]
    for column, row in CELLS
    for right, up in [(0, 1), (1, 0), (1, 1), (1, -1)]
    if column + 3 * right < COLUMNS and 0 <= row + 3 * up < HEIGHT
]
SEARCHERS = [name for name in PLAYERS if name.startswith("search")]
# A full board without four in a line; x marks the first player's stones.
DRAWN = ["xxoxxox", "ooxooxo", "xxoxxox", "ooxooxo", "xxoxxox", "ooxooxo"]

moves = st.lists(st.integers(0, COLUMNS - 1), max_size=42)


def bits(cells):
    return sum(1 << 7 * column + row for column, row in cells)


def cells(stones):
    return {(column, row) for column, row in CELLS if stones >> 7 * column + row & 1}


def played(columns):
    """The position after these moves; illegal moves and moves after a win are skipped."""
    position = Position()
    for column in columns:
        if column in position.columns() and not position.is_lost:
            position = position.after(column)
    return position


# Plain versions of the kernels: sets of cells, no pruning, a tree of dictionaries.


def plain_landing(taken, column):
    height = sum(1 for at, _ in taken if at == column)
    return (column, height) if height < HEIGHT else None


def plain_fours(stones):
    return sum(1 for line in LINES if stones.issuperset(line))


def plain_playout(mine, theirs, rng):
    scores = (1.0, 0.0)
    while len(mine | theirs) < len(CELLS):
        cell = plain_landing(mine | theirs, int(rng.random() * COLUMNS))
        if cell is None:
            continue
        if plain_fours(mine | {cell}):
            return scores[0]
        mine, theirs, scores = theirs, mine | {cell}, scores[::-1]
    return 0.5


def plain_value(mine, theirs, depth):
    """The value for the player to move, by minimax without pruning."""
    taken = mine | theirs
    landings = [cell for column in range(COLUMNS) if (cell := plain_landing(taken, column))]
    if not landings:
        return 0
    if depth == 0:
        return plain_fours(set(CELLS) - theirs) - plain_fours(set(CELLS) - mine)
    values = [
        kernels.WIN + depth
        if plain_fours(mine | {cell})
        else -plain_value(theirs, mine | {cell}, depth - 1)
        for cell in landings
    ]
    return max(values)


class Node:
    def __init__(self):
        self.children, self.visits, self.points = {}, 0, 0.0


def plain_column(node, columns, rng):
    new = [column for column in columns if column not in node.children]
    if new:  # the last column accepted with probability 1, 1/2, 1/3, ... is uniform
        return [c for n, c in enumerate(new, start=1) if rng.random() * n < 1.0][-1]

    def bound(column):
        child = node.children[column]
        exploration = math.sqrt(math.log(node.visits) / child.visits)
        return child.points / child.visits + exploration

    return max(columns, key=bound)


def plain_visit(node, mine, theirs, rng, is_root=False):
    """Play on from this node; returns the points of the player who moved into it."""
    taken = mine | theirs
    columns = [column for column in range(COLUMNS) if plain_landing(taken, column)]
    if plain_fours(theirs):
        points = 1.0
    elif not columns:
        points = 0.5
    elif node.visits == 0 and not is_root:
        points = 1.0 - plain_playout(mine, theirs, rng)
    else:
        column = plain_column(node, columns, rng)
        child = node.children.setdefault(column, Node())
        points = 1.0 - plain_visit(child, theirs, mine | {plain_landing(taken, column)}, rng)
    node.visits += 1
    node.points += points
    return points


def plain_mcts(mine, theirs, n_playouts, rng):
    root = Node()
    for _ in range(n_playouts):
        plain_visit(root, mine, theirs, rng, is_root=True)
    best = max(root.children, key=lambda c: (root.children[c].visits, root.children[c].points, -c))
    return best


@given(columns=moves)
def test_landing_and_fours_agree_with_sets_of_cells(columns):
    mine, theirs = played(columns)
    for column in range(COLUMNS):
        cell = plain_landing(cells(mine | theirs), column)
        assert kernels.landing(mine | theirs, column) == (bits([cell]) if cell else 0)
    for stones in (mine, theirs, kernels.FULL ^ mine, kernels.FULL):
        assert kernels.count_fours(stones) == plain_fours(cells(stones))
        assert kernels.has_four(stones) == (plain_fours(cells(stones)) > 0)


@given(columns=moves, seed=st.integers(0, 10_000))
def test_playout_agrees_with_its_twin_draw_for_draw(columns, seed):
    mine, theirs = played(columns)
    fast, plain = np.random.default_rng(seed), np.random.default_rng(seed)
    score = kernels.playout(mine, theirs, fast)
    assert score == plain_playout(cells(mine), cells(theirs), plain)
    assert fast.random() == plain.random()


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@settings(max_examples=15)
@given(columns=moves)
def test_pruning_changes_no_value(depth, columns):
    position = played(columns)
    if position.is_lost:
        return
    found = kernels.negamax(*position, depth, -2 * kernels.WIN, 2 * kernels.WIN)
    assert found == plain_value(*map(cells, position), depth)


@pytest.mark.parametrize("depth", [1, 2, 3])
@settings(max_examples=15)
@given(columns=moves, seed=st.integers(0, 10_000))
def test_search_plays_a_move_of_the_highest_value(depth, columns, seed):
    position = played(columns)
    if position.is_lost or position.is_full:
        return
    column = kernels.search_move(*position, depth, np.random.default_rng(seed))
    after = position.after(column)
    assert after.is_lost or -plain_value(*map(cells, after), depth - 1) == plain_value(
        *map(cells, position), depth
    )


def test_search_chooses_at_random_among_equal_moves():
    mirrored = played([3, 3, 3, 3, 3, 3])
    rng = np.random.default_rng(0)
    found = {kernels.search_move(*mirrored, 1, rng) for _ in range(40)}
    assert len(found) > 1
    assert found == {6 - column for column in found}


@pytest.mark.parametrize("n_playouts", [1, 2, 10, 60])
@settings(max_examples=10)
@given(columns=moves, seed=st.integers(0, 10_000))
def test_mcts_agrees_with_its_twin(n_playouts, columns, seed):
    position = played(columns)
    if position.is_lost or position.is_full:
        return
    fast, plain = np.random.default_rng(seed), np.random.default_rng(seed)
    column = kernels.mcts_move(*position, n_playouts, fast)
    assert column == plain_mcts(*map(cells, position), n_playouts, plain)
    assert fast.random() == plain.random()


@pytest.mark.parametrize("line", LINES, ids=str)
def test_all_69_lines_win(line):
    assert kernels.has_four(bits(line))
    assert not any(kernels.has_four(bits(line[:k] + line[k + 1 :])) for k in range(4))


def test_there_are_69_lines():
    assert len(LINES) == 69 == kernels.count_fours(kernels.FULL)


@pytest.mark.parametrize(
    "columns",
    [
        [0, 1, 0, 1, 0, 1, 0],
        [0, 0, 1, 1, 2, 2, 3],
        [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3],
        [6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3],
    ],
    ids=["upright", "level", "rising", "falling"],
)
def test_four_in_a_line_win_and_three_do_not(columns):
    assert not played(columns[:-1]).is_lost
    assert played(columns).is_lost


def test_lines_do_not_run_over_the_edge():
    assert not kernels.has_four(bits([(0, 4), (0, 5), (1, 0), (1, 1)]))
    assert not kernels.has_four(bits([(0, 3), (1, 4), (2, 5), (4, 0)]))


def test_a_full_board_is_a_draw():
    rows = {
        mark: [(c, r) for r, row in enumerate(DRAWN) for c, m in enumerate(row) if m == mark]
        for mark in "xo"
    }
    position = Position(bits(rows["x"]), bits(rows["o"]))
    assert position.is_full
    assert position.columns() == []
    assert not kernels.has_four(position.mine)
    assert not position.is_lost


def test_some_games_are_drawn():
    scores = {play("mcts-2048", "search-8", seed) for seed in (0, 1, 24)}
    assert scores == {0.0, 0.5, 1.0}


@pytest.mark.parametrize("column", [3, 7, -1])
def test_full_and_unknown_columns_are_refused(column):
    position = played([3] * 6)
    assert 3 not in position.columns()
    with pytest.raises(InvalidInput, match=f"got {column}"):
        position.after(column)


@given(columns=moves, name=st.sampled_from([n for n in PLAYERS if n != "mcts-8192"]))
def test_players_only_make_legal_moves(columns, name):
    position = played(columns)
    if not position.is_lost and not position.is_full:
        assert BUILT_IN[name].move(position, np.random.default_rng(0)) in position.columns()


@pytest.mark.parametrize("name", SEARCHERS)
def test_a_win_in_one_move_is_taken(name):
    """Three of a line are set, and the cells below the fourth are filled with either's stones."""
    n_tried = 0
    for *three, gap in LINES:
        tops = dict([gap, *three] if gap[0] != three[0][0] else [gap])
        heap = {(c, r) for c, r in CELLS if c in tops and r < tops[c]} - set(three)
        theirs = {(c, r) for c, r in heap if DRAWN[r][c] == "o"}
        position = Position(bits(three) | bits(heap - theirs), bits(theirs))
        if not kernels.has_four(position.mine):
            column = BUILT_IN[name].move(position, np.random.default_rng(0))
            assert position.after(column).is_lost
            n_tried += 1
    assert n_tried > 50


@pytest.mark.parametrize("name", [name for name in SEARCHERS if name != "search-1"])
def test_a_loss_in_one_move_is_prevented(name):
    position = played([0, 6, 0, 6, 0])
    assert BUILT_IN[name].move(position, np.random.default_rng(0)) == 0


@pytest.mark.parametrize("pair", [("mcts-64", "mcts-32"), ("search-4", "search-4")])
def test_the_seed_decides_the_game(pair):
    scores = [play(*pair, seed) for seed in range(30)]
    assert scores == [play(*pair, seed) for seed in range(30)]
    assert len(set(scores)) > 1


def test_another_process_plays_the_same_games():
    code = (
        "from examples.connect_four.game import play\n"
        "print([play('mcts-128', 'search-2', seed) for seed in range(20)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([play("mcts-128", "search-2", seed) for seed in range(20)])


@pytest.mark.parametrize("pair", [("mcts-512", "mcts-521"), ("nobody", "random")])
def test_unknown_players_are_refused_by_name(pair):
    with pytest.raises(UnknownName, match=r"there is no player named '(mcts-521|nobody)'"):
        play(*pair, seed=0)


def test_a_seed_is_a_whole_number():
    with pytest.raises(InvalidInput, match=r"seed must be a whole number; got 0\.5"):
        play("random", "random", 0.5)


def test_there_are_sixteen_players():
    assert len(set(PLAYERS)) == 16 == len(BUILT_IN)


@pytest.mark.parametrize(
    ("stronger", "weaker", "n_pairs"),
    [
        ("mcts-2", "random", 200),
        ("search-1", "mcts-16", 100),
        ("search-4", "search-1", 100),
        ("mcts-128", "mcts-32", 100),
        ("mcts-2048", "search-2", 15),
        ("mcts-8192", "search-4", 8),
    ],
)
def test_the_stronger_player_beats_the_weaker(stronger, weaker, n_pairs):
    points = sum(
        play(stronger, weaker, seed) + 1.0 - play(weaker, stronger, seed) for seed in range(n_pairs)
    )
    assert points / (2 * n_pairs) > 0.55


@pytest.mark.slow
@pytest.mark.parametrize("rival", [name for name in PLAYERS if name != "mcts-8192"])
def test_the_best_player_beats_everyone(rival):
    points = sum(
        play("mcts-8192", rival, seed) + 1.0 - play(rival, "mcts-8192", seed) for seed in range(100)
    )
    assert points / 200 > 0.6
