"""The columns of a file of results, and what their values mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from maxin.core import InvalidInput, check_name
from maxin.storage import PlayedMatch
from maxin.storage.records import JUDGE_KEYS
from maxin.tournament.results.extras import extras_of

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
