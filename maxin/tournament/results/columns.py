"""The columns of a file of results, and what their values mean."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from maxin.core import InvalidInput, check_name
from maxin.core.checks import check_data_size
from maxin.storage import PlayedMatch, check_judge
from maxin.storage.records import JUDGE_KEYS, LAST_SECOND, ROUNDING, Player

# The columns of the two players, and those that may hold the result, the preferred one first.
LAYOUTS = (
    ("first", "second", ("score", "result", "winner")),
    ("a", "b", ("score", "result", "winner")),
    ("player_a", "player_b", ("score", "result", "winner")),
    ("player_1", "player_2", ("score", "result", "winner")),
    ("player1", "player2", ("score", "result", "winner")),
    ("white", "black", ("result", "score", "winner")),
    ("model_a", "model_b", ("winner", "score", "result")),
    ("left", "right", ("winner", "score", "result")),
)
RESULTS: Mapping[str, float | None] = {
    "1-0": 1.0,
    "0-1": 0.0,
    "1/2-1/2": 0.5,
    "0.5-0.5": 0.5,
    "½-½": 0.5,
    "1/2": 0.5,
    "½": 0.5,
    "draw": 0.5,
    "tie": 0.5,
    "*": None,  # not finished
}
YES, NO = ("1", "1.0", "true"), ("0", "0.0", "false", "")
LONGEST = 1_000  # characters of a cell that is kept: a whole conversation stays in its file
TIES = ("tie", "draw", "tie (bothbad)", "bothbad")


class Layout(NamedTuple):
    """Which columns hold the players and the result.

    `words` maps the words for a winner to scores; None if the column holds scores or results such
    as 1-0. `squeezed` does so as `_squeezed` leaves the words. `flags` are the columns that say
    with 0 or 1 whether the first player won, the second won, or nobody; None if one column holds
    the result. `others` are all other columns.
    """

    first: int
    second: int
    outcome: int
    words: Mapping[str, float] | None = None
    flags: tuple[int, int, int] | None = None
    others: tuple[tuple[str, int], ...] = ()
    squeezed: Mapping[str, float] = {}

    def read(self, values: Sequence[Any], line: int) -> PlayedMatch[str] | None:
        """The result in these values; None for a game that was not finished."""
        first, second = _name(values[self.first]), _name(values[self.second])
        if first == second:
            raise InvalidInput(f"a player cannot play itself; both are {first!r}")
        outcome = values[self.outcome]
        if self.flags is not None:
            score: float | None = _flagged([values[place] for place in self.flags])
        elif self.words is not None:
            score = self._winner(first, second, str(outcome))
        else:
            score = _score(outcome)
        if score is None:
            return None
        if not self.others:
            return PlayedMatch(None, first, second, score, line=line)
        cells = [(name, values[place]) for name, place in self.others]
        games, errors, data, retracted = extras_of(cells, score)
        return PlayedMatch(
            None, first, second, score, games, errors, data, line=line, retracted=retracted
        )

    def _winner(self, first: str, second: str, winner: str) -> float:
        """The first player's score when the winner is given by seat, by name, or as a tie."""
        assert self.words is not None
        by_word = self.squeezed.get(_squeezed(winner))
        by_name = 1.0 if winner == first else 0.0 if winner == second else None
        if by_word is None and by_name is None:
            raise InvalidInput(
                f"a winner must be {first!r}, {second!r}, or one of {', '.join(self.words)}; "
                f"got {winner!r}"
            )
        if by_word is not None and by_name is not None and by_word != by_name:
            raise InvalidInput(
                f"the winner {winner!r} is a player's name and also the word for another result"
            )
        return by_word if by_word is not None else by_name  # type: ignore[return-value]


THREE = Layout(0, 1, 2)  # three columns without a header


def layout_of(columns: Sequence[str]) -> Layout:
    """The layout of named columns; the error lists the names that are known."""
    names = [re.sub(r"[ -]", "_", column.strip().lower()) for column in columns]
    for first, second, outcomes in LAYOUTS:
        if first in names and second in names:
            flags = (f"winner_{first}", f"winner_{second}", "winner_tie")
            used = next(([outcome] for outcome in outcomes if outcome in names), [])
            if not used and all(flag in names for flag in flags):
                used = list(flags)
            if used:
                return _layout(columns, names, (first, second), used)
    known = "; ".join(f"{first}, {second}, {outcomes[0]}" for first, second, outcomes in LAYOUTS)
    raise InvalidInput(
        f"no columns for two players and a result; found: {', '.join(columns) or 'none'}; "
        f"known: {known}"
    )


