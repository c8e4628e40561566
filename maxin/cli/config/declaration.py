"""How a setting is declared, and how its value is read, overridden and completed."""

import inspect
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar, get_type_hints

from cyclopts import Parameter, Token

from maxin.cli.config.rules import (
    ANCHOR,
    NONE,
    ONLY_TRUE,
    TEXT,
    Rule,
    TableRule,
    meaning,
    table_of,
)
from maxin.core import InvalidInput

Some = TypeVar("Some")
# How a flag with a table reads all words up to the next flag.
WORDS = Parameter(n_tokens=-1, accepts_keys=False, consume_multiple=True, negative=())


@dataclass(frozen=True)
class Setting:
    """One setting: the same rule and text for its flag and for its key in a config file.

    Args:
        rule: what its value must be.
        help: the sentence on the help page.
        metavar: how the help page names its value; errors name an argument by it.
        comment: the text in a config file, if it is longer than the help.
        default: the parameter of the library that has the default, "module:function.parameter".
        shown: the default as people read it, if it is not a parameter's.
        example: the value that a config file shows if there is no default.
        is_starter: whether a new config file sets it rather than show it commented out.
        is_list: whether it has several values, each under the rule: a list in a config file, and
            a flag that may be repeated.
    """

    rule: Rule | TableRule
    help: str
    metavar: str | None = None
    comment: str = ""
    default: str = ""
    shown: str = ""
    example: Any = None
    is_starter: bool = False
    is_list: bool = False

    def __call__(self, kind: Any, tokens: Sequence[Token]) -> Any:
        """Read the value of a flag: cyclopts calls this with the words of the command line."""
        if isinstance(self.rule, TableRule):
            words, place = [token.value for token in tokens], str(tokens[0].keyword)
            if words == [NONE]:
                return self.rule.read(NONE, place)
            self.rule.check_words(words, place)
            return self.rule.read(table_of(words, place), place)
        found = [
            self.rule.read(self.rule.parse(token.value), token.keyword or self._name)
            for token in tokens
        ]
        if self.is_list:
            return tuple(found)
        (value,) = found
        return value

    def read(self, value: Any, place: str) -> Any:
        """Read the value of a key in a config file; errors name the place.

        >>> Setting(TEXT, "Names.", is_list=True).read(["anna", "bo"], "league.toml: names")
        ('anna', 'bo')
        """
        if isinstance(self.rule, TableRule) or not self.is_list:
            return self.rule.read(value, place)
        if not isinstance(value, list):
            raise InvalidInput(f"{place} must be a list; got {value!r}")
        return tuple(self.rule.read(item, place) for item in value)

    @property
    def _name(self) -> str:
        """The name of an argument, which may be repeated: PARTS..."""
        return (self.metavar or "").rstrip(".")

    @property
    def value(self) -> Any:
        """The default, or None if there is none."""
        return library_default(self.default) if self.default else None

    def shown_default(self, _: object = None) -> str:
        """The default as the help page shows it.

        >>> switch = "maxin.tournament:Settings.first_advantage"
        >>> Setting(TEXT, "Fit it.", default=switch).shown_default()
        'no'
        """
        if self.shown:
            return self.shown
        if self.value is None or self.value is False:
            return "none" if self.value is None else "no"
        return f"{self.value:g}" if isinstance(self.value, float) else str(self.value)


def setting(rule: Rule | TableRule, help: str, metavar: str | None = None, **how: Any) -> Parameter:
    """Declare a setting; the arguments are those of `Setting`."""
    one = Setting(rule, help, metavar, **how)
    declared = Parameter(
        converter=one,
        help=help,
        metavar=metavar,
        show_default=one.shown_default if one.shown or one.default else False,
        show_choices=False,
        allow_leading_hyphen=rule is TEXT,  # a player may be named --eve
        negative=() if rule is ONLY_TRUE else None,
        accepts_keys=False,
        n_tokens=1 if rule is ANCHOR else None,  # a dictionary in one word
    )
    return Parameter.combine(declared, WORDS) if isinstance(rule, TableRule) else declared


@cache
def library_default(reference: str) -> Any:
    """The default of a parameter of the library, "module:function.parameter".

    >>> library_default("maxin.tournament:Tournament.run.retries")
    2
    """
    owner, _, name = reference.rpartition(".")
    return inspect.signature(pkgutil.resolve_name(owner)).parameters[name].default


def flag(name: str) -> str:
    """The flag of a setting.

    >>> flag("games_per_match")
    '--games-per-match'
    """
    return f"--{name.replace('_', '-')}"


def declared(kind: type) -> dict[str, Setting]:
    """The settings of a class of settings, by name.

    >>> from maxin.cli.config.settings import RunSettings
    >>> declared(RunSettings)["retries"].rule.description
    'a whole number of at least 0'
    """
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint.__metadata__[0].converter for name, hint in hints.items()}


def given(settings: Any) -> dict[str, Any]:
    """The settings that were given, by name.

    >>> from maxin.cli.config.settings import RunSettings
    >>> given(RunSettings(budget=9))
    {'budget': 9}
    """
    return {name: value for name, value in vars(settings).items() if value is not None}


def overridden(settings: Some, flags: Some) -> Some:
    """`settings`, with those of `flags` that were given in their place.

    >>> from maxin.cli.config.settings import RunSettings
    >>> overridden(RunSettings(budget=9, retries=1), RunSettings(budget=20)).budget
    20
    """
    return replace(settings, **given(flags))  # type: ignore[type-var]  # a dataclass


def values(settings: Any) -> dict[str, Any]:
    """Every setting's value: as given, or the default of the library.

    >>> from maxin.cli.config.settings import RunSettings
    >>> values(RunSettings(budget=20, confidence="none"))["confidence"]
    >>> values(RunSettings(budget=20, confidence="none"))["retries"]
    2
    """
    known = declared(type(settings))
    return {
        name: known[name].value if value is None else meaning(value)
        for name, value in vars(settings).items()
    }


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
