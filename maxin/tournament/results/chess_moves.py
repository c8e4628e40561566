"""The moves of a chess game as PGN writes them, from the data that a runner kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from maxin.core import MissingExtra

if TYPE_CHECKING:
    import chess

COMMENT = re.compile(r"(?:[+-]M?[\d.]+/\d+ )?[\d.]+s")  # +0.31/12 0.050s
PRINTABLE = re.compile(r"[^\x00-\x1f\x7f]+")
TERMINATIONS = {
    "time": "time forfeit",
    "crash": "abandoned",
    "illegal move": "rules infraction",
    "too long": "adjudication",
    "draw by adjudication": "adjudication",
    "resignation": "adjudication",
}


class ChessMoves(NamedTuple):
    """The further tags of a game, and its moves with their numbers and comments."""

    tags: Mapping[str, str]
    moves: tuple[str, ...]


NO_MOVES = ChessMoves({}, ())


def chess_moves(data: Mapping[str, Any] | None) -> ChessMoves:
    """The moves of a game, from the data of its result; none if it is no game of chess.

    Data may come from anywhere: what is not a legal game is left out.

    >>> chess_moves({"end": "time", "plies": 1, "moves": "e2e4", "comments": "+0.31/12 0.050s"})
    ChessMoves(tags={'PlyCount': '1', 'Termination': 'time forfeit'},
    moves=('1.', 'e4', '{+0.31/12 0.050s}'))
    """
    if not data or not all(key in data for key in ("end", "plies", "moves")):
        return NO_MOVES
    try:
        import chess
    except ImportError:
        raise MissingExtra(
            "PGN with moves needs python-chess; install it with the extra 'uci': "
            "pip install 'maxin[uci]'"
        ) from None
    moves, comments, fen = (str(data.get(key) or "") for key in ("moves", "comments", "fen"))
    try:
        board = chess.Board(fen) if fen else chess.Board()
        words = tuple(_words(board, moves.split(), comments.split(", ") if comments else []))
    except ValueError:
        return NO_MOVES
    return ChessMoves(_tags(data, fen, len(board.move_stack)), words)


def _words(board: chess.Board, moves: list[str], comments: list[str]) -> Iterator[str]:
    """Numbers, moves and comments; the comments are those of the last moves."""
    n_book = len(moves) - len(comments)
    needs_number = True
    for place, text in enumerate(moves):
        move = board.parse_uci(text)
        if board.turn or needs_number:  # Black's move has a number after a comment
            yield f"{board.fullmove_number}{'.' if board.turn else '...'}"
        yield board.san(move)
        board.push(move)
        comment = "book" if place < n_book else comments[place - n_book]
        needs_number = comment == "book" or COMMENT.fullmatch(comment) is not None
        if needs_number:
            yield f"{{{comment}}}"


def _tags(data: Mapping[str, Any], fen: str, n_plies: int) -> dict[str, str]:
    end = str(data["end"])
    tags = {"PlyCount": str(n_plies), "Termination": TERMINATIONS.get(end, "normal")}
    for name, key in (("ECO", "ECO"), ("Opening", "Opening"), ("TimeControl", "tc")):
        if isinstance(value := data.get(key), str) and PRINTABLE.fullmatch(value):
            tags[name] = value
    if fen:
        tags |= {"FEN": fen, "SetUp": "1"}
    return dict(sorted(tags.items()))
