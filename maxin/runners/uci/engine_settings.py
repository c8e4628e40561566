"""The settings of a chess player: its engine, the engine's options, and one limit.

Times are as chess people write them: "50ms", "1s", bare milliseconds, and time controls.
"""

from __future__ import annotations

import math
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from maxin.core import Entrant, InvalidInput, check_name, check_positive, check_whole

LIMITS = ("nodes", "depth", "movetime", "tc")
KEYS = ("command", "options", "proto", *LIMITS)
PROTOCOLS = ("uci", "xboard")
FORMER = ("clock", "increment")  # options of earlier versions
Value = str | int | bool | None
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}  # seconds
DURATION = re.compile(r"(\d+\.?\d*|\.\d+)\s*(ms|s|m)?")
CONTROL = re.compile(
    r"(?:(?P<moves>\d+)/)?(?:(?P<minutes>\d+):)?(?P<seconds>\d+\.?\d*|\.\d+)"
    r"(?:\+(?P<increment>\d+\.?\d*|\.\d+))?"
)


class TimeControl(NamedTuple):
    """A clock: seconds at the start, seconds earned per move, and moves until it is filled again.

    Args:
        seconds: on the clock at the start.
        increment: added for each move.
        moves: after so many moves the clock gets `seconds` more; 0 for never.

    >>> str(TimeControl(60.0, 0.5, moves=40))
    '40/60+0.5'
    """

    seconds: float
    increment: float = 0.0
    moves: int = 0

    def __str__(self) -> str:
        period = f"{self.moves}/" if self.moves else ""
        return f"{period}{self.seconds:g}" + (f"+{self.increment:g}" if self.increment else "")


class Program(NamedTuple):
    """How an engine is started; players with the same program can share a process."""

    command: tuple[str, ...]
    options: tuple[tuple[str, Value], ...] = ()
    proto: str = PROTOCOLS[0]


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
    proto = given.get("proto", PROTOCOLS[0])
    if proto not in PROTOCOLS:
        raise InvalidInput(f"{place}: proto must be {' or '.join(PROTOCOLS)}; got {proto!r}")
    options = _engine_options(given.get("options", {}), place)
    program = Program(_command(given.get("command"), place), options, proto)
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


def _engine_options(value: Any, place: str) -> tuple[tuple[str, Value], ...]:
    """The options of the engine, sorted by name."""
    if not isinstance(value, Mapping):
        raise InvalidInput(
            f"{place}: options must be a table of the engine's options; got {value!r}"
        )
    for name, setting in value.items():
        if not isinstance(setting, str | int | bool):
            raise InvalidInput(
                f"{place}: the engine's option {name!r} must be a string, a whole number, true or "
                f"false; got {setting!r}"
            )
    return tuple(sorted((str(name), setting) for name, setting in value.items()))


def _count(value: Any, place: str) -> int:
    count = check_whole(value, place)
    check_positive(count, place)
    return count


def read_duration(value: Any, place: str) -> float:
    """A duration in seconds; a bare number is in milliseconds, as in UCI.

    >>> read_duration(50, "movetime"), read_duration("1s", "movetime")
    (0.05, 1.0)
    """
    rule = (
        'must be a positive time: "50ms", "1s", "2m", or a whole number of milliseconds; got '
        f"{value!r}"
    )
    if isinstance(value, str) and (found := DURATION.fullmatch(value.strip())):
        number, unit = float(found[1]), found[2] or "ms"
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        number, unit = value, "ms"
    else:
        raise InvalidInput(f"{place} {rule}")
    if unit == "ms" and number % 1.0:
        raise InvalidInput(f'{place} {rule}; write "{number:g}s" for seconds')
    if not 0.0 < number < math.inf:
        raise InvalidInput(f"{place} {rule}")
    return number * UNITS[unit]


def read_time_control(value: Any, place: str) -> TimeControl:
    """A time control as chess programs write it: seconds, or minutes:seconds, with an increment.

    >>> read_time_control("10+0.1", "tc")
    TimeControl(seconds=10.0, increment=0.1, moves=0)
    >>> read_time_control("40/2:30", "tc")
    TimeControl(seconds=150.0, increment=0.0, moves=40)
    """
    text = str(value).strip() if isinstance(value, str | int | float) else ""
    found = CONTROL.fullmatch(text)
    if found is None or isinstance(value, bool):
        raise _wrong(value, place)
    seconds = 60.0 * int(found["minutes"] or 0) + float(found["seconds"])
    control = TimeControl(seconds, float(found["increment"] or 0.0), int(found["moves"] or 0))
    if not 0.0 < seconds < math.inf or not control.increment < math.inf:
        raise _wrong(value, place)
    return control


def _wrong(value: Any, place: str) -> InvalidInput:
    return InvalidInput(
        f'{place} must be a time control in seconds, such as "10+0.1", "60", "1:30+1" or '
        f'"40/60"; got {value!r}'
    )
