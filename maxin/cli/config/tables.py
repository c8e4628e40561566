"""Settings with several values: a table in a config file, and key=value words after a flag."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cyclopts import Parameter, Token

from maxin.cli.config.rules import number_or_text
from maxin.core import InvalidInput, check_name
from maxin.runners.uci.adjudication import DrawRule, ResignRule, check_rule
from maxin.runners.uci.opening_settings import Openings, check_openings

NONE = "none"  # stands for no table
SWITCHES = {"true": True, "false": False}
# How the flags below read all words up to the next flag.
WORDS = Parameter(n_tokens=-1, accepts_keys=False, consume_multiple=True, negative=())


class TableRule:
    """What a table must hold: the fields of a record, which `check` accepts.

    It serves as the rule of a setting, see `maxin.cli.config.rules.Rule`.

    Args:
        kind: the record.
        check: raises `InvalidInput` for an invalid record, with the place.

    >>> OPENINGS.read({"file": "book.epd"}, "openings").order
    'random'
    """

    def __init__(self, kind: Any, check: Callable[[Any, str], None]) -> None:
        self._kind, self._check = kind, check
        self._required = [name for name in kind._fields if name not in kind._field_defaults]
        self.description = f'a table with some of {", ".join(kind._fields)}, or "{NONE}"'

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


OPENINGS = TableRule(Openings, check_openings)
DRAW = TableRule(DrawRule, check_rule)
RESIGN = TableRule(ResignRule, check_rule)


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


def tables_of(kind: Any, tokens: Sequence[Token]) -> tuple[dict[str, Any], ...]:
    """A table for each time that a flag is given: cyclopts calls this with the words."""
    groups: list[list[str]] = []
    for token in tokens:
        if token.index == 0:
            groups.append([])
        groups[-1].append(token.value)
    place = str(tokens[0].keyword)
    return tuple(table_of(words, place) for words in groups)


def one_table_of(kind: Any, tokens: Sequence[Token]) -> dict[str, Any]:
    """The table of a flag, of all its words together."""
    return table_of([token.value for token in tokens], str(tokens[0].keyword))
