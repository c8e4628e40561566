"""The players: their names and options from flags and files, and those who join or change later."""

from __future__ import annotations

import glob
import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxin.cli.config.config_file import Config
from maxin.cli.config.flags import given, overridden, program, this_command
from maxin.cli.config.match_config import MatchConfig, stored_match_config
from maxin.cli.config.settings import WAYS, MatchSettings, PlayerFlags
from maxin.core import Entrant, InvalidInput, check_n_players, check_name
from maxin.core.declaration import number_or_text
from maxin.core.specs import parse
from maxin.runners.uci.engine_settings import LIMITS, PROTOCOLS
from maxin.tournament.features import read_table
from maxin.tournament.record.commands import SetSettings
from maxin.tournament.tournament import session_of

if TYPE_CHECKING:  # a plan needs no database
    from maxin.runners import Runner
    from maxin.storage import Store
    from maxin.tournament import Tournament
    from maxin.tournament.opening import FieldDiffers

NAMED_BY = {"uci": "command", "open_spiel": "bot"}  # the option that a bare name stands for
OPTION = "option."  # before the name of a UCI option
KEYS = ("cmd", "name", "args", "proto", "st", *LIMITS)
DEFAULTS = "defaults"  # the name under which a store keeps the options of every player


def players_of(
    config: Config, flags: PlayerFlags = PlayerFlags(), kind: str | None = None
) -> list[Entrant]:
    """The players with their options; none if nothing names any.

    Args:
        config: the players of the config file, and the options that it gives them.
        flags: players of the command line, in place of the file's; their options stay the file's.
        kind: how matches are played. For engines and bots a name such as `mcts:simulations=10`
            is enough.

    >>> players_of(Config(players=("anna", "bo"), defaults={"depth": 3}))[1]
    Entrant(name='bo', options={'depth': 3})
    >>> players_of(Config(players=("random", "mcts:simulations=9")), kind="open_spiel")[1].options
    {'bot': 'mcts', 'simulations': 9}
    """
    players = config.players
    tables = players if isinstance(players, Mapping) else {}
    chosen = [*flags.player, *(matching(flags.players) if flags.players else ())]
    if not chosen:
        chosen = matching(players) if isinstance(players, str) else list(players)
    if chosen:
        check_n_players(len(chosen))
    found = [entrant_of(name, tables.get(name, {}), config.defaults, kind) for name in chosen]
    return with_features(found, config.tournament.features)


def with_features(players: list[Entrant], features: str | None) -> list[Entrant]:
    """The players with the features of a CSV file as options, if the features are in one."""
    if features is None or not is_table(features):
        return players
    _, table = read_table(Path(features))
    for player in players:
        if player.name not in table:
            raise InvalidInput(f"the features in {features} have no line for {player.name!r}")
    return [Entrant(player.name, {**player.options, **table[player.name]}) for player in players]


def feature_names(features: str) -> tuple[str, ...]:
    """The features that a text names: `step,size`, or the columns of a CSV file.

    >>> feature_names("step, size")
    ('step', 'size')
    """
    if is_table(features):
        return read_table(Path(features))[0]
    return tuple(name.strip() for name in features.split(","))


def is_table(features: str) -> bool:
    """Whether the features are in a CSV file.

    >>> is_table("table.csv"), is_table("step,size")
    (True, False)
    """
    return features.lower().endswith(".csv")


def matching(pattern: str) -> list[str]:
    """The paths that a glob matches here, in natural order."""
    found = sorted(glob.glob(pattern, recursive=True), key=natural)
    if not found:
        raise InvalidInput(
            f"no file matches the glob {pattern!r} in the current directory; give players that "
            "are not files as a list of names"
        )
    return found


def natural(name: str) -> tuple[list[int | str], str]:
    """A key that sorts numbers in names by their value.

    >>> sorted(["bot10", "bot9", "bot"], key=natural)
    ['bot', 'bot9', 'bot10']
    """
    parts = re.split(r"([0-9]+)", name)  # every other one is a number
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], name


def entrant_of(
    name: str, own: Mapping[str, Any], defaults: Mapping[str, Any], kind: str | None
) -> Entrant:
    """A player with its own options above those of every player.

    >>> entrant_of("stockfish:depth=3", {}, {"options": {"Hash": 16}}, "uci").options
    {'options': {'Hash': 16}, 'command': 'stockfish', 'depth': 3}
    """
    merge = with_limit if kind == "uci" else merged
    options = merge(defaults, own)
    key = NAMED_BY.get(kind or "")
    if key is not None and key not in options:
        program, texts = parse(name)
        named = {option: number_or_text(text) for option, text in texts.items()}
        options = merge(options, {key: program, **named})
    return Entrant(name, options)


