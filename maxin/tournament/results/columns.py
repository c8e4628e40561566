"""The columns of a table of results, and what their values mean."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from maxin.core import InvalidInput, check_name
from maxin.core.checks import LONGEST_NAME, check_data_size
from maxin.storage import PlayedMatch, check_judge
from maxin.storage.records import JUDGE_KEYS, LAST_SECOND, ROUNDING, Player
from maxin.tournament.results.problems import BLANK, SELF, InvalidRow, MisreadResults

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
# The columns of winners and losers: they do not say who sat first.
WON = (("winner", "loser"), ("chosen_model", "rejected_model"), ("chosen", "rejected"))
DRAWN = ("draw", "tie", "is_draw", "is_tie")  # beside them: 1 if nobody won
IDS = ("id", "match_id", "battle_id", "game_id", "vote_id", "result_id", "uuid")
# What a caller may name a column for; see `read_results`.
ROLES = ("first", "second", "score", "winner", "loser", "draw", "id", "judge", "time")
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
SEATS = {"1": 1.0, "2": 0.0}  # a winner by the number of the seat
# Words for seats that are known whatever the names of the columns that a caller names.
OTHER_WORDS = {"a": 1.0, "b": 0.0, "left": 1.0, "right": 0.0, "model_a": 1.0, "model_b": 0.0}


class Layout(NamedTuple):
    """Which columns hold the players and the result.

    `outcome` is None if the players are a winner and a loser; then `draw` is the column that says
    with 1 that nobody won, if there is one. `words` maps the words for a winner to scores; None if
    the column holds scores or results such as 1-0. `squeezed` does so as `_squeezed` leaves the
    words. `flags` are the columns that say with 0 or 1 whether the first player won, the second
    won, or nobody; None if one column holds the result. `others` are all other columns. `number`
    and `id` are those of a match's number and of an id that occurs once.
    """

    first: int
    second: int
    outcome: int | None
    words: Mapping[str, float] | None = None
    flags: tuple[int, int, int] | None = None
    others: tuple[tuple[str, int], ...] = ()
    squeezed: Mapping[str, float] = {}
    draw: int | None = None
    number: int | None = None
    id: int | None = None

    def read(self, values: Sequence[Any], line: int) -> PlayedMatch[str] | None:
        """The result in these values; None for a game that was not finished."""
        blank = self.first if self.outcome is None else self.outcome
        if self.flags is None and _is_blank(values[blank]):
            raise InvalidRow("a row must have a winner or a score; its cell is blank", BLANK)
        first, second = _name(values[self.first]), _name(values[self.second])
        if first == second:
            raise InvalidRow(f"a player cannot play itself; both are {first!r}", SELF)
        score = self._score(first, second, values)
        if score is None:
            return None
        if self.outcome is None and _is_swapped(line):
            first, second, score = second, first, 1.0 - score
        number = None if self.number is None else values[self.number]
        if not self.others:
            return PlayedMatch(number, first, second, score, line=line)
        cells = [(name, values[place]) for name, place in self.others]
        games, errors, data, retracted = extras_of(cells, score)
        return PlayedMatch(
            number, first, second, score, games, errors, data, line=line, retracted=retracted
        )

    def _score(self, first: str, second: str, values: Sequence[Any]) -> float | None:
        """The first player's score, or the winner's; None if the game was not finished."""
        if self.outcome is None:
            is_draw = self.draw is not None and _is_set(values[self.draw])
            return 0.5 if is_draw else 1.0
        if self.flags is not None:
            return _flagged([values[place] for place in self.flags])
        outcome = values[self.outcome]
        return _score(outcome) if self.words is None else self._winner(first, second, outcome)

    def _winner(self, first: str, second: str, value: Any) -> float:
        """The first player's score when the winner is given by seat, by name, or as a tie."""
        winner = value if type(value) is str else _text(value)
        by_word = self.squeezed.get(_squeezed(winner))
        by_name = 1.0 if winner == first else 0.0 if winner == second else None
        if by_word is not None and by_name is not None and by_word != by_name:
            raise InvalidInput(
                f"the winner {winner!r} is a player's name and also the word for another result"
            )
        found = by_word if by_word is not None else by_name
        return found if found is not None else self._seat(first, second, winner)

    def _seat(self, first: str, second: str, winner: str) -> float:
        """The first player's score when the winner is the number of a seat, 1 or 2.

        It is not guessed what 0 means, or 1 and 2 between players whose names are numbers.
        """
        assert self.words is not None
        number = winner.strip().removesuffix(".0")  # as pandas writes it beside blanks
        found = SEATS.get(number)
        if number == "0" or (found is not None and first.isdigit() and second.isdigit()):
            seats = ", ".join(list(self.words)[:2])
            raise MisreadResults(
                f"the winner {winner!r} of {first!r} and {second!r} may be a seat, a player or a "
                f"tie; write {seats} or tie, or the winner's name"
            )
        if found is None:
            raise InvalidInput(
                f"a winner must be {first!r}, {second!r}, or one of {', '.join(self.words)}, 1, 2; "
                f"got {winner!r}"
            )
        return found


