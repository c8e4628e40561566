"""The settings of a chess player: its engine, the engine's options, and one limit."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from maxin.core import Entrant, InvalidInput, check_name, check_positive, check_whole
from maxin.runners.uci.durations import TimeControl, read_duration, read_time_control

LIMITS = ("nodes", "depth", "movetime", "tc")
KEYS = ("command", "options", *LIMITS)
FORMER = ("clock", "increment")  # options of earlier versions
Value = str | int | bool | None


class Program(NamedTuple):
    """How an engine is started; players with the same program can share a process."""

    command: tuple[str, ...]
    options: tuple[tuple[str, Value], ...] = ()


class EngineSettings(NamedTuple):
    """An engine and exactly one of `LIMITS`, for how long it may think; times are in seconds here.

    >>> read_settings(Entrant("quick", {"command": "stockfish -q", "nodes": 100})).program.command
    ('stockfish', '-q')
    """

    program: Program
    nodes: int | None = None
    depth: int | None = None
    movetime: float | None = None
    tc: TimeControl | None = None


def read_settings(entrant: Entrant) -> EngineSettings:
    """Read the options of a player; raise `InvalidInput` for an invalid one."""
    place = f"player {entrant.name!r}"
    given = {key: value for key, value in entrant.options.items() if value is not None}
    for key in given:
        if key in FORMER:
            raise InvalidInput(
                f"{place} has {key} = {given[key]!r}, which is now part of tc: write "
                'tc = "60+0.5" for 60 seconds and 0.5 seconds per move'
            )
        check_name(key, KEYS, f"option of {place}")
    program = Program(
        _command(given.get("command"), place), _uci_options(given.get("options", {}), place)
    )
    limits = [limit for limit in LIMITS if limit in given]
    if len(limits) != 1:
        found = " and ".join(limits) or "none"
        raise InvalidInput(f"{place} needs exactly one of {', '.join(LIMITS)}; it has {found}")
    (limit,) = limits
    here = f"{place}: {limit}"
    readers: dict[str, Callable[[Any, str], Any]] = {
        "nodes": _count,
        "depth": _count,
        "movetime": read_duration,
        "tc": read_time_control,
    }
    return EngineSettings(program, **{limit: readers[limit](given[limit], here)})


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


def _count(value: Any, place: str) -> int:
    count = check_whole(value, place)
    check_positive(count, place)
    return count
