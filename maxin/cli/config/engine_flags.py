"""Chess players from flags, in the words of fastchess: cmd, name, option.Hash, tc, st and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from maxin.cli.config.config_file import Config
from maxin.cli.config.declaration import given
from maxin.cli.config.options import PlayerFlags
from maxin.cli.config.player_config import with_limit
from maxin.cli.config.settings import WAYS
from maxin.core import InvalidInput, check_name
from maxin.runners.uci.engine_settings import LIMITS

OPTION = "option."  # before the name of a UCI option
KEYS = ("cmd", "name", "args", "proto", "st", *LIMITS)


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
    match = replace(config.match, uci=True) if not ways and flags.engine else config.match
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
        elif key == "proto" and value != "uci":
            raise InvalidInput(f"{place}: proto must be uci; got {value!r}")
        elif key in LIMITS:
            found[key] = value
    return found