THREE = Layout(0, 1, 2)  # three columns without a header


def layout_of(columns: Sequence[str], roles: Mapping[str, str | None] | None = None) -> Layout:
    """The layout of named columns; the error lists the names that are known.

    `roles` are columns that the caller has named; see `read_results`.

    >>> layout_of(["x", "y", "won"], {"first": "x", "second": "y", "winner": "won"})[:3]
    (0, 1, 2)
    """
    given = roles or {}
    names = _known_names(columns, given)
    has_id = given.get("id", "id") is not None
    ids = [names.index(name) for name in IDS if has_id and name in names]
    return _found(columns, names, given)._replace(id=ids[0] if ids else None)


def _found(columns: Sequence[str], names: list[str], given: Mapping[str, str | None]) -> Layout:
    """The first layout of those known whose columns are there."""
    is_won = "loser" in given  # a column `score` may be there too
    for first, second, outcomes in () if is_won else LAYOUTS:
        if first in names and second in names:
            flags = (f"winner_{first}", f"winner_{second}", "winner_tie")
            used = next(([outcome] for outcome in outcomes if outcome in names), [])
            if not used and all(flag in names for flag in flags):
                used = list(flags)
            if used:
                return _layout(columns, names, (first, second), used, given)
    for winner, loser in WON:
        if winner in names and loser in names:
            return _layout(columns, names, (winner, loser), [], given)
    known = "; ".join(f"{first}, {second}, {outcomes[0]}" for first, second, outcomes in LAYOUTS)
    raise InvalidInput(
        f"no columns for two players and a result; found: {', '.join(columns) or 'none'}; "
        f"known: {known}; {'; '.join(', '.join(pair) for pair in WON)}; others can be named: "
        "--column winner=COLUMN, or columns={'winner': ...} in Python"
    )


def check_roles(roles: Mapping[str, str | None] | None) -> dict[str, str | None]:
    """The columns that a caller has named, by role; only an id may be None."""
    found = dict(roles or {})
    for role, column in found.items():
        check_name(role, ROLES, "role of a column")
        if not isinstance(column, str) and not (role == "id" and column is None):
            raise InvalidInput(f"the column of {role!r} must be a name; got {column!r}")
    twice = [column for column, times in Counter(found.values()).items() if times > 1]
    if twice:
        raise InvalidInput(f"a column must have one role; {twice[0]!r} has two")
    return found


def _known_names(columns: Sequence[str], roles: Mapping[str, str | None]) -> list[str]:
    """The columns' names as `LAYOUTS` has them, with the roles that the caller gave them.

    A column that already has such a name, and was not given this role, gets an underscore.
    """
    names = [re.sub(r"[ -]", "_", column.strip().lower()) for column in columns]
    names = [f"{name}_" if roles.get(name) is not None else name for name in names]
    for role, column in roles.items():
        if column is not None:
            names[columns.index(check_name(column, columns, "column"))] = role
    return names