def with_limit(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two tables of options.

    `above` overrides `below`; its limit replaces the one below. A player has one limit, so a depth
    replaces the nodes of the defaults.

    >>> with_limit({"nodes": 9, "options": {"Hash": 1}}, {"depth": 3, "options": {"Threads": 2}})
    {'options': {'Hash': 1, 'Threads': 2}, 'depth': 3}
    """
    is_limited = any(key in LIMITS for key in above)
    kept = {key: value for key, value in below.items() if not is_limited or key not in LIMITS}
    return merged(kept, above)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two tables, and the tables within them; `above` overrides `below`.

    >>> merged({"nodes": 9, "options": {"Hash": 1}}, {"options": {"Threads": 2}})
    {'nodes': 9, 'options': {'Hash': 1, 'Threads': 2}}
    """
    both = {**below, **above}
    for key in below.keys() & above.keys():
        if isinstance(below[key], Mapping) and isinstance(above[key], Mapping):
            both[key] = merged(below[key], above[key])
    return both


# Chess players from flags, in the words of fastchess: cmd, name, option.Hash, tc, st and so on


def with_engines(config: Config, flags: PlayerFlags) -> Config:
    """The config with the engines of the command line as its players; they play chess.

    >>> flags = PlayerFlags(engine=({"cmd": "sf", "name": "a"}, {"cmd": "sf"}), each={"nodes": 9})
    >>> with_engines(Config(), flags).players
    {'a': {'command': 'sf'}, 'sf': {'command': 'sf'}}
    """
    if not flags.engine and flags.each is None:
        return config
    ways = [way for way in WAYS if way in given(config.match)]
    if ways not in ([], ["uci"]):
        raise InvalidInput(
            f"--engine and --each are for UCI engines; got them with {' and '.join(ways)}"
        )
    players = config.players
    if flags.engine:
        if flags.player or flags.players:
            raise InvalidInput("--engine and --player or --players exclude each other")
        players = {}
        for words in flags.engine:
            name, options = _named(words)
            if name in players:
                raise InvalidInput(f"--engine: two engines are named {name!r}; give each a name=")
            players[name] = options
    each = engine_options(flags.each or {}, "--each", ("cmd", *KEYS[2:]))
    match = config.match
    if not ways and flags.engine:
        match = overridden(match, MatchSettings(uci=True))
    return replace(config, players=players, defaults=with_limit(config.defaults, each), match=match)


def _named(words: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    options = engine_options(words, "--engine", KEYS)
    name = words.get("name", words.get("cmd"))
    if name is None:
        raise InvalidInput(f"--engine needs cmd or name; got {', '.join(words)}")
    return str(name), options


def engine_options(
    words: Mapping[str, Any], place: str, keys: tuple[str, ...] = KEYS
) -> dict[str, Any]:
    """The options of a player, from the words of a flag.

    >>> engine_options({"cmd": "sf", "st": 0.1, "option.Hash": 16}, "--engine")
    {'options': {'Hash': 16}, 'command': 'sf', 'movetime': '0.1s'}
    """
    found: dict[str, Any] = {}
    uci = {key.removeprefix(OPTION): words[key] for key in words if key.startswith(OPTION)}
    if uci:
        found["options"] = uci
    for key, value in words.items():
        if key.startswith(OPTION):
            continue
        check_name(key, keys, f"key of {place}")
        if key == "cmd":
            found["command"] = f"{value} {words['args']}" if "args" in words else str(value)
        elif key == "st":
            found["movetime"] = f"{value}s"  # fastchess counts it in seconds
        elif key == "proto" and value not in PROTOCOLS:
            raise InvalidInput(f"{place}: proto must be {' or '.join(PROTOCOLS)}; got {value!r}")
        elif key in LIMITS or (key == "proto" and value != PROTOCOLS[0]):
            found[key] = value
    return found


# Players who join a stored tournament or change in it


def keep_defaults(tournament: Tournament, defaults: Mapping[str, Any]) -> None:
    """Store the options that all players share, for those who join later."""
    if defaults and tournament.store.settings().get(DEFAULTS) != dict(defaults):
        session_of(tournament).answer(SetSettings({DEFAULTS: dict(defaults)}))


def stored_way(tournament: Tournament) -> MatchConfig | None:
    """How matches are played, if the store says so; None if they are played elsewhere."""
    description = tournament.settings.match
    if description.partition(": ")[0] not in WAYS:
        return None
    return stored_match_config(description, MatchSettings())


def joining(tournament: Tournament, name: str, options: Mapping[str, Any]) -> Entrant:
    """A player who joins, with the options of every player where it has none of its own."""
    way = stored_way(tournament)
    defaults = tournament.store.settings().get(DEFAULTS, {})
    return entrant_of(name, options, defaults, None if way is None else way.kind)


def edited(
    tournament: Tournament, player: Entrant, options: Mapping[str, Any], unset: Iterable[str]
) -> Entrant:
    """A player with some options changed and others taken away.

    An engine has one limit, so a new one replaces it.
    """
    kept = dict(player.options)
    for key in unset:
        kept = without(kept, key, f"player {player.name!r}")
    way = stored_way(tournament)
    merge = with_limit if way is not None and way.kind == "uci" else merged
    return Entrant(player.name, merge(kept, options))


def check_players(tournament: Tournament, players: Iterable[Entrant]) -> None:
    """Raise unless these players can play the matches of the tournament.

    A function is not loaded for this: it takes any name, and code that a store names must not run
    before a match is played.
    """
    way = stored_way(tournament)
    if way is None or way.kind == "call":
        return
    with closing(way.runner(tournament.names, tournament.settings.seed)) as runner:
        runner.check(players)


def check_active(tournament: Tournament, runner: Runner) -> None:
    """Check the active players with the runner; an error says how to change or remove one."""
    entrants = tournament.entrants()  # first: the states have them all, whoever joins meanwhile
    active = [player for player in entrants if tournament.states[player.name] == "active"]
    runner.check([])  # an error that comes without players is not about one of them
    try:
        runner.check(active)
    except InvalidInput as error:
        raise InvalidInput(
            f"{error}; change a player with `maxin players edit`, or take it out with "
            "`maxin players remove` or `maxin players retire`"
        ) from None


def remedies(error: FieldDiffers, store: Store) -> str:
    """The commands after which the players of the command line and the store agree."""
    lines = []
    if error.new:
        lines.append(f"to let them join: {this_command()} --join")
    if error.missing:
        lines.append(f"to retire them: {players_command('retire', store, *error.missing)}")
    stored = {row.name: row.options for row in store.players()}
    for player in error.changed:
        changes = option_flags(stored[player.name], player.options)
        command = players_command("edit", store, player.name, flags=changes)
        lines.append(f"to change {player.name!r}: {command}")
    return "; ".join(lines)


def players_command(verb: str, store: Store, *names: str, flags: Iterable[str] = ()) -> str:
    """A `maxin players` command, to be copied into a shell."""
    dashes = ["--"] if any(name.startswith("-") for name in names) else []
    words = ["players", verb, "--store", str(store), *flags, *dashes, *names]
    return shlex.join([*program(Path(sys.argv[0]), shutil.which), *words])


def option_flags(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The flags of `maxin players edit` that turn the options `before` into `after`.

    >>> option_flags({"dept": 3, "options": {"Hash": 1}}, {"depth": 3, "options": {"Hash": 2}})
    ['--option', 'depth=3', '--option', 'options.Hash=2', '--unset', 'dept']
    """
    old, new = _flat(before), _flat(after)
    flags = []
    for key, value in new.items():
        if key not in old or old[key] != value:
            flags += ["--option", f"{key}={_text(value)}"]
    for key in old:
        if key not in new:
            flags += ["--unset", key]
    return flags


def read_options(pairs: Iterable[str]) -> dict[str, Any]:
    """Options from KEY=VALUE: values as JSON if they are, all else as text; dots make tables.

    >>> read_options(["depth=3", "book=open.bin", "options.Hash=16", "options.Ponder=false"])
    {'depth': 3, 'book': 'open.bin', 'options': {'Hash': 16, 'Ponder': False}}
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        *tables, name = key.split(".")
        if not sign or not all([*tables, name]):
            raise InvalidInput(f"--option must be key=value or table.key=value; got {pair!r}")
        table = found
        for part in tables:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise InvalidInput(f"--option {key}: {part} has the value {table!r}, so no keys")
        if name in table:
            raise InvalidInput(f"--option {key} is given twice")
        table[name] = _value(text)
    return found


def without(options: Mapping[str, Any], key: str, place: str) -> dict[str, Any]:
    """Options without one of them, or without a key of a table; `place` names whose they are.

    >>> without({"depth": 3, "options": {"Hash": 1, "Ponder": True}}, "options.Hash", "anna")
    {'depth': 3, 'options': {'Ponder': True}}
    """
    table, _, rest = key.partition(".")
    is_inside = bool(rest) and isinstance(options.get(table), Mapping)
    name = check_name(table if is_inside else key, options, f"option of {place}")
    if not is_inside:
        return {other: value for other, value in options.items() if other != name}
    return {**options, table: without(options[table], rest, f"{place}, {table}")}


def _flat(options: Mapping[str, Any], start: str = "") -> dict[str, Any]:
    """Options by their dotted keys."""
    found: dict[str, Any] = {}
    for key, value in options.items():
        is_table = isinstance(value, Mapping) and value
        found |= _flat(value, f"{start}{key}.") if is_table else {f"{start}{key}": value}
    return found


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if value is None else value


def _text(value: Any) -> str:
    """The text that `_value` reads as this value."""
    return value if isinstance(value, str) and _value(value) == value else json.dumps(value)
