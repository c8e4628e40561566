"""The players: names, the files that a glob matches, or a table of options per player."""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from maxin.cli.config.config_file import Config
from maxin.cli.config.options import PlayerFlags
from maxin.cli.config.rules import number_or_text
from maxin.core import Entrant, InvalidInput, check_n_players
from maxin.core.specs import parse
from maxin.runners.uci.engine_settings import LIMITS
from maxin.tournament.features import read_table

NAMED_BY = {"uci": "command", "open_spiel": "bot"}  # the option that a bare name stands for


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
    """Both tables of options in one: `above` overrides `below`, and so does its limit.

    A player has one limit, so a depth replaces the nodes of the defaults.

    >>> with_limit({"nodes": 9, "options": {"Hash": 1}}, {"depth": 3, "options": {"Threads": 2}})
    {'options': {'Hash': 1, 'Threads': 2}, 'depth': 3}
    """
    is_limited = any(key in LIMITS for key in above)
    kept = {key: value for key, value in below.items() if not is_limited or key not in LIMITS}
    return merged(kept, above)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both tables in one, and the tables within them; `above` overrides `below`.

    >>> merged({"nodes": 9, "options": {"Hash": 1}}, {"options": {"Threads": 2}})
    {'nodes': 9, 'options': {'Hash': 1, 'Threads': 2}}
    """
    both = {**below, **above}
    for key in below.keys() & above.keys():
        if isinstance(below[key], Mapping) and isinstance(above[key], Mapping):
            both[key] = merged(below[key], above[key])
    return both
