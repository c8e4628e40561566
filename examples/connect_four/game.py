"""Connect four on a 7 x 6 board, and sixteen players, from hopeless to hard to beat.

Their Elo points, from 40 games of every pair (a game takes 7 ms on average):

    mcts-8192  632    mcts-512  353    mcts-64   -54    mcts-8  -430
    mcts-2048  512    search-4  347    search-1 -101    mcts-4  -522
    search-8   446    mcts-128  149    mcts-32  -205    mcts-2  -568
    search-6   357    search-2  116    mcts-16  -324    random  -708

The best player scores 0.7 against the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from maxin.core import InvalidInput, check_name, check_whole
from maxin.kernels import connect_four as kernels


class Position(NamedTuple):
    """The stones of the player to move and of the other, as bits.

    Bit 7 c + r is row r, counted from below, of column c; bit 7 c + 6 is above the board.


    >>> position = Position()
    >>> for column in (3, 2, 3, 2, 3, 2, 3):
    ...     position = position.after(column)
    >>> position.is_lost, position.is_full
    (True, False)
    """

    mine: int = 0
    theirs: int = 0

    @property
    def is_lost(self) -> bool:
        """Whether the last move made four in a line."""
        return kernels.has_four(self.theirs)

    @property
    def is_full(self) -> bool:
        """Whether no cell is free."""
        return self.mine | self.theirs == kernels.FULL

    def columns(self) -> list[int]:
        """The columns into which a stone can be dropped.

        >>> Position().columns()
        [0, 1, 2, 3, 4, 5, 6]
        """
        taken = self.mine | self.theirs
        return [column for column in range(kernels.COLUMNS) if kernels.landing(taken, column)]

    def after(self, column: int) -> Position:
        """The position after a move, from the other player's point of view.

        >>> Position().after(0).after(0)
        Position(mine=1, theirs=2)
        """
        if column not in self.columns():
            raise InvalidInput(f"a move must be one of the columns {self.columns()}; got {column}")
        cell = kernels.landing(self.mine | self.theirs, column)
        return Position(self.theirs, self.mine | cell)


class Player(NamedTuple):
    """How a player chooses a move: `kernel(mine, theirs, effort, rng)` returns the column."""

    kernel: Callable[[int, int, int, np.random.Generator], int]
    effort: int

    def move(self, position: Position, rng: np.random.Generator) -> int:
        """The column into which it drops a stone.

        >>> BUILT_IN["search-1"].move(Position(0b111), np.random.default_rng(0))
        0
        """
        return int(self.kernel(position.mine, position.theirs, self.effort, rng))


def _player(name: str) -> Player:
    """`mcts-n` tries n playouts per move, `search-n` looks n moves ahead."""
    kind, _, effort = name.partition("-")
    if kind == "random":
        return Player(kernels.mcts_move, 1)  # with a single playout, the move is random
    kernel = kernels.search_move if kind == "search" else kernels.mcts_move
    return Player(kernel, int(effort))


PLAYERS = (
    "mcts-64",
    "search-2",
    "mcts-2048",
    "mcts-4",
    "search-8",
    "random",
    "mcts-512",
    "search-4",
    "mcts-16",
    "mcts-8192",
    "search-1",
    "mcts-128",
    "mcts-2",
    "search-6",
    "mcts-32",
    "mcts-8",
)
BUILT_IN: Mapping[str, Player] = {name: _player(name) for name in PLAYERS}


def play(first: str, second: str, seed: int) -> float:
    """Play one game between two of `PLAYERS`, and return the first player's score.

    The same seed gives the same game.

    Args:
        first: the player who moves first.
        second: the other player.
        seed: seeds the players' random choices.

    >>> play("mcts-128", "random", seed=1)
    1.0
    """
    players = [BUILT_IN[check_name(name, PLAYERS, "player")] for name in (first, second)]
    rng = np.random.default_rng(check_whole(seed, "seed"))
    position, mover = Position(), 0
    while not position.is_full:
        position = position.after(players[mover].move(position, rng))
        if position.is_lost:
            return 1.0 - mover
        mover = 1 - mover
    return 0.5