def _layout(
    columns: Sequence[str],
    names: list[str],
    players: tuple[str, str],
    outcome: list[str],
    given: Mapping[str, str | None],
) -> Layout:
    """The layout with the result in one column, in three that hold 0 or 1, or in none."""
    first, second, *ends = places = [names.index(name) for name in (*players, *outcome)]
    drawn = [] if outcome else [names.index(name) for name in DRAWN if name in names][:1]
    others = tuple(
        (name if name.rstrip("_") in (*JUDGE_KEYS, *given) else column.strip(), place)
        for place, (name, column) in enumerate(zip(names, columns, strict=True))
        if place not in [*places, *drawn]
    )
    words = None
    if outcome == ["winner"]:
        words = _words(*players)
        if "first" in given or "second" in given:  # the words for seats are those of the caller
            words = OTHER_WORDS | words | _words(columns[first].strip(), columns[second].strip())
    return Layout(
        first,
        second,
        ends[0] if ends else None,
        words,
        (ends[0], ends[1], ends[2]) if len(ends) == 3 else None,
        others,
        {_squeezed(word): score for word, score in (words or {}).items()},
        *drawn,
    )


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
    if type(value) is str and value and not value.isspace() and len(value) <= LONGEST_NAME:
        return value  # nearly all
    name = plain(value)
    if isinstance(name, int) and not isinstance(name, bool):
        return str(name)  # players known by number
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"a player's name must be a text that is not blank; got {value!r:.80}")
    if len(name) > LONGEST_NAME:
        raise InvalidInput(
            f"a player's name has at most {LONGEST_NAME} characters; {name[:40]!r}... has "
            f"{len(name):,}"
        )
    return name


def _text(value: Any) -> str:
    """A value as CSV would hold it: a data frame may have 1 as 1.0, because others are missing."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_blank(value: Any) -> bool:
    if type(value) is str:
        return not value or value.isspace()
    return plain(value) is None


def _is_swapped(line: int) -> bool:
    """Whether the loser of a line is taken as who sat first, by a hash of the line.

    Who sat first is not known. If it were always the winner, the first seat would seem to win.
    """
    return bool((line * 0x9E3779B1) >> 31 & 1)


def _is_set(flag: Any) -> bool:
    """Whether a cell says 1; it may say 0, or be blank."""
    text = _flag(flag)
    if text not in YES and text not in NO:
        raise InvalidInput(f"a column that says whether nobody won must be 1 or 0; got {flag!r}")
    return text in YES


def _flag(flag: Any) -> str:
    return "" if _is_blank(flag) else str(flag).strip().lower()


def _flagged(flags: Sequence[Any]) -> float:
    """The score when three columns say with 1 who won: the first, the second or nobody."""
    texts = [_flag(flag) for flag in flags]
    if not any(texts):
        raise InvalidRow("a row must say who won; its cells are blank", BLANK)
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
    number = plain(value)
    if not isinstance(number, int | float) or isinstance(number, bool) or not 0.0 <= number <= 1.0:
        raise _not_a_score(value)
    return float(number)


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
        score = float(plain.replace(",", "."))  # 0,5 where a comma does not separate cells
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
        given = cell if type(cell) is str else plain(cell)
        if given is None or given == "" or not name:
            continue
        value = _parsed(name, given)
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
    except (TypeError, ValueError, RecursionError):
        return False


def plain(value: Any) -> Any:
    """A value of a data frame as JSON can hold it, a date as ISO 8601; None if it is missing.

    >>> plain(datetime(2026, 11, 16)), plain(float("nan")), plain((1, 2))
    ('2026-11-16T00:00:00', None, [1, 2])
    """
    if value is None or type(value) in (str, int, bool, list, dict):
        return value
    if hasattr(value, "tolist"):  # of NumPy
        return plain(value.tolist())
    if isinstance(value, tuple):
        return list(value)
    try:
        if value != value:  # NaN, and the missing time of pandas
            return None
    except TypeError:  # the missing value of pandas is neither true nor false
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return float(value) if hasattr(value, "__float__") else value  # a decimal


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
