"""The config file: the settings of a tournament, its players and its matches, in TOML."""

from __future__ import annotations

import json
import math
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from maxin.cli.config.flags import Given, given, overridden
from maxin.cli.config.settings import ONE_WAY, WAYS, MatchSettings, RunSettings, TournamentSettings
from maxin.core import InvalidInput, check_name
from maxin.core.declaration import NONE, TEXT, Setting

TABLES = ("players", "defaults", "match")
FILE_KEYS = (*TournamentSettings.settings, *RunSettings.settings)
MATCH_KEYS = tuple(MatchSettings.settings)

Players = tuple[str, ...] | str | Mapping[str, Mapping[str, Any]]
Some = TypeVar("Some", bound=Given)


WIDTH = 96  # columns of a comment

HEAD = """\
A tournament for `maxin run`. Edit the players and the way a match is played, then run it. \
Run it again to resume where it stopped. Keys that are commented out show their defaults. A \
flag overrides its key (--workers 8). Paths are relative to the directory you run it in."""
PLAYERS = """\
The players: names as below, the files that a glob matches, players = "bots/*.py", or a table \
per player, as at the end of this file."""
RULES = """\
The keys from here to [match] are the rules of the tournament. They cannot change once it has \
started."""
MATCH = f"How a match is played: exactly one of {ONE_WAY}."
DEFAULTS = "Options of every player. The table of a player overrides them."
PLAYER = "A table per player, in place of the list above, for players with options."


@dataclass(frozen=True)
class Config:
    """A tournament and a run of it.

    Args:
        players: names, a glob, or a table of options per player.
        defaults: options of every player; a player's own table overrides them.
        tournament: the rules of the tournament, and its store.
        run: when a run stops, and how it is played.
        match: how a match is played.
    """

    players: Players = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    tournament: TournamentSettings = TournamentSettings()
    run: RunSettings = RunSettings()
    match: MatchSettings = MatchSettings()

    def with_flags(
        self,
        tournament: TournamentSettings = TournamentSettings(),
        run: RunSettings = RunSettings(),
        match: MatchSettings = MatchSettings(),
    ) -> Config:
        """The same, with the settings that the command line gives in place of the file's.

        Another way to play a match replaces the file's, and all that belongs to it.

        >>> config = Config(match=MatchSettings(command="play", timeout=3))
        >>> given(config.with_flags(match=MatchSettings(uci=True)).match)
        {'uci': True, 'timeout': 3}
        """
        kept = self.match
        if any(name in WAYS for name in given(match)):
            kept = MatchSettings(timeout=self.match.timeout)
        return replace(
            self,
            tournament=overridden(self.tournament, tournament),
            run=overridden(self.run, run),
            match=overridden(kept, match),
        )


def read_config(path: Path | None) -> Config:
    """The settings of a file, or an error that names the file, the table and the key."""
    return Config() if path is None else parse_config(_text(path), str(path))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {str(path)!r}; `maxin init` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error}") from None


def parse_config(text: str, place: str) -> Config:
    """The settings of a TOML text; `place` is its name in errors.

    >>> parse_config('players = ["anna", "bo"]', "league.toml").players
    ('anna', 'bo')
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{place} is not TOML: {error}") from None
    except (RecursionError, ValueError):  # the parser has no errors of its own for these
        raise InvalidInput(
            f"{place} cannot be read: its lists are nested too deep, or a number has over 4,300 "
            "digits"
        ) from None
    for key in document:
        if key in MATCH_KEYS:
            raise InvalidInput(f"{place}: {key!r} belongs under [match]")
        check_name(key, (*FILE_KEYS, *TABLES), f"key in {place}")
    return Config(
        players=_players(document.get("players", ()), place),
        defaults=_table(document.get("defaults", {}), f"{place}: [defaults]"),
        tournament=_settings(TournamentSettings, document, f"{place}:"),
        run=_settings(RunSettings, document, f"{place}:"),
        match=_match(document.get("match", {}), place),
    )


def _settings(kind: type[Some], table: Mapping[str, Any], place: str) -> Some:
    """The settings of one kind that stand in a table, each checked by its rule."""
    return kind(
        **{
            name: one.read(table[name], f"{place} {name}")
            for name, one in kind.settings.items()
            if name in table
        }
    )


def _match(table: Any, place: str) -> MatchSettings:
    here = f"{place}: [match]"
    for key in _table(table, here):
        if key in FILE_KEYS or key in TABLES:
            raise InvalidInput(
                f"{here} has the key {key!r}, which belongs to the file: write it above all "
                "[tables]"
            )
        check_name(key, MATCH_KEYS, f"key under [match] in {place}")
    return _settings(MatchSettings, table, here)


def _players(value: Any, place: str) -> Players:
    """Names, a glob, or a table per player."""
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
    """A table whose values can be stored: no dates, and no infinite numbers."""
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


def template() -> str:
    """The text of a new config file.

    >>> "confidence = 0.95" in template()
    True
    """
    rules = dict(TournamentSettings.settings)
    store = {"store": rules.pop("store")}
    blocks = [
        _comment(HEAD),
        f'{_comment(PLAYERS)}\nplayers = ["anna", "bo", "cy"]',
        *_keys(RunSettings.settings),
        *_keys(store),
        _comment(RULES),
        *_keys(rules),
        f"{_comment(MATCH)}\n[match]",
        *_keys(MatchSettings.settings),
        f"{_comment(DEFAULTS)}\n#[defaults]\n#nodes = 1000",
        f'{_comment(PLAYER)}\n#[players.anna]\n#command = "stockfish"',
    ]
    return "\n\n".join(blocks) + "\n"


def _keys(settings: Mapping[str, Setting]) -> Iterator[str]:
    for name, one in settings.items():
        mark = "" if one.is_starter else "#"
        yield f"{_comment(one.help)}\n{mark}{name} = {_toml(one)}"


def _comment(text: str) -> str:
    lines = textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)
    return "\n".join(f"# {line}" for line in lines)


def _toml(one: Setting) -> str:
    """The default or the example; JSON writes texts, numbers and true or false as TOML does."""
    value = one.value if one.example is None else one.example
    return json.dumps(NONE if value is None else value)
