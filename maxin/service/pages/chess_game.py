"""A game of chess on a page: the board after any move, and all moves as links to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

if TYPE_CHECKING:
    import chess

KEYS = ("end", "plies", "moves")  # of the data of a game of chess
MOST_PLIES = 2_000  # on a page: data may come from anywhere


class ChessPly(NamedTuple):
    """A move: `number` is "12." or "12..." before it, `comment` its evaluation and time."""

    ply: int
    number: str
    san: str
    comment: str


class ChessView(NamedTuple):
    """A game, and the board after `ply` moves of both sides.

    Args:
        plies: the moves.
        ply: 0 before the first one.
        label: the position, for those who do not see the board.
        fen: the same as chess programs write it.
        board: an SVG image.
        end: how the game ended.
    """

    plies: list[ChessPly]
    ply: int
    label: str
    fen: str
    board: Markup
    end: str

    @property
    def steps(self) -> list[tuple[str, str, int | None]]:
        """The links beside the board: a name, a sign, and the move they lead to, if there is one.

        >>> data = {"end": "time", "plies": 1, "moves": "e2e4"}
        >>> [step[::2] for step in chess_view(data, 0).steps]
        [('first', None), ('previous', None), ('next', 1), ('last', 1)]
        """
        back = self.ply > 0
        on = self.ply < len(self.plies)
        return [
            ("first", "«", 0 if back else None),
            (
                "previous",
                "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
                self.ply - 1 if back else None,
            ),
            (
                "next",
                "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
                self.ply + 1 if on else None,
            ),
            ("last", "»", len(self.plies) if on else None),
        ]


def chess_view(data: Mapping[str, Any] | None, ply: int | None) -> ChessView | None:
    """The game in the data of a result, after `ply` moves or at its end.

    None if it is not a game of chess, or not a legal one, or if python-chess is not installed.

    >>> view = chess_view({"end": "checkmate", "plies": 4, "moves": "f2f3 e7e5 g2g4 d8h4"}, None)
    >>> view.label, [one.san for one in view.plies]
    ('after 2... Qh4#', ['f3', 'e5', 'g4', 'Qh4#'])
    >>> chess_view({"moves": 40}, None), chess_view(None, None)
    (None, None)
    """
    if not data or not all(key in data for key in KEYS):
        return None
    try:
        import chess
        import chess.svg
    except ImportError:
        return None
    moves, comments, fen = (str(data.get(key) or "") for key in ("moves", "comments", "fen"))
    try:
        board = chess.Board(fen) if fen else chess.Board()
        plies = _plies(board.copy(), moves.split()[:MOST_PLIES], comments)
        here = len(plies) if ply is None else min(ply, len(plies))
        for one in plies[:here]:
            board.push_san(one.san)
    except ValueError:
        return None
    last = board.peek() if here else None
    check = board.king(board.turn) if board.is_check() else None
    svg = Markup(chess.svg.board(board, lastmove=last, check=check))
    label = f"after {plies[here - 1].number} {plies[here - 1].san}" if here else "before the game"
    return ChessView(plies, here, label, board.fen(), svg, str(data["end"]))


def _plies(board: chess.Board, moves: list[str], comments: str) -> list[ChessPly]:
    """Moves as people write them; the comments are those of the last ones."""
    notes = comments.split(", ") if comments else []
    notes = ["book"] * (len(moves) - len(notes)) + notes if notes else [""] * len(moves)
    found = []
    for ply, (word, note) in enumerate(zip(moves, notes, strict=False), start=1):
        move = board.parse_uci(word)
        number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
        found.append(ChessPly(ply, number, board.san(move), note))
        board.push(move)
    return found
