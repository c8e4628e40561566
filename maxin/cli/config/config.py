"""What to run: a TOML file, the flags that override it, and the rules both must keep."""

from __future__ import annotations

import dataclasses
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from maxin.core import InvalidInput, check_name

NOTHING: Mapping[str, Any] = MappingProxyType({})
NONE: Mapping[str, Any] = MappingProxyType({"none": None})


class Rule(NamedTuple):
    """What a value must be, in words and as a test; `special` are words that stand for a value."""

    words: str
    holds: Callable[[Any], bool]
    special: Mapping[str, Any] = NOTHING

    def read(self, value: Any, place: str) -> Any:
        """The value, or an error that says where it stands and what it must be.

        >>> whole(1).read(3, "workers")
        3
        """
        if isinstance(value, str) and value in self.special:
            return self.special[value]
        if not self.holds(value):
            raise InvalidInput(f"{place} must be {self.words}; got {value!r}")
        return value


def whole(least: int, most: float = math.inf, **special: Any) -> Rule:
    """A whole number in a range, or one of some words.

    >>> whole(1, 2).words, whole(1, none=None).words
    ('a whole number from 1 to 2', 'a whole number from 1 on, or "none"')
    """
    end = "on" if most == math.inf else f"to {most}"
    words = ", ".join([f"a whole number from {least} {end}", *(f'or "{word}"' for word in special)])
    return Rule(words, lambda value: _is_whole(value) and least <= value <= most, special)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def n_cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


TEXT = Rule("a text", lambda value: isinstance(value, str) and bool(value.strip()))
SWITCH = Rule("true or false", lambda value: isinstance(value, bool))
CONFIDENCE = Rule(
    'a number from 0.5 to below 1, or "none"',
    lambda value: _is_number(value) and 0.5 <= value < 1.0,
    NONE,
)
GOAL = Rule(
    '"best", "top-k", "ranking" or "regret"',
    lambda value: value in ("best", "top-k", "ranking", "regret"),
)
ELO_POINTS = Rule(
    "a number of Elo points, 0 or more",
    lambda value: _is_number(value) and 0.0 <= value < math.inf,
)
SECONDS = Rule(
    'a positive number of seconds, or "none"',
    lambda value: _is_number(value) and 0.0 < value < math.inf,
    NONE,
)

KEYS: dict[str, Rule] = {
    "store": TEXT,
    "goal": GOAL,
    "scheduler": TEXT,
    "seed": whole(0),
    "games_per_match": whole(1, 2),
    "first_advantage": SWITCH,
    "lag": whole(0),
    "min_matches": whole(0),
    "confidence": CONFIDENCE,
    "k": whole(1),
    "indifference": ELO_POINTS,
    "budget": whole(1, none=None),
    "workers": whole(1, cores=n_cores()),
    "retries": whole(0),
}
WAYS: dict[str, Rule] = {  # of playing a match
    "command": TEXT,
    "call": TEXT,
    "uci": Rule("true", lambda value: value is True),
    "open_spiel": TEXT,
    "payoff": TEXT,
}
MATCH_KEYS: dict[str, Rule] = {
    **WAYS,
    "timeout": SECONDS,
    "opening_plies": whole(0),
    "max_plies": whole(1),
}
TABLES = ("players", "defaults", "match")


