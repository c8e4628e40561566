"""The compiled loops of connect four; each agrees with a plain twin in its tests.

A player's stones are the bits of an int: bit 7 c + r is row r, from below, of column c. Bit
7 c + 6 is above the board and never set, so that no line runs from one column into the next.
`mine` are the stones of the player to move, `theirs` the other's.
"""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled

COLUMNS, HEIGHT = 7, 6
STRIDE = HEIGHT + 1  # bits a column
COLUMN = (1 << HEIGHT) - 1  # the cells of column 0
FULL = sum(COLUMN << STRIDE * column for column in range(COLUMNS))
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)  # central columns are in more lines: better moves come early
DIRECTIONS = (1, STRIDE, STRIDE - 1, STRIDE + 1)  # up, right, right and down, right and up
WIN = 1_000  # more than any count of open lines


@compiled
def landing(taken: int, column: int) -> int:
    """The cell, as a bit, where a stone dropped into the column comes to rest; 0 if it is full."""
    shift = STRIDE * column
    return (taken + (1 << shift)) & (COLUMN << shift)


@compiled
def has_four(stones: int) -> bool:
    """Whether four of the stones are in line."""
    for step in DIRECTIONS:
        pairs = stones & (stones >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False


@compiled
def count_fours(stones: int) -> int:
    """How many of the board's 69 lines of four the stones fill."""
    count = 0
    for step in DIRECTIONS:
        pairs = stones & (stones >> step)
        fours = pairs & (pairs >> 2 * step)
        while fours:
            fours &= fours - 1
            count += 1
    return count


@compiled
def playout(mine: int, theirs: int, rng: np.random.Generator) -> float:
    """The score of the player to move when both go on at random."""
    win = 1.0
    while mine | theirs != FULL:
        cell = landing(mine | theirs, int(rng.random() * COLUMNS))
        if cell == 0:
            continue
        if has_four(mine | cell):
            return win
        mine, theirs, win = theirs, mine | cell, 1.0 - win
    return 0.5


@compiled
def negamax(mine: int, theirs: int, depth: int, low: int, high: int) -> int:
    """The value for the player to move, `depth` plies ahead; exact only within (low, high).

    A win counts more the sooner it comes. Where the search ends, the lines still open to each.
    """
    taken = mine | theirs
    if taken == FULL:
        return 0
    if depth == 0:
        return count_fours(FULL ^ theirs) - count_fours(FULL ^ mine)
    for column in range(COLUMNS):
        if has_four(mine | landing(taken, column)):
            return WIN + depth
    for column in CENTRE_FIRST:
        cell = landing(taken, column)
        if cell:
            value = -negamax(theirs, mine | cell, depth - 1, -high, -low)
            if value >= high:
                return value
            low = max(low, value)
    return low


@compiled
def search_move(mine: int, theirs: int, depth: int, rng: np.random.Generator) -> int:
    """The column best by a search `depth` plies deep; of equal ones any."""
    best, best_value, n_best = -1, -2 * WIN, 0
    for column in CENTRE_FIRST:
        cell = landing(mine | theirs, column)
        if cell == 0:
            continue
        if has_four(mine | cell):
            return column
        value = -negamax(theirs, mine | cell, depth - 1, -2 * WIN, 1 - best_value)
        if value > best_value:
            best, best_value, n_best = column, value, 1
        elif value == best_value:
            n_best += 1
            if rng.random() * n_best < 1.0:
                best = column
    return best


@compiled
def next_column(
    taken: int,
    node: int,
    children: Ints,
    visits: Ints,
    points: Floats,
    rng: np.random.Generator,
) -> int:
    """A column not tried in this node, at random; when all were, UCB1's: the highest bound."""
    best, best_bound, n_new = -1, -1.0, 0
    for column in range(COLUMNS):
        if landing(taken, column) == 0:
            continue
        child = children[node, column]
        if child == 0:
            n_new += 1
            if rng.random() * n_new < 1.0:
                best = column
        elif n_new == 0:
            bound = points[child] / visits[child]
            bound += math.sqrt(math.log(visits[node]) / visits[child])
            if bound > best_bound:
                best, best_bound = column, bound
    return best


@compiled
def grow(
    mine: int,
    theirs: int,
    children: Ints,
    visits: Ints,
    points: Floats,
    n_nodes: int,
    rng: np.random.Generator,
) -> int:
    """One playout from the edge of the tree, counted all the way up; returns the nodes there are.

    Node 0 is the root, and `points` are those of the player who moved into the node.
    """
    path = np.zeros(COLUMNS * HEIGHT + 1, dtype=np.int64)
    node, depth, score = 0, 0, -1.0
    while score < 0.0:
        column = next_column(mine | theirs, node, children, visits, points, rng)
        if column < 0:
            score = 0.5
            break
        is_new = children[node, column] == 0
        if is_new:
            children[node, column] = n_nodes
            n_nodes += 1
        node = children[node, column]
        depth += 1
        path[depth] = node
        mine, theirs = theirs, mine | landing(mine | theirs, column)
        if has_four(theirs):
            score = 0.0
        elif is_new:
            score = playout(mine, theirs, rng)
    for step in range(depth, -1, -1):
        score = 1.0 - score
        visits[path[step]] += 1
        points[path[step]] += score
    return n_nodes


@compiled
def mcts_move(mine: int, theirs: int, n_playouts: int, rng: np.random.Generator) -> int:
    """The column most visited by a Monte-Carlo tree search; of those, the one that did best."""
    children = np.zeros((n_playouts + 1, COLUMNS), dtype=np.int64)
    visits = np.zeros(n_playouts + 1, dtype=np.int64)
    points = np.zeros(n_playouts + 1)
    n_nodes = 1
    for _ in range(n_playouts):
        n_nodes = grow(mine, theirs, children, visits, points, n_nodes, rng)
    best = -1
    for column in range(COLUMNS):
        child = children[0, column]
        if child == 0:
            continue
        other = children[0, best]
        if best < 0 or (visits[child], points[child]) > (visits[other], points[other]):
            best = column
    return best
