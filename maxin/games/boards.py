"""Small board games as lists of positions: the moves between them, and who has won."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.games.payoffs import Table

Stones = int  # a set of cells: bit c is set if there is a stone on cell c
Position = tuple[Stones, Stones]  # the stones of the player to move, and those of the other


class Board(NamedTuple):
    """Two players take turns placing stones on free cells; `wins[seat]` holds the winning sets.

    >>> hex_rhombus(3).n_cells
    9
    """

    n_cells: int
    wins: tuple[frozenset[Stones], frozenset[Stones]]


class Ply(NamedTuple):
    """All positions after the same number of moves; the unfinished ones come first.

    `children[p, m]` is the position in the next ply that move m of position p leads to. `results`
    holds the first seat's result of every position: 1, 0 or -1, and 0 if it is unfinished.

    >>> unfold(hex_rhombus(2))[0].children
    array([[0, 1, 2, 3]])
    """

    children: NDArray[np.intp]
    results: Table


def tic_tac_toe_board() -> Board:
    """Three by three cells; the first with three in a row, column or diagonal wins.

    >>> len(tic_tac_toe_board().wins[0])  # of the 512 sets of cells, those that hold a line
    282
    """
    rows = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    diagonals = [(0, 4, 8), (2, 4, 6)]
    lines = [_stones(line) for line in chain(rows, zip(*rows, strict=True), diagonals)]
    wins = frozenset(
        stones for stones in range(2**9) if any(stones & line == line for line in lines)
    )
    return Board(9, (wins, wins))


def hex_rhombus(size: int) -> Board:
    """A rhombus of hexagons; the first seat connects top and bottom, the second left and right.

    >>> [len(wins) for wins in hex_rhombus(2).wins]
    [8, 8]
    """
    cells = range(size * size)
    rows = [_stones(cells[r * size : (r + 1) * size]) for r in range(size)]
    columns = [_stones(cells[c::size]) for c in range(size)]
    sets = range(2 ** len(cells))
    downward = frozenset(s for s in sets if _connects(s, rows[0], rows[-1], size))
    across = frozenset(s for s in sets if _connects(s, columns[0], columns[-1], size))
    return Board(len(cells), (downward, across))


def unfold(board: Board) -> list[Ply]:
    """All reachable positions, ply by ply, from the empty board to the full one.

    >>> sum(len(ply.results) for ply in unfold(tic_tac_toe_board()))
    5478
    """
    plies: list[Ply] = []
    playing: list[Position] = [(0, 0)]
    results = np.zeros(1)
    for depth in range(board.n_cells):
        moves = [_moves(position, board.n_cells) for position in playing]
        reached = dict.fromkeys(chain.from_iterable(moves))  # each position once, in a fixed order
        won = [position for position in reached if position[1] in board.wins[depth % 2]]
        playing = [position for position in reached if position[1] not in board.wins[depth % 2]]
        index = {position: p for p, position in enumerate(playing + won)}
        plies.append(Ply(np.array([[index[child] for child in row] for row in moves]), results))
        results = np.repeat([0.0, -1.0 if depth % 2 else 1.0], [len(playing), len(won)])
    return [*plies, Ply(np.empty((0, 0), dtype=np.intp), results)]


def minimax(plies: list[Ply]) -> list[Table]:
    """The first seat's result of every position, ply by ply, if both seats play perfectly.

    >>> minimax(unfold(tic_tac_toe_board()))[0]  # the empty board is a draw
    array([0.])
    """
    values = [plies[-1].results]
    for depth in reversed(range(len(plies) - 1)):
        children, results = plies[depth]
        options = values[0][children]
        best = options.min(axis=1) if depth % 2 else options.max(axis=1)
        values.insert(0, np.concatenate([best, results[len(children) :]]))
    return values


def _moves(position: Position, n_cells: int) -> list[Position]:
    """The positions after one more stone, from the other player's point of view."""
    mine, theirs = position
    return [(theirs, mine | 1 << c) for c in range(n_cells) if not (mine | theirs) >> c & 1]


def _stones(cells: Iterable[int]) -> Stones:
    return sum(1 << cell for cell in cells)


def _connects(stones: Stones, start: Stones, goal: Stones, size: int) -> bool:
    """Whether a chain of neighbouring stones connects the `start` edge with the `goal` edge."""
    reached, grown = 0, stones & start
    while grown != reached:
        reached = grown
        touching = [_neighbours(cell, size) for cell in range(size * size) if reached >> cell & 1]
        grown |= stones & _stones(set(chain.from_iterable(touching)))
    return bool(reached & goal)


def _neighbours(cell: int, size: int) -> list[int]:
    """The cells, at most six, that share a side with `cell`."""
    row, column = divmod(cell, size)
    steps = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]
    around = [(row + down, column + right) for down, right in steps]
    return [r * size + c for r, c in around if 0 <= r < size and 0 <= c < size]
