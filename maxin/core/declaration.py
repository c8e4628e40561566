"""How a setting is declared: what its value must be, its default, and the text that explains it.

A dataclass of the library declares its settings. The command line's flags, the config file and the
help pages follow from the declarations.
"""

from __future__ import annotations

import difflib
import math
import operator
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from numbers import Integral, Real
from typing import Any, TypeVar

from maxin.core import checks
from maxin.core.errors import InvalidInput

Some = TypeVar("Some")
NONE = "none"  # stands for no value
UNSET: Any = object()  # the default of a setting that has none
SWITCHES = {"true": True, "false": False}


@dataclass(eq=False)
class Rule:
    """What a value must be.

    Args:
        description: completes the sentence "VALUE must be ...".
        holds: whether a value is valid.
        parse: reads the value of a flag; a file's values have a type already.
        convert: turns a valid value into the one that is kept.
        choices: all values, if they are few.
    """

    description: str
    holds: Callable[[Any], bool]
    parse: Callable[[str], Any] = str
    convert: Callable[[Any], Any] = lambda value: value
    choices: tuple[str, ...] = ()

    def read(self, value: Any, place: str, words: tuple[str, ...] = ()) -> Any:
        """The value, or an error that names the place, the rule and the value.

        >>> whole(1).read(3, "workers")
        3
        """
        if self.holds(value):
            return self.convert(value)
        described = ", or ".join([self.description, *(f'"{word}"' for word in words)])
        raise InvalidInput(f"{place} must be {described}; got {value!r}{self._hint(value)}")

    def _hint(self, value: Any) -> str:
        near = difflib.get_close_matches(str(value), self.choices, n=1, cutoff=checks.CLOSE)
        return f"; did you mean {near[0]!r}?" if near else ""


@dataclass(frozen=True)
class Setting:
    """One setting.

    Args:
        rule: what its value must be.
        help: what it does. The help page shows the first sentence; a config file shows all.
        metavar: how the help page names its value; errors name an argument by it.
        words: texts that stand for a value on the command line and in a config file: "none".
        default: the default, or a function that returns it if it takes time to load.
        shown: the default as people read it, if it is not the value.
        example: the value that a config file shows in place of the default.
        is_starter: whether a new config file sets it rather than show it commented out.
        is_list: whether it has several values, each under the rule: a list in a config file, and
            a flag that may be repeated.
        group: the title above its flag on help pages, if it is not that of its neighbours.
        normal: checks the value that a program gives, and returns the one that is kept; by
            default, the rule does.
        is_addition: whether the first version did not have it. With its default, it is left out of
            stores and fingerprints, so that these stay what they were.
    """

    rule: Rule
    help: str
    metavar: str = ""
    words: tuple[str, ...] = ()
    default: Any = UNSET
    shown: str = ""
    example: Any = None
    is_starter: bool = False
    is_list: bool = False
    group: str = ""
    normal: Callable[[Any], Any] | None = None
    is_addition: bool = False

    def read(self, value: Any, place: str) -> Any:
        """Read the value of a key in a config file; errors name the place.

        >>> Setting(TEXT, "Names.", is_list=True).read(["anna", "bo"], "league.toml: names")
        ('anna', 'bo')
        """
        if not self.is_list:
            return self.read_one(value, place)
        if not isinstance(value, list):
            raise InvalidInput(f"{place} must be a list; got {value!r}")
        return tuple(self.read_one(item, place) for item in value)

    def read_one(self, value: Any, place: str) -> Any:
        """Read a single value: one that obeys the rule, or a word that stands for one."""
        if isinstance(value, str) and value in self.words:
            return value
        return self.rule.read(value, place, self.words)

    def checked(self, value: Any, name: str) -> Any:
        """The value that is kept if a program gives this one."""
        is_default = type(value) is type(self.value) and value == self.value
        if is_default or (value is None and NONE in self.words):
            return value
        return self.rule.read(value, name) if self.normal is None else self.normal(value)

    @property
    def value(self) -> Any:
        """The default, or None if there is none."""
        if self.default is UNSET:
            return None
        return self.default() if callable(self.default) else self.default

    @property
    def summary(self) -> str:
        """The first sentence of the help."""
        sentence, stop, _ = self.help.partition(". ")
        return sentence + stop.strip()

    @property
    def shown_default(self) -> str:
        """The default as people read it; empty if there is none.

        >>> Setting(SWITCH, "Fit it.", default=False).shown_default
        'no'
        """
        if self.shown or self.default is UNSET:
            return self.shown
        if self.value is None or self.value is False:
            return NONE if self.value is None else "no"
        return f"{self.value:g}" if isinstance(self.value, float) else str(self.value)


