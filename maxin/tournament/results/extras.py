"""What a file of results holds besides the players and the score."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from maxin.core import InvalidInput
from maxin.core.checks import check_data_size
from maxin.storage import PlayedMatch, check_judge
from maxin.storage.records import JUDGE_KEYS, Player

LONGEST = 1_000  # characters of a cell that is kept: a whole conversation stays in its file
ROUNDING = 1e-9  # how far a match's score may be from the mean of its games
LAST_SECOND = 253_402_300_799.0  # of the year 9999


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
