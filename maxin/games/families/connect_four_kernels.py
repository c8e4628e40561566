"""Compiled games of connect four between players who judge each move by a few features.

A player's stones are the bits of an int: bit 7 c + r is row r, counted from below, of column c.
Bit 7 c + 6 is above the board and never set, so no line runs from one column into the next.
`mine` are the stones of the player to move, `theirs` those of the other.
"""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, compiled

COLUMNS, HEIGHT = 7, 6
STRIDE = HEIGHT + 1  # bits per column
COLUMN = (1 << HEIGHT) - 1  # the cells of column 0
FULL = sum(COLUMN << STRIDE * column for column in range(COLUMNS))
DIRECTIONS = (1, STRIDE, STRIDE - 1, STRIDE + 1)  # up, right, right and down, right and up
WINS, BLOCKS, GIFTS, COMPANY, TASTE = 0, 1, 2, 3, 4  # places of the weights; one taste per column


@compiled
def landing(taken: int, column: int) -> int:
    """The cell, as a bit, where a stone dropped into the column lands; 0 if the column is full."""
    shift = STRIDE * column
    return (taken + (1 << shift)) & (COLUMN << shift)


@compiled
def has_four(stones: int) -> bool:
    """Whether four of the stones are in a line."""
    for step in DIRECTIONS:
        pairs = stones & (stones >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False


@compiled
def judgement(mine: int, theirs: int, column: int, weights: Floats) -> float:
    """The weighted sum of a move's features; minus infinity if the column is full.

    The features: it makes four; it takes a cell where the other would make four; the other makes
    four on top of it; how many own stones are next to it; and the taste for its column.
    """
    cell = landing(mine | theirs, column)
    if cell == 0:
        return -math.inf
    above = (cell << 1) & FULL
    company = 0
    for step in DIRECTIONS:
        company += ((cell << step) & mine) != 0
        company += ((cell >> step) & mine) != 0
    return float(
        weights[WINS] * has_four(mine | cell)
        + weights[BLOCKS] * has_four(theirs | cell)
        - weights[GIFTS] * has_four(theirs | above)
        + weights[COMPANY] * company
        + weights[TASTE + column]
    )


@compiled
def chosen_column(mine: int, theirs: int, weights: Floats, luck: float) -> int:
    """The column that a number in [0, 1) picks, with chances in proportion to exp(judgement)."""
    chances: Floats = np.empty(COLUMNS)
    for column in range(COLUMNS):
        chances[column] = judgement(mine, theirs, column, weights)
    chances = np.exp(chances - chances.max())
    left, chosen = luck * chances.sum(), -1
    for column in range(COLUMNS):
        if chances[column] > 0.0 and left >= 0.0:
            chosen = column
            left -= chances[column]
    return chosen


@compiled
def played(first: Floats, second: Floats, rng: np.random.Generator) -> float:
    """One game: the first player's result, 1, 0 or -1."""
    mine, theirs = 0, 0
    mover, other, win = first, second, 1.0
    while mine | theirs != FULL:
        column = chosen_column(mine, theirs, mover, rng.random())
        mine |= landing(mine | theirs, column)
        if has_four(mine):
            return win
        mine, theirs, mover, other, win = theirs, mine, other, mover, -win
    return 0.0


@compiled
def mean_results(weights: Floats, n_games: int, rng: np.random.Generator) -> Floats:
    """The mean result of each player (row), moving first, in games against each other (column)."""
    results: Floats = np.zeros((len(weights), len(weights)))
    for first in range(len(weights)):
        for second in range(len(weights)):
            if first != second:
                total = 0.0
                for _ in range(n_games):
                    total += played(weights[first], weights[second], rng)
                results[first, second] = total / n_games
    return results
