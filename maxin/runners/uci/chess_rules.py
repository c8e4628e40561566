"""When a game of chess is over."""

from __future__ import annotations

import chess


def ending(board: chess.Board) -> str | None:
    """How the game ended, or None if it has not. Draws are claimed as soon as possible.

    >>> ending(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))
    'stalemate'
    """
    if (outcome := board.outcome()) is not None:
        return outcome.termination.name.lower().replace("_", " ")
    if board.is_repetition(3):
        return "threefold repetition"
    return "fifty moves" if board.is_fifty_moves() else None
