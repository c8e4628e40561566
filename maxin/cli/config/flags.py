"""Flags: how the command line reads settings, and the command line as it was typed."""

from __future__ import annotations

import inspect
import os
import pkgutil
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from cyclopts import Group, Parameter, Token

from maxin.core import InvalidInput, check_name
from maxin.core.declaration import (
    NONE,
    SWITCH,
    SWITCHES,
    TEXT,
    UNSET,
    Rule,
    Setting,
    declared,
    number_or_text,
)
from maxin.core.stop import SprtRule
from maxin.core.text import without_secrets

# The titles above flags on help pages, in their order.
TITLES = (
    "Players",
    "Matches",
    "Tournament",
    "Run",
    "Output",
    "Chess",
    "Ratings",
    "Cluster",
    "Expert",
    "Options",  # of all other commands; below all other groups
)
GROUPS = {title: Group(title, sort_key=place) for place, title in enumerate(TITLES, start=1)}
OPTIONS = GROUPS["Options"]
ONLY_TRUE = Rule("true", lambda value: value is True, SWITCH.parse)
# How a flag with a table reads all words up to the next flag.
WORDS = Parameter(n_tokens=-1, accepts_keys=False, consume_multiple=True, negative=())


class TableRule(Rule):
    """What a table must hold: the fields of a record, which `check` accepts.

    Args:
        kind: the record.
        check: raises `InvalidInput` for an invalid record, with the place.

    >>> from maxin.runners import Openings
    >>> TableRule(Openings, lambda value, place: None).read({"file": "a.epd"}, "openings").order
    'random'
    """

    def __init__(self, kind: Any, check: Callable[[Any, str], None]) -> None:
        super().__init__(f"a table with some of {', '.join(kind._fields)}", _is_table)
        self._kind, self._check = kind, check
        self._required = [name for name in kind._fields if name not in kind._field_defaults]

    def read(self, value: Any, place: str, words: tuple[str, ...] = ()) -> Any:
        """The record, or an error that names the place, the key and the rule."""
        table = super().read(value, place, words)
        for key in table:
            check_name(key, self._kind._fields, f"key of {place}")
        for key in self._required:
            if key not in table:
                raise InvalidInput(f"{place} needs the key {key}; got {dict(table)!r}")
        record = self._kind(**table)
        self._check(record, place)
        return record

    def read_words(self, words: Sequence[str], place: str) -> Any:
        """The record that the words of a flag write, each as key=value."""
        for word in words:
            if "=" not in word:
                required = [f"{key}={word}" for key in self._required]
                example = [*required, f"{self._kind._fields[0]}=..."][0]
                raise InvalidInput(
                    f"{place} takes words such as key=value, as in {place} {example}; got {word!r}"
                )
        return self.read(table_of(words, place), place)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


TEXTS = ("cmd", "name", "args", "file")  # keys whose values are never numbers or switches