def _layout(
    columns: Sequence[str], names: list[str], players: tuple[str, str], outcome: list[str]
) -> Layout:
    """The layout with the result in one column, or in three that hold 0 or 1."""
    first, second, *ends = places = [names.index(name) for name in (*players, *outcome)]
    others = tuple(
        (name if name in JUDGE_KEYS else column.strip(), place)
        for place, (name, column) in enumerate(zip(names, columns, strict=True))
        if place not in places
    )
    words = _words(*players) if outcome == ["winner"] else None
    flags = (ends[0], ends[1], ends[2]) if len(ends) == 3 else None
    squeezed = {_squeezed(word): score for word, score in (words or {}).items()}
    return Layout(first, second, ends[0], words, flags, others, squeezed)


def _words(first: str, second: str) -> dict[str, float]:
    """Words for the winner: a player's column, its last letter alone, or a tie."""
    words = {first: 1.0, second: 0.0}
    words |= {first.rpartition("_")[2]: 1.0, second.rpartition("_")[2]: 0.0}
    return words | dict.fromkeys(TIES, 0.5)


@lru_cache(maxsize=1024)
def _squeezed(text: str) -> str:
    """Lower-case letters and digits only: "tie (bothbad)" and "Tie_BothBad" are the same."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _name(value: Any) -> str:
    if type(value) is str and value and not value.isspace():  # nearly all
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # players known by number
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"a player's name must be a text that is not blank; got {value!r}")
    return value


def _flagged(flags: Sequence[Any]) -> float:
    """The score when three columns say with 1 who won: the first, the second or nobody."""
    texts = [str(flag).strip().lower() for flag in flags]
    are_set = [text in YES for text in texts]
    if sum(are_set) != 1 or not all(text in YES or text in NO for text in texts):
        raise InvalidInput(
            "of the columns for a first player's win, a second player's win and a tie, one must "
            f"be 1 and the others 0; got {', '.join(map(repr, flags))}"
        )
    return (1.0, 0.0, 0.5)[are_set.index(True)]


def _score(value: Any) -> float | None:
    if isinstance(value, str):
        return score_of(value)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0.0 <= value <= 1.0:
        raise _not_a_score(value)
    return float(value)


@lru_cache(maxsize=1024)
def score_of(text: str) -> float | None:
    """The first player's score in a text; None if the game was not finished.

    >>> score_of("0.25"), score_of("1-0"), score_of("1/2-1/2"), score_of("*")
    (0.25, 1.0, 0.5, None)
    """
    plain = text.strip().lower().replace("–", "-")  # noqa: RUF001  # a typographic dash
    if plain in RESULTS:
        return RESULTS[plain]
    try:
        score = float(plain)
    except ValueError:
        raise _not_a_score(text) from None
    if not 0.0 <= score <= 1.0:
        raise _not_a_score(text)
    return score


def _not_a_score(value: Any) -> InvalidInput:
    return InvalidInput(
        "a score must be the first player's share of the win, in [0, 1], or 1-0, 0-1 or 1/2-1/2; "
        f"got {value!r}"
    )


# What a file holds besides the players and the score


class Extras(NamedTuple):
    """The other fields of a `PlayedMatch` that a file can have."""

    games: tuple[float, ...] | None = None
    errors: tuple[str, ...] = ()
    data: dict[str, Any] | None = None
    retracted: str | None = None


def extras_of(cells: Iterable[tuple[str, Any]], score: float) -> Extras:
    """Read the other columns of a row, by name; a blank cell or null means "not given".

    `games`, `errors`, `data` and `retracted` are as `written` writes them. All other columns are
    data, unless they are too long, and so is one of these that holds something else. A column
    never replaces what `data` has. A judge that has no name is an error: its votes would count as
    those of nobody.

    >>> extras_of([("games", "[1.0, 0.5]"), ("judge", "gpt"), ("seed", "7")], 0.75)[:3]
    ((1.0, 0.5), (), {'judge': 'gpt', 'seed': 7})
    """
    games: tuple[float, ...] | None = None
    errors: tuple[str, ...] = ()
    retracted: str | None = None
    columns: dict[str, Any] = {}
    data: dict[str, Any] = {}
    for name, cell in cells:
        if cell is None or cell == "" or not name:
            continue
        value = _parsed(name, cell)
        if name in JUDGE_KEYS:
            if str(value).strip():
                check_judge(value)
                columns[name] = value
        elif name == "games" and isinstance(value, list):
            games = _games(value, score)
        elif name == "errors" and isinstance(value, list):
            errors = tuple(str(error) for error in value)
        elif name == "data" and isinstance(value, dict):
            check_data_size(json.dumps(value), "data")
            data = value
        elif name == "retracted" and isinstance(value, str):
            retracted = _reason(value)
        elif _is_short(value):
            columns[name] = value
    return Extras(games, errors, {**columns, **data} or None, retracted)


def _parsed(name: str, cell: Any) -> Any:
    """The value of a cell of CSV, where a list, an object or a number is a text."""
    if name == "time":
        return _seconds(cell)
    if not isinstance(cell, str):
        return cell
    if name in ("games", "errors", "data") and cell[0] in "[{":
        try:
            value = json.loads(cell, parse_constant=_nothing)
        except (ValueError, RecursionError):
            return cell
        return value
    if name in ("number", "seed") and cell.isascii() and cell.isdigit() and len(cell) < 16:
        return int(cell)
    return cell


def _seconds(cell: Any) -> Any:
    """A time in seconds since 1970: a number, or a date of ISO 8601, in UTC if it does not say.

    >>> _seconds("2026-11-16T21:00:00Z"), _seconds("1794862800"), _seconds("soon")
    (1794862800.0, 1794862800.0, 'soon')
    """
    if type(cell) is int:
        return float(cell)
    if not isinstance(cell, str):
        return cell
    try:
        return float(cell)
    except ValueError:
        pass
    try:
        date = datetime.fromisoformat(cell.strip())
    except ValueError:
        return cell
    return date.replace(tzinfo=date.tzinfo or UTC).timestamp()


def _nothing(_: str) -> None:
    """NaN and the infinities, which JSON does not have."""


def _games(values: list[Any], score: float) -> tuple[float, ...] | None:
    if not values:
        return None
    if not all(type(one) in (int, float) and 0.0 <= one <= 1.0 for one in values):
        raise InvalidInput(
            f"games must be a list of the first player's scores, in [0, 1]; got {values!r:.80}"
        )
    if abs(sum(values) / len(values) - score) > ROUNDING:
        raise InvalidInput(
            f"the score of a match must be the mean of its games; {score:g} is not the mean of "
            f"{', '.join(f'{one:g}' for one in values)[:80]}"
        )
    return tuple(map(float, values))


def _reason(text: str) -> str:
    """Why a result was taken back, on one line."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST
    if isinstance(value, int | float):
        return abs(value) < 2**63  # NaN is not
    try:
        return len(json.dumps(value, allow_nan=False)) <= LONGEST
    except (ValueError, RecursionError):
        return False


def as_it_was(match: PlayedMatch[Player]) -> PlayedMatch[Player]:
    """An imported match with the number, seed and time that it had where it was played.

    They are in its data, if its file had them.

    >>> as_it_was(PlayedMatch(None, "anna", "bo", 1.0, data={"number": 17, "seed": 3})).number
    17
    """
    if match.number is not None or not match.data:
        return match
    data = dict(match.data)
    found = {name: data.pop(name) for name in ("number", "seed") if type(data.get(name)) is int}
    time: Any = data.get("time")
    if type(time) is float and 0.0 <= time <= LAST_SECOND:
        found["time"] = data.pop("time")
    return match._replace(**found, data=data or None)


def format_of(path: Path, format: str | None, known: Mapping[str, Sequence[str]]) -> str:
    """The given format, or the one of the file's ending; `known` maps formats to endings."""
    if format is not None:
        return check_name(format, known, "format of results")
    for name, endings in known.items():
        if path.suffix.lower() in endings:
            return name
    raise InvalidInput(
        f"the name of {str(path)!r} has no known ending; give a format: {', '.join(known)}"
    )
