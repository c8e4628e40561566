"""Players who join a stored tournament or change in it: their options, and can they play?"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from maxin.cli.config.match_config import MatchConfig, stored_match_config
from maxin.cli.config.options import program, this_command
from maxin.cli.config.player_config import entrant_of, merged, with_limit
from maxin.cli.config.settings import WAYS, MatchSettings
from maxin.core import Entrant, InvalidInput, check_name
from maxin.runners import Runner
from maxin.storage import Store
from maxin.tournament import Tournament
from maxin.tournament.opening import FieldDiffers

DEFAULTS = "defaults"  # the name under which a store keeps the options of every player


def keep_defaults(store: Store, defaults: Mapping[str, Any]) -> None:
    """Have the store keep the options of every player, for those who join later."""
    if defaults and store.settings().get(DEFAULTS) != dict(defaults):
        store.transact(lambda writer: writer.set({DEFAULTS: dict(defaults)}))


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

    A function is not loaded for this: it takes any name, and no program of a store should run
    before somebody plays.
    """
    way = stored_way(tournament)
    if way is None or way.kind == "call":
        return
    with closing(way.runner(tournament.names, tournament.settings.seed)) as runner:
        runner.check(players)


def check_active(tournament: Tournament, runner: Runner) -> None:
    """Have the runner check the active players; the error says how to change or remove one."""
    states = tournament.states
    active = [player for player in tournament.entrants() if states[player.name] == "active"]
    runner.check([])  # what is wrong without any player is not about one
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
