"""Compiled loops of connect four; the tests compare each with a plain version.

A player's stones are the bits of an int: bit 7 c + r is row r, counted from below, of column c.
Bit 7 c + 6 is above the board and never set, so no line runs from one column into the next.
`mine` are the stones of the player to move, `theirs` those of the other.
"""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled
from maxin.games.families.connect_four_kernels import (
    COLUMNS,
    DIRECTIONS,
    FULL,
    HEIGHT,
    has_four,
    landing,
)

CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)  # central columns are in more lines, so try them first
WIN = 1_000  # the value of a win, more than any number of open lines


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
    """The score of the player to move if both play randomly from here."""
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
    """The value for the player to move, `depth` moves ahead; exact only within (low, high).

    An earlier win has a higher value. Where the search ends, the value is the number of lines
    still open to the player to move, minus those open to the other.
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
    """The best column of a search `depth` moves deep, chosen at random among equal ones."""
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
    """A random column not yet tried in this node; if all were, the one with the highest UCB1."""
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
    """Add one playout to the tree and update its path; returns the new number of nodes.

    Node 0 is the root, and a node's `points` belong to the player who moved into it.
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
    """The most visited column of a Monte Carlo tree search; of those, the best scoring one."""
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