def table_of(words: Sequence[str], place: str) -> dict[str, Any]:
    """The table that words such as `order=random start=5` write.

    A word without an equals sign is the beginning of a name with spaces. Names of engines, programs
    and files stay as they are written.

    >>> table_of(["cmd=stockfish", "option.Skill", "Level=5"], "--engine")
    {'cmd': 'stockfish', 'option.Skill Level': 5}
    >>> table_of(["name=16.10", "nodes=16"], "--engine")
    {'name': '16.10', 'nodes': 16}
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
        is_text = name in TEXTS
        found[name] = value if is_text else SWITCHES.get(value, number_or_text(value))
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


def roles_of(words: Sequence[str]) -> dict[str, str | None]:
    """The columns that words such as `winner=preference` name; `id=none` says that none has ids.

    >>> roles_of(["first=Model A", "id=none"])
    {'first': 'Model A', 'id': None}
    """
    found: dict[str, str | None] = {}
    for word in words:
        role, _, column = word.partition("=")
        if not (role and column):
            raise InvalidInput(
                "--column takes a role and a column, as in --column winner=preference; "
                f"got {word!r}"
            )
        if role in found:
            raise InvalidInput(f"--column: {role} must be given once; got it twice")
        found[role] = None if (role, column) == ("id", NONE) else column
    return found


def _read(one: Setting, kind: Any, tokens: Sequence[Token]) -> Any:
    """Read the value of a flag: cyclopts calls this with the words of the command line."""
    if isinstance(one.rule, TableRule | SprtRule):
        words, place = [token.value for token in tokens], str(tokens[0].keyword)
        return NONE if words == [NONE] else one.rule.read_words(words, place)
    name = one.metavar.rstrip(".")  # of an argument, which may be repeated: PARTS...
    found = [one.read_one(one.rule.parse(token.value), token.keyword or name) for token in tokens]
    if one.is_list:
        return tuple(found)
    (value,) = found
    return value


def parameter(one: Setting) -> Parameter:
    """The flag of a setting."""
    has_default = bool(one.shown) or one.default is not UNSET
    made = Parameter(
        converter=partial(_read, one),
        help=one.summary,
        metavar="|".join([one.metavar, *one.words]) if one.metavar else None,
        show_default=(lambda _: one.shown_default) if has_default else False,
        show_choices=False,
        allow_leading_hyphen=one.rule is TEXT,  # a player may be named --eve
        negative=() if one.rule is ONLY_TRUE else None,
        accepts_keys=False,
    )
    if one.group:
        made = Parameter.combine(made, Parameter(group=GROUPS[one.group]))
    return Parameter.combine(made, WORDS) if isinstance(one.rule, TableRule | SprtRule) else made


def setting(rule: Rule, help: str, metavar: str = "", **how: Any) -> Parameter:
    """The flag of a setting that one command has; the arguments are those of `Setting`."""
    return parameter(Setting(rule, help, metavar, **how))


def switch(help: str, title: str = "Options") -> Parameter:
    """A flag that is off unless it is given."""
    return Parameter(help=help, negative=(), show_default=False, group=GROUPS[title])


def repeated(
    help: str, metavar: str, name: str | None = None, shown: str = "", rule: Rule = TEXT
) -> Parameter:
    """An option that may be given several times; each value obeys `rule`."""

    def read(kind: Any, tokens: Sequence[Token]) -> tuple[str, ...]:
        return tuple(rule.read(token.value, str(token.keyword)) for token in tokens)

    return Parameter(
        name=name,
        converter=read,
        help=help,
        metavar=metavar,
        show_default=(lambda _: shown) if shown else False,
        allow_leading_hyphen=True,  # a player may be named --eve
    )


def _without_source(cls: type[Any]) -> type[Any]:
    """Hide where a class is defined: cyclopts would read its source, to find help that it has.

    For every class it would parse the whole file, a fifth of the time of a help page.
    """
    cls.__module__ = f"{cls.__module__}.{cls.__name__}"
    return cls


@_without_source
class Given:
    """Settings that were given together, by name; None means "not given"."""

    if TYPE_CHECKING:  # `flags` makes a dataclass of it
        settings: ClassVar[Mapping[str, Setting]]

        def __init__(self, **given: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def __post_init__(self) -> None:
        """Refuse a flag of words that has none: cyclopts makes an empty text of it."""
        for name, one in self.settings.items():
            if getattr(self, name) == "" and isinstance(one.rule, TableRule | SprtRule):
                raise InvalidInput(f"{flag(name)} takes words such as key=value; got none")


Some = TypeVar("Some", bound=Given)


def flags(*kinds: Any, terms: Any = None) -> Callable[[type[Some]], type[Some]]:
    """Complete a class of settings: a flag for each of its own, then those of the library.

    Args:
        kinds: dataclasses of the library that declare settings.
        terms: a `TypedDict` with the names of those to take; by default all.
    """

    def complete(cls: type[Some]) -> type[Some]:
        own = {name: one for name, one in vars(cls).items() if isinstance(one, Setting)}
        cls.settings = {**getattr(cls, "settings", {}), **own}
        for kind in kinds:
            taken = declared(kind) if terms is None else terms.__annotations__
            cls.settings |= {
                name: one
                for name, one in declared(kind).items()
                if name in taken and name not in own
            }
        hints = {name: Annotated[_kind(one), parameter(one)] for name, one in cls.settings.items()}
        cls.__annotations__ = hints
        for name in hints:
            setattr(cls, name, None)
        return _without_source(dataclass(frozen=True, kw_only=True)(cls))

    return complete


def _kind(one: Setting) -> Any:
    """The type of a flag for cyclopts: whether it takes no word, one or several.

    If a program has loaded pydantic, cyclopts has it compare values with this type.
    """
    if one.rule in (SWITCH, ONLY_TRUE):
        return bool | None
    return tuple[Any, ...] | None if one.is_list else Any


def given(settings: object) -> dict[str, Any]:
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
    return type(settings)(**(given(settings) | given(flags)))


def values(settings: Given) -> dict[str, Any]:
    """Every setting's value: as given, or the default of the library.

    >>> from maxin.cli.config.settings import RunSettings
    >>> values(RunSettings(budget=20, confidence="none"))["confidence"]
    >>> values(RunSettings(budget=20, confidence="none"))["retries"]
    2
    """
    return {
        name: settings.settings[name].value if value is None else meaning(value)
        for name, value in vars(settings).items()
    }


def meaning(value: Any) -> Any:
    """What a value stands for: "none" is None, "cores" the number of processors.

    >>> meaning("none"), meaning(0.9)
    (None, 0.9)
    """
    if isinstance(value, str) and value == "cores":
        return n_cores()
    return None if isinstance(value, str) and value == NONE else value


def n_cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_of(reference: str) -> Callable[[], Any]:
    """Reads the default of a parameter of the library, "module:function.parameter".

    >>> default_of("maxin.tournament:Tournament.run.retries")()
    2
    """

    @cache
    def read() -> Any:
        owner, _, name = reference.rpartition(".")
        return inspect.signature(pkgutil.resolve_name(owner)).parameters[name].default

    return read


def flag(name: str) -> str:
    """The flag of a setting.

    >>> flag("games_per_match")
    '--games-per-match'
    """
    return f"--{name.replace('_', '-')}"


def this_command() -> str:
    """The command line that was typed, without a password: typed again, it resumes the run."""
    words = map(without_secrets, sys.argv[1:])
    return shlex.join([*program(Path(sys.argv[0]), shutil.which), *words])


def program(called: Path, which: Callable[[str], str | None]) -> list[str]:
    """How to call this program: by its name if that finds it, else by its path.

    >>> program(Path("/opt/bin/maxin"), lambda name: None)
    ['/opt/bin/maxin']
    """
    if called.name == "__main__.py":
        found = which("python")
        is_ours = found is not None and found == sys.executable
        return ["python" if is_ours else sys.executable, "-m", "maxin"]
    found = which(called.name)
    is_on_path = found is not None and Path(found).resolve() == called.resolve()
    return [called.name if is_on_path else str(called)]
