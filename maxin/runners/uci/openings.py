"""Where games start: a position of an opening book, or random moves."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn
import chess.polyglot
import numpy as np

from maxin.core import InvalidInput
from maxin.runners.uci.opening_settings import Openings

TAG = re.compile(r'\[\s*\w+\s+"')  # the start of a PGN tag
CHECKED = 100  # openings that are read before the first game; the others when they are played
NO_TAG = ("", "?", "-")  # what PGN writes for an unknown value


class Opening(NamedTuple):
    """A position to start from, with the moves that led to it, and the tags the book has for it.

    `tags` are those of `ECO` and `Opening` that the book has.
    """

    board: chess.Board
    tags: dict[str, str]


class Book:
    """The openings of a file, in the order in which they are played.

    Args:
        settings: the file, and the order.
        max_plies: an opening must have fewer moves.
    """

    def __init__(self, settings: Openings, max_plies: int) -> None:
        self.settings, self._max_plies = settings, max_plies
        self._entries = _entries(settings)
        n_openings = len(self._entries)
        if not n_openings:
            raise InvalidInput(f"openings: {settings.file!r} has no opening")
        if settings.start > n_openings:
            raise InvalidInput(
                f"openings: start must be at most {n_openings:,}, the number of openings in "
                f"{settings.file!r}; got {settings.start:,}"
            )

    def __len__(self) -> int:
        return len(self._entries)

    def check(self) -> None:
        """Read the first openings; raise `InvalidInput` for one that is invalid."""
        for place in range(min(CHECKED, len(self))):
            self.opening(place)

    def opening(self, place: int) -> Opening:
        """The opening at a place, from 0 on; after the last comes the first again.

        Raise `InvalidInput`, with the file and the line, for one that is invalid.
        """
        at = (place + self.settings.start - 1) % len(self)
        line, text = self._entries[self._order[at]]
        try:
            read = _pgn_opening if self.settings.is_pgn else _epd_opening
            opening = read(text, self.settings.plies)
            if not opening.board.is_valid():
                raise ValueError(f"the position {opening.board.fen()} is impossible")
            end = ending(opening.board)
            if end is None and len(opening.board.move_stack) >= self._max_plies:
                end = f"max_plies is {self._max_plies}"
            if end is not None:
                hint = "; plies uses fewer of its moves" if self.settings.is_pgn else ""
                raise ValueError(f"the game is over after it ({end}){hint}")
        except ValueError as error:
            raise InvalidInput(f"openings: {self.settings.file}, line {line:,}: {error}") from None
        return opening

    @cached_property
    def _order(self) -> Sequence[int]:
        if self.settings.order == "sequential":
            return range(len(self))
        rng = np.random.default_rng(self.settings.seed or 0)
        order: list[int] = rng.permutation(len(self)).tolist()
        return order


class PolyglotBook:
    """Openings drawn move by move from a Polyglot book, each move by its weight.

    Args:
        settings: the file, the seed and the number of moves.
        max_plies: an opening must have fewer moves.
    """

    def __init__(self, settings: Openings, max_plies: int) -> None:
        self.settings = settings
        self._most = min(max_plies - 1, settings.plies or max_plies)
        try:
            self._reader = chess.polyglot.open_reader(settings.file)
        except OSError as error:
            raise InvalidInput(
                f"openings: {settings.file!r} cannot be read: {error.strerror or error}"
            ) from None

    def check(self) -> None:
        """Raise `InvalidInput` unless the book has a move for the start of a game."""
        if not self._moves(chess.Board()):
            raise InvalidInput(
                f"openings: the Polyglot book {self.settings.file!r} has no move for the start"
            )

    def opening(self, place: int) -> Opening:
        """The opening at a place, from 0 on, drawn from the seed and the place."""
        rng = np.random.default_rng([self.settings.seed or 0, place])
        board = chess.Board()
        while len(board.move_stack) < self._most and (moves := self._moves(board)):
            weights = np.array([*moves.values()], dtype=np.float64)
            board.push([*moves][rng.choice(len(moves), p=weights / weights.sum())])
        return Opening(board, {})

    def _moves(self, board: chess.Board) -> dict[chess.Move, int]:
        """The moves of the book that do not end the game, with their weights."""
        found = {entry.move: entry.weight for entry in self._reader.find_all(board)}
        return {move: weight for move, weight in found.items() if not _ends(board, move)}


def open_book(settings: Openings, max_plies: int) -> Book | PolyglotBook:
    """The book of a file."""
    kind = PolyglotBook if settings.is_polyglot else Book
    return kind(settings, max_plies)


def random_opening(seed: int, n_plies: int) -> Opening:
    """The position after `n_plies` random moves drawn from the seed, none of which ends the game.

    >>> random_opening(seed=1, n_plies=4).board.ply()
    4
    """
    rng, board = np.random.default_rng(seed), chess.Board()
    for _ in range(n_plies):
        moves = [move for move in board.legal_moves if not _ends(board, move)]
        if not moves:
            break
        board.push(moves[rng.integers(len(moves))])
    return Opening(board, {})


def _ends(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    is_over = ending(board) is not None
    board.pop()
    return is_over


def _entries(settings: Openings) -> list[tuple[int, str]]:
    """The line and the text of every opening in the file; the texts are not parsed."""
    try:
        text = Path(settings.file).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InvalidInput(
            f"openings: {settings.file!r} cannot be read: {error.strerror}"
        ) from None
    if settings.is_pgn:
        return list(_pgn_texts(text))
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    return [(number, line) for number, line in lines if line and not line.startswith("#")]


def _pgn_texts(text: str) -> Iterator[tuple[int, str]]:
    """The games of a PGN file: a game begins with a tag after moves."""
    lines: list[str] = []
    start, has_moves = 1, False
    for number, line in enumerate(text.splitlines(), start=1):
        is_tag = TAG.match(line) is not None
        if is_tag and has_moves:
            yield start, "\n".join(lines)
            lines, has_moves = [], False
        if not lines:
            start = number
        if lines or line.strip():
            lines.append(line)
        has_moves = has_moves or bool(line.strip() and not is_tag)
    if has_moves:
        yield start, "\n".join(lines)


def _epd_opening(text: str, plies: int | None) -> Opening:
    """The position of a line: EPD, with its operations, or FEN, with its counters."""
    board, operations = chess.Board(), {}
    if len(fields := text.split()) == 6 and fields[4].isdigit() and fields[5].isdigit():
        board.set_fen(text)
    else:
        operations = board.set_epd(text)
    eco = operations.get("eco", operations.get("ECO"))
    return Opening(board, {"ECO": eco} if isinstance(eco, str) else {})


def _pgn_opening(text: str, plies: int | None) -> Opening:
    """The position after the first `plies` moves of a game, or after all of them."""
    game = chess.pgn.read_game(io.StringIO(text))
    if game is None:
        raise ValueError("there is no game")
    if game.errors:
        raise ValueError(str(game.errors[0]))
    board = game.board()
    for move in list(game.mainline_moves())[:plies]:
        board.push(move)
    known = {tag: game.headers.get(tag, "") for tag in ("ECO", "Opening")}
    return Opening(board, {tag: value for tag, value in known.items() if value not in NO_TAG})


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