@dataclass(frozen=True)
class Config:
    """A tournament and a run of it; what is None was not said.

    Args:
        players: names, a glob, or each player's table of options.
        defaults: options of every player that its own table does not say otherwise.
        match: how matches are played, the keys of `MATCH_KEYS`.
        store: the tournament's URL.
        goal: what the tournament is for, in place of a scheduler.
        scheduler: of the tournament, see `maxin.tournament.Settings`, as those that follow.
        seed: its seed.
        games_per_match: 1 or 2.
        first_advantage: whether to fit it.
        lag: for the same matches with any number of workers.
        min_matches: of everyone.
        confidence: when to stop, see `maxin.tournament.Tournament.run`, as those that follow.
        k: the size of the top.
        indifference: Elo points that do not matter.
        budget: matches of the whole tournament.
        workers: matches played at a time.
        retries: of a match that gave no score.
    """

    players: tuple[str, ...] | str | Mapping[str, Mapping[str, Any]] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    match: Mapping[str, Any] = field(default_factory=dict)
    store: str | None = None
    goal: str | None = None
    scheduler: str | None = None
    seed: int | None = None
    games_per_match: int | None = None
    first_advantage: bool | None = None
    lag: int | None = None
    min_matches: int | None = None
    confidence: float | None = 0.95
    k: int = 1
    indifference: float = 0.0
    budget: int | None = None
    workers: int = 1
    retries: int = 2

    def overridden(self, flags: Mapping[str, Any], match: Mapping[str, Any]) -> Config:
        """The same with what was given on the command line instead; None was not given.

        Another way of playing takes the place of the file's, and of what belonged to that.

        >>> Config(match={"command": "play"}, seed=3).overridden({"k": 2}, {"uci": True}).match
        {'uci': True}
        """
        given = {key: value for key, value in match.items() if value is not None}
        kept = dict(self.match)
        if any(key in WAYS for key in given):
            kept = {key: value for key, value in kept.items() if key == "timeout"}
        changes = {
            key: KEYS[key].read(value, flag(key))
            for key, value in flags.items()
            if value is not None
        }
        played = {key: MATCH_KEYS[key].read(value, flag(key)) for key, value in given.items()}
        return dataclasses.replace(self, **changes, match={**kept, **played})


def flag(key: str) -> str:
    """The flag that sets a key.

    >>> flag("games_per_match")
    '--games-per-match'
    """
    return f"--{key.replace('_', '-')}"


def read_config(path: Path) -> Config:
    """The file's settings, or an error that names the file, the table and the key."""
    return parse_config(_text(path), str(path))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {str(path)!r}; `maxin init` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error}") from None


def parse_config(text: str, place: str) -> Config:
    """The settings that a TOML text says; `place` is its name in errors.

    >>> parse_config('players = ["anna", "bo"]', "league.toml").players
    ('anna', 'bo')
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{place} is not TOML: {error}") from None
    for key in document:
        if key not in KEYS and key in MATCH_KEYS:
            raise InvalidInput(f"{place}: {key!r} belongs under [match]")
        check_name(key, (*KEYS, *TABLES), f"key in {place}")
    settings = {
        key: KEYS[key].read(value, f"{place}: {key}")
        for key, value in document.items()
        if key in KEYS
    }
    return Config(
        players=_players(document.get("players", ()), place),
        defaults=_table(document.get("defaults", {}), f"{place}: [defaults]"),
        match=_match(document.get("match", {}), place),
        **settings,
    )


def _match(table: Any, place: str) -> Mapping[str, Any]:
    here = f"{place}: [match]"
    for key in _table(table, here):
        if key in KEYS or key in TABLES:
            raise InvalidInput(
                f"{here} has the key {key!r}, which is the file's: write it above all [tables]"
            )
        check_name(key, MATCH_KEYS, f"key under [match] in {place}")
    return {key: MATCH_KEYS[key].read(value, f"{here} {key}") for key, value in table.items()}


def _players(value: Any, place: str) -> tuple[str, ...] | str | Mapping[str, Mapping[str, Any]]:
    """Names, a glob, or a table each."""
    here = f"{place}: players"
    if isinstance(value, Mapping):
        return {name: _table(value[name], f"{place}: [players.{name}]") for name in value}
    if isinstance(value, str):
        return str(TEXT.read(value, here))
    if not isinstance(value, list | tuple):
        raise InvalidInput(f"{here} must be a list of names, a glob or tables; got {value!r}")
    for number, name in enumerate(value, start=1):
        TEXT.read(name, f"{here}: name {number}")
    return tuple(value)


def _table(value: Any, place: str) -> Mapping[str, Any]:
    """A table whose values can be stored: no dates, and no numbers that are none."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{place} must be a table; got {value!r}")
    for key, item in value.items():
        _check_storable(item, f"{place} {key}")
    return value


def _check_storable(value: Any, place: str) -> None:
    if isinstance(value, Mapping):
        _table(value, place)
    elif isinstance(value, list):
        for item in value:
            _check_storable(item, place)
    elif not isinstance(value, str | int | float) or not _is_finite(value):
        raise InvalidInput(
            f"{place} must be a text, a number, true or false, a list or a table; got {value!r}"
        )


def _is_finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)
