"""Lengths of time as settings have them: 7d, 12h, 30m, 45s."""

from __future__ import annotations

import math
import re

from maxin.core.text import counted

UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}  # seconds
UNIT_NAMES = {"d": "day", "h": "hour", "m": "minute", "s": "second"}
DURATION = re.compile(r"(\d+\.?\d*|\.\d+)\s*([dhms])")


def seconds_of(text: str) -> float:
    """The seconds of a time such as 7d, 12h, 30m or 45s; NaN for any other text.

    >>> seconds_of("1.5h"), seconds_of("soon")
    (5400.0, nan)
    """
    found = DURATION.fullmatch(text.strip())
    return math.nan if found is None else float(found[1]) * UNITS[found[2]]


def short_time(seconds: float) -> str:
    """The text of a time: equal times have equal texts.

    >>> short_time(172_800.0), short_time(5400.0)
    ('2d', '90m')
    """
    number, unit = _in_units(seconds)
    return f"{number:.15g}{unit}"


def long_time(seconds: float) -> str:
    """A time for readers.

    >>> long_time(172_800.0), long_time(3600.0)
    ('2 days', '1 hour')
    """
    number, unit = _in_units(seconds)
    name = UNIT_NAMES[unit]
    return counted(int(number), name) if number.is_integer() else f"{number:.15g} {name}s"


def _in_units(seconds: float) -> tuple[float, str]:
    """The time in the largest unit of which it is a whole number, else in seconds."""
    whole = (unit for unit, size in UNITS.items() if (seconds / size).is_integer())
    unit = next(whole, "s")
    return seconds / UNITS[unit], unit