def declare(default: Any, rule: Rule, help: str, metavar: str = "", **how: Any) -> Any:
    """A field of a dataclass that is a setting; the arguments are those of `Setting`."""
    one = Setting(rule, help, metavar, default=default, **how)
    return field(default=default, metadata={"setting": one})


def described(kind: type[Some]) -> type[Some]:
    """Complete the docstring of a dataclass with the help of its settings."""
    if kind.__doc__ is not None:  # it is None under python -OO
        found: Any = kind
        lines = [f"        {name}: {one.help}\n" for name, one in declared(found).items()]
        kind.__doc__ = f"{kind.__doc__.rstrip()}\n\n    Settings:\n{''.join(lines)}"
    return kind


@cache
def declared(kind: Any) -> Mapping[str, Setting]:
    """The settings that a dataclass declares, by name."""
    return {one.name: one.metadata["setting"] for one in fields(kind) if one.metadata}


def unused_additions(settings: Any) -> list[str]:
    """The settings that the first version did not have, and that have their default."""
    kind: Any = type(settings)
    return [
        name
        for name, one in declared(kind).items()
        if one.is_addition and getattr(settings, name) == one.value
    ]


def check_declared(settings: Any) -> None:
    """Check the settings of a new dataclass, and convert them by their rules."""
    kind: Any = type(settings)
    for name, one in declared(kind).items():
        object.__setattr__(settings, name, one.checked(getattr(settings, name), name))


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


def number(description: str, holds: Callable[[Any], bool], **how: Any) -> Rule:
    """A number of some kind."""
    return Rule(
        description, lambda value: _is_number(value) and holds(value), number_or_text, **how
    )


def whole(least: int, most: float = math.inf) -> Rule:
    """A whole number in a range.

    >>> whole(1, 2).description, whole(1).description
    ('a whole number from 1 to 2', 'a whole number of at least 1')
    """
    span = f"of at least {least}" if most == math.inf else f"from {least} to {most:,}"
    return number(
        f"a whole number {span}",
        lambda value: isinstance(value, Integral) and least <= int(value) <= most,
        convert=operator.index,
    )


def one_of(*choices: str) -> Rule:
    """One of a few texts.

    >>> one_of("text", "json").description
    "'text' or 'json'"
    """
    quoted = [repr(choice) for choice in choices]
    description = " or ".join([", ".join(quoted[:-1]), quoted[-1]])
    return Rule(description, lambda value: value in choices, choices=choices)


def accepted_by(check: Callable[[Any], object]) -> Callable[[Any], bool]:
    """A function that returns whether `check` accepts a value.

    >>> accepted_by(checks.check_confidence)(2.0)
    False
    """

    def is_accepted(value: Any) -> bool:
        try:
            check(value)
        except InvalidInput:
            return False
        return True

    return is_accepted


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and abs(value) <= sys.float_info.max  # an int may be larger than any float


def _switch(text: str) -> bool | str:
    return SWITCHES.get(text, text)


TEXT = Rule("a non-empty text", lambda value: isinstance(value, str) and bool(value.strip()))
SWITCH = Rule("true or false", lambda value: isinstance(value, bool), _switch)
CONFIDENCE = number(checks.CONFIDENCE, checks.is_confidence)
