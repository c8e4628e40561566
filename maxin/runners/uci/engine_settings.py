"""The settings of a chess player: its engine, the engine's options, and one limit."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from maxin.core import Entrant, InvalidInput, check_name, check_positive, check_whole

LIMITS = ("nodes", "depth", "movetime", "clock")
KEYS = ("command", "options", *LIMITS, "increment")
Value = str | int | bool | None


class Program(NamedTuple):
    """How an engine is started; players with the same program can share a process."""

    command: tuple[str, ...]
    options: tuple[tuple[str, Value], ...] = ()


class EngineSettings(NamedTuple):
    """An engine and exactly one of `LIMITS`, for how long it may think; times are in seconds.

    >>> read_settings(Entrant("quick", {"command": "stockfish -q", "nodes": 100})).program.command
    ('stockfish', '-q')
    """

    program: Program
    nodes: int | None = None
    depth: int | None = None
    movetime: float | None = None
    clock: float | None = None
    increment: float = 0.0


def read_settings(entrant: Entrant) -> EngineSettings:
    """Read the options of a player; raise `InvalidInput` for an invalid one."""
    place = f"player {entrant.name!r}"
    given = {key: value for key, value in entrant.options.items() if value is not None}
    for key in given:
        check_name(key, KEYS, f"option of {place}")
    program = Program(
        _command(given.get("command"), place), _uci_options(given.get("options", {}), place)
    )
    limits = [limit for limit in LIMITS if limit in given]
    if len(limits) != 1:
        found = " and ".join(limits) or "none"
        raise InvalidInput(f"{place} needs exactly one of {', '.join(LIMITS)}; it has {found}")
    if "increment" in given and "clock" not in given:
        raise InvalidInput(f"{place}: increment needs the limit clock; it has {limits[0]}")
    return EngineSettings(
        program,
        nodes=_count(given, "nodes", place),
        depth=_count(given, "depth", place),
        movetime=_seconds(given, "movetime", place),
        clock=_seconds(given, "clock", place),
        increment=_seconds(given, "increment", place) or 0.0,
    )


def check_program(settings: EngineSettings, place: str) -> None:
    """Raise unless the engine's program exists and is executable."""
    program = settings.program.command[0]
    if shutil.which(program) is None:
        raise InvalidInput(f"{place}: cannot find the program {program!r}")


def _command(value: Any, place: str) -> tuple[str, ...]:
    """A command as a tuple of arguments."""
    if isinstance(value, str):
        try:
            words: Sequence[Any] = shlex.split(value)
        except ValueError as error:
            raise InvalidInput(f"{place}: cannot split the command {value!r}: {error}") from None
    else:
        words = value if isinstance(value, list | tuple) else ()
    if not words or not all(isinstance(word, str) and word for word in words[:1]):
        raise InvalidInput(f"{place} needs a command, a string or a list of strings; got {value!r}")
    return tuple(str(word) for word in words)


def _uci_options(value: Any, place: str) -> tuple[tuple[str, Value], ...]:
    """The UCI options of the engine, sorted by name."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{place}: options must be a table of UCI options; got {value!r}")
    for name, setting in value.items():
        if not isinstance(setting, str | int | bool):
            raise InvalidInput(
                f"{place}: UCI option {name!r} must be a string, a whole number, true or false; "
                f"got {setting!r}"
            )
    return tuple(sorted((str(name), setting) for name, setting in value.items()))


def _count(given: Mapping[str, Any], key: str, place: str) -> int | None:
    if key not in given:
        return None
    count = check_whole(given[key], f"{place}: {key}")
    check_positive(count, f"{place}: {key}")
    return count


def _seconds(given: Mapping[str, Any], key: str, place: str) -> float | None:
    return check_positive(given[key], f"{place}: {key}") if key in given else None
