"""Times as chess people write them: "50ms", "1s", bare milliseconds, and time controls."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from maxin.core import InvalidInput

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
