"""Rules for values that people give: what a value must be, as a test and as a sentence."""

from __future__ import annotations

import difflib
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from maxin.core import InvalidInput, check_name, checks, half_life
from maxin.core.units import MOST_TOLERANCE
from maxin.runners.programs import environment
from maxin.tournament.goals import FORMS, parse_goal

Words = tuple[str, ...]
NONE = "none"  # stands for no value, or no table
SWITCHES = {"true": True, "false": False}


class Rule(NamedTuple):
    """What a value must be.

    Args:
        description: completes the sentence "VALUE must be ...".
        holds: whether a value obeys.
        parse: reads the value of a flag; a file's values have a type already.
        words: texts that stand for a value, such as "none"; see `meaning`.
        choices: all values, if they are few.
    """

    description: str
    holds: Callable[[Any], bool]
    parse: Callable[[str], Any] = str
    words: Words = ()
    choices: Words = ()

    def read(self, value: Any, place: str) -> Any:
        """The value, or an error that names the place, the rule and the value.

        >>> whole(1).read(3, "workers")
        3
        """
        if isinstance(value, str) and value in self.words:
            return value
        if not self.holds(value):
            raise InvalidInput(
                f"{place} must be {self.description}; got {value!r}{self._hint(value)}"
            )
        return value

    def _hint(self, value: Any) -> str:
        near = difflib.get_close_matches(str(value), self.choices, n=1, cutoff=checks.CLOSE)
        return f"; did you mean {near[0]!r}?" if near else ""


class TableRule:
    """What a table must hold: the fields of a record, which `check` accepts.

    Args:
        kind: the record.
        check: raises `InvalidInput` for an invalid record, with the place.

    >>> from maxin.runners import Openings
    >>> TableRule(Openings, lambda value, place: None).read({"file": "a.epd"}, "openings").order
    'random'
    """

    def __init__(self, kind: Any, check: Callable[[Any, str], None]) -> None:
        self._kind, self._check = kind, check
        self._required = [name for name in kind._fields if name not in kind._field_defaults]
        self.description = f'a table with some of {", ".join(kind._fields)}, or "{NONE}"'

    def check_words(self, words: Sequence[str], place: str) -> None:
        """Raise unless these words of a flag are written as key=value."""
        for word in words:
            if "=" not in word:
                required = [f"{key}={word}" for key in self._required]
                example = [*required, f"{self._kind._fields[0]}=..."][0]
                raise InvalidInput(
                    f"{place} takes words such as key=value, as in {place} {example}; got {word!r}"
                )

    def read(self, value: Any, place: str) -> Any:
        """The record, or an error that names the place, the key and the rule."""
        if value == NONE:
            return NONE
        if not isinstance(value, Mapping):
            raise InvalidInput(f"{place} must be {self.description}; got {value!r}")
        for key in value:
            check_name(key, self._kind._fields, f"key of {place}")
        for key in self._required:
            if key not in value:
                raise InvalidInput(f"{place} needs the key {key}; got {dict(value)!r}")
        record = self._kind(**value)
        self._check(record, place)
        return record


def number_or_text(text: str) -> float | str:
    """A number if `text` is one.

    >>> number_or_text("4"), number_or_text("0.9"), number_or_text("none")
    (4, 0.9, 'none')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def table_of(words: Sequence[str], place: str) -> dict[str, Any]:
    """The table that words such as `order=random start=5` write.

    A word without an equals sign is the beginning of a name with spaces.

    >>> table_of(["cmd=stockfish", "option.Skill", "Level=5"], "--engine")
    {'cmd': 'stockfish', 'option.Skill Level': 5}
    """
    found: dict[str, Any] = {}
    name = ""
    for word in words:
        start, equals, value = word.partition("=")
        name = f"{name} {start}".strip()
        if not equals:
            continue
        if not name or not value:
            raise InvalidInput(f"{place} takes words such as key=value; got {word!r}")
        if name in found:
            raise InvalidInput(f"{place}: {name} must be given once; got it twice")
        found[name] = SWITCHES.get(value, number_or_text(value))
        name = ""
    if name or not found:
        raise InvalidInput(f"{place} takes words such as key=value; got {name!r}")
    return found


def number(description: str, holds: Callable[[float], bool], *words: str) -> Rule:
    """A number of some kind, or one of some words.

    >>> number("a number of seconds", lambda value: value > 0, "none").description
    'a number of seconds, or "none"'
    """
    described = ", ".join([description, *(f'or "{word}"' for word in words)])
    return Rule(described, lambda value: _is_number(value) and holds(value), number_or_text, words)


def whole(least: int, most: float = math.inf, *words: str) -> Rule:
    """A whole number in a range, or one of some words.

    >>> whole(1, 2).description, whole(1, math.inf, "none").description
    ('a whole number from 1 to 2', 'a whole number of at least 1, or "none"')
    """
    span = f"of at least {least}" if most == math.inf else f"from {least} to {most:,}"
    return number(
        f"a whole number {span}",
        lambda value: isinstance(value, int) and least <= value <= most,
        *words,
    )


def one_of(*choices: str) -> Rule:
    """One of a few texts.

    >>> one_of("text", "json").description
    "'text' or 'json'"
    """
    quoted = [repr(choice) for choice in choices]
    description = " or ".join([", ".join(quoted[:-1]), quoted[-1]])
    return Rule(description, lambda value: value in choices, choices=choices)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= sys.float_info.max  # an int may be larger than any float


def _is_goal(value: Any) -> bool:
    try:
        parse_goal(value)
    except InvalidInput:
        return False
    return True


def _is_half_life(value: Any) -> bool:
    try:
        half_life.HalfLife.of(value)
    except InvalidInput:
        return False
    return True


def _anchor(text: str) -> dict[str, Any] | str:
    """The anchor of a flag: NAME=RATING."""
    name, equals, rating = text.rpartition("=")
    return {name: number_or_text(rating)} if equals else text


def _switch(text: str) -> bool | str:
    return SWITCHES.get(text, text)


TEXT = Rule("a non-empty text", lambda value: isinstance(value, str) and bool(value.strip()))
SWITCH = Rule("true or false", lambda value: isinstance(value, bool), _switch)
ONLY_TRUE = Rule("true", lambda value: value is True, _switch)
NUMBER = number("a number", lambda value: True)
POSITIVE_SECONDS = number("a positive number of seconds", lambda value: value > 0.0)
SECONDS = number("a positive number of seconds", lambda value: value > 0.0, "none")
LEVEL = number(checks.CONFIDENCE, checks.is_confidence)
CONFIDENCE = number(checks.CONFIDENCE, checks.is_confidence, "none")
BACKOFF = number("a number of seconds, 0 or more", lambda value: value >= 0.0)
ELO_POINTS = number(
    f"a number of Elo points from 0 to {MOST_TOLERANCE:g}",
    lambda value: 0 <= value <= MOST_TOLERANCE,
)
GAME_COUNT = number(checks.GAMES, checks.is_game_count)
ANCHOR = Rule(f'{checks.ANCHOR}, or "none"', checks.is_anchor, _anchor, words=("none",))
GOAL = Rule(FORMS, _is_goal)
HALF_LIFE = Rule(half_life.RULE, _is_half_life, number_or_text)
VARIABLE = Rule(environment.RULE, environment.is_variable)


def n_cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def meaning(value: Any) -> Any:
    """What a value stands for: "none" is None, "cores" the number of processors.

    >>> meaning("none"), meaning(0.9)
    (None, 0.9)
    """
    if value == "cores":
        return n_cores()
    return None if value == "none" else value
