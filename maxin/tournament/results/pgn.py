"""PGN, the format of chess games. Only the players and the result are read.

Of games that `written` has written, the number of the match is read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from maxin.core import InvalidInput, MissingExtra
from maxin.core.values import data_of_games
from maxin.storage import PlayedMatch
from maxin.tournament.results.columns import THREE, Layout
from maxin.tournament.results.problems import InvalidRow

if TYPE_CHECKING:
    import chess

TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
NUMBER = re.compile(r"[0-9]{1,15}(?=\.|$)")  # 17 or 17.2, its second game
WIDTH = 79  # characters of a line of moves
EVENT = "maxin"  # the tag of all games that are written
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
WORDS = {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}
GAME = THREE._replace(number=3)  # White, Black, the result and, if we wrote it, the match's number


def read_pgn(file: TextIO, name: str) -> Iterator[tuple[int, Layout, list[Any]] | InvalidRow]:
    """The lines, players, results and numbers of a PGN file's games.

    A game begins with a tag after moves, or with a tag that the last game has already.
    """
    tags: dict[str, str] = {}
    start = 0  # the line of the game's first tag
    has_moves = in_comment = False
    for line, text in enumerate(file, start=1):
        if not in_comment and text.lstrip().startswith("["):
            for tag, value in TAG.findall(_decoded(text)):
                if has_moves or tag in tags:
                    yield _row(tags, start)
                    tags, has_moves = {}, False
                start = start if tags else line
                tags[tag] = re.sub(r"\\(.)", r"\1", value)
        elif text.strip() and not text.startswith("%"):
            has_moves = has_moves or bool(tags)
            in_comment = _is_comment_open(text, in_comment)
    if in_comment:
        raise InvalidInput(f"{name}, line {start}: a comment in this game has no closing brace")
    if tags:
        yield _row(tags, start)


def _is_comment_open(moves: str, is_open: bool) -> bool:
    """Whether a line of moves ends within a comment in braces, which do not nest."""
    rest = moves
    while True:
        mark = re.search(r"}" if is_open else r"[{;]", rest)
        if mark is None or mark[0] == ";":  # a semicolon comments the rest of its line
            return is_open
        is_open, rest = not is_open, rest[mark.end() :]


def _decoded(text: str) -> str:
    """A line of a file that is in UTF-8, or else in Latin-1 as the standard once had it."""
    if text.isascii():
        return text
    raw = text.encode("utf-8", "surrogateescape")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _row(tags: dict[str, str], line: int) -> tuple[int, Layout, list[Any]] | InvalidRow:
    missing = [tag for tag in ("White", "Black", "Result") if tag not in tags]
    if missing:
        return InvalidRow.at(
            line,
            "a game needs the tags White, Black and Result; this one has "
            f"{', '.join(tags)} and no {missing[0]}",
        )
    number = NUMBER.match(tags.get("Round", "")) if tags.get("Event") == EVENT else None
    values = [tags["White"], tags["Black"], tags["Result"], number and int(number[0])]
    return line, GAME, values


class Seated(NamedTuple):
    """One game of a match, with the players in the seats they had; the score is White's."""

    number: int | None
    white: str
    black: str
    score: float


def seated_games(played: PlayedMatch[str]) -> list[Seated]:
    """The games of a match; every second one has swapped seats.

    >>> seated_games(PlayedMatch(7, "anna", "bo", 0.75, (1.0, 0.5)))[1]
    Seated(number=7, white='bo', black='anna', score=0.5)
    """
    number, first, second = played[:3]
    return [
        Seated(number, second, first, 1.0 - score)
        if place % 2
        else Seated(number, first, second, score)
        for place, score in enumerate(played.games or (played.score,))
    ]


def pgn_games(played: PlayedMatch[str]) -> Iterator[str]:
    """A match as PGN games, one per game, with the seats they had, and the moves if it is chess.

    PGN has only the scores 1, 1/2 and 0 and no control characters; anything else is refused.
    """
    parts = data_of_games(played.data, played.games)
    for place, (_, white, black, score) in enumerate(seated_games(played)):
        if score not in WORDS:
            raise InvalidInput(
                f"PGN has only the scores 1, 0.5 and 0; {white!r} - {black!r} has {score!r}; "
                "choose another format"
            )
        result = WORDS[score]
        more, moves = chess_moves(parts[place])
        tags = {
            "Event": EVENT,
            "Site": "?",
            "Date": _date(played.time),
            "Round": _round(played, place),
            "White": white,
            "Black": black,
            "Result": result,
            **more,
        }
        header = "".join(f'[{tag} "{_escaped(value)}"]\n' for tag, value in tags.items())
        yield f"{header}\n{_wrapped([*moves, result])}\n\n"


def _date(time: float) -> str:
    return f"{datetime.fromtimestamp(time, UTC):%Y.%m.%d}" if time else "????.??.??"


def _round(played: PlayedMatch[str], place: int) -> str:
    """The number of the match; its games are numbered behind it."""
    number = "-" if played.number is None else str(played.number)
    return number if played.games is None else f"{number}.{place + 1}"


def _wrapped(words: list[str]) -> str:
    """Lines of fewer than 80 characters; a comment stays on one line."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    return "\n".join(lines)


def _escaped(value: str) -> str:
    if any(ord(sign) < 32 or sign == "\x7f" for sign in value):
        raise InvalidInput(f"PGN must have no control characters; the name {value!r} has one")
    return value.replace("\\", "\\\\").replace('"', '\\"')


# The moves of chess, from the data that a runner kept


class ChessMoves(NamedTuple):
    """The further tags of a game, and its moves with their numbers and comments."""

    tags: Mapping[str, str]
    moves: tuple[str, ...]


NO_MOVES = ChessMoves({}, ())


def chess_moves(data: Mapping[str, Any] | None) -> ChessMoves:
    """The moves of a game, from the data of its result; none if it is not a game of chess.

    Data may come from anywhere: an illegal game is left out.

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
        words = tuple(_moves(board, moves.split(), comments.split(", ") if comments else []))
    except ValueError:
        return NO_MOVES
    return ChessMoves(_chess_tags(data, fen, len(board.move_stack)), words)


def _moves(board: chess.Board, moves: list[str], comments: list[str]) -> Iterator[str]:
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


def _chess_tags(data: Mapping[str, Any], fen: str, n_plies: int) -> dict[str, str]:
    end = str(data["end"])
    tags = {"PlyCount": str(n_plies), "Termination": TERMINATIONS.get(end, "normal")}
    for name, key in (("ECO", "ECO"), ("Opening", "Opening"), ("TimeControl", "tc")):
        if isinstance(value := data.get(key), str) and PRINTABLE.fullmatch(value):
            tags[name] = value
    if fen:
        tags |= {"FEN": fen, "SetUp": "1"}
    return dict(sorted(tags.items()))
