"""Rules for values that people give: what a value must be, as a test and as a sentence."""

from __future__ import annotations

import difflib
import math
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from maxin.core import InvalidInput, checks
from maxin.runners.programs import environment
from maxin.tournament.goals import FORMS, parse_goal

Words = tuple[str, ...]


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
        near = difflib.get_close_matches(str(value), self.choices, n=1, cutoff=0.5)
        return f"; did you mean {near[0]!r}?" if near else ""


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


def _anchor(text: str) -> dict[str, Any] | str:
    """The anchor of a flag: NAME=RATING."""
    name, equals, rating = text.rpartition("=")
    return {name: number_or_text(rating)} if equals else text


def _switch(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text, text)


TEXT = Rule("a non-empty text", lambda value: isinstance(value, str) and bool(value.strip()))
SWITCH = Rule("true or false", lambda value: isinstance(value, bool), _switch)
ONLY_TRUE = Rule("true", lambda value: value is True, _switch)
NUMBER = number("a number", lambda value: True)
POSITIVE_SECONDS = number("a positive number of seconds", lambda value: value > 0.0)
SECONDS = number("a positive number of seconds", lambda value: value > 0.0, "none")
LEVEL = number(checks.CONFIDENCE, checks.is_confidence)
CONFIDENCE = number(checks.CONFIDENCE, checks.is_confidence, "none")
BACKOFF = number("a number of seconds, 0 or more", lambda value: value >= 0.0)
ELO_POINTS = number("a number of Elo points, 0 or more", lambda value: value >= 0.0)
GAME_COUNT = number(checks.GAMES, checks.is_game_count)
ANCHOR = Rule(f'{checks.ANCHOR}, or "none"', checks.is_anchor, _anchor, words=("none",))
GOAL = Rule(FORMS, _is_goal)
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
