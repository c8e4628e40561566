"""Half-lives: how fast results fade, counted in matches or in time."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from maxin.core.errors import InvalidInput
from maxin.core.times import long_time, seconds_of, short_time

NUMBER = re.compile(r"\d+\.?\d*|\.\d+")
PERIODS = 32  # per half-life: within a period, nothing fades
LONGEST = 1e12  # matches, or seconds
RULE = 'a number of matches, 1000, or a time, "7d", "12h", "30m" or "45s", from 1 match or second'


class HalfLife(NamedTuple):
    """After how many matches, or how much time, a result counts half.

    A result of age a counts 2^(-a / half-life). Ages are counted in whole periods, a 32nd of the
    half-life each, but at least a match, so that all results fade together and seldom.

    Args:
        length: in matches, or in seconds.
        is_time: whether it is a time.

    >>> half_life = HalfLife.of(1000)
    >>> half_life.period, half_life.weight(10), str(half_life)
    (31, 0.807, '1,000 matches')
    >>> str(HalfLife.of("36h")), HalfLife.of("7d").period
    ('36 hours', 18900.0)
    """

    length: float
    is_time: bool = False

    @classmethod
    def of(cls, value: object) -> HalfLife:
        """The half-life that a number of matches, or a text, gives; or an error."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        length, unit = float(value) if is_number else math.nan, ""  # type: ignore[arg-type]
        if isinstance(value, str):
            text = value.strip()
            seconds = seconds_of(text)
            length = float(text) if NUMBER.fullmatch(text) else seconds
            unit = "" if math.isnan(seconds) else "s"
        if not 1.0 <= length <= LONGEST:
            raise InvalidInput(f"half_life must be {RULE}; got {value!r}")
        return cls(length, bool(unit))

    @property
    def period(self) -> float:
        """How many matches, or seconds, a period has."""
        return self.length / PERIODS if self.is_time else max(1, int(self.length // PERIODS))

    @property
    def setting(self) -> float | str:
        """The value that is stored: equal half-lives have equal values.

        >>> HalfLife.of("48h").setting, HalfLife.of("1000").setting
        ('2d', 1000)
        """
        if not self.is_time:
            return int(self.length) if self.length.is_integer() else self.length
        return short_time(self.length)

    def weight(self, n_periods: int) -> float:
        """The weight of a result that is so many periods old."""
        return float(2.0 ** (-n_periods * self.period / self.length))

    @property
    def most_counted(self) -> float:
        """The total weight of infinitely many results; infinite if they fade with time."""
        if self.is_time:
            return math.inf
        return self.period / (1.0 - self.weight(1))

    def __str__(self) -> str:
        if not self.is_time:
            plural = "match" if self.length == 1.0 else "matches"
            return f"{self.length:,.15g} {plural}"
        return long_time(self.length)


class Ageing(NamedTuple):
    """What the next result changes: the factor by which earlier ones fade, and its own weight."""

    fade: float
    weight: float


@dataclass
class AgeClock:
    """Counts the periods of a half-life as results come.

    Now is the time of the latest result, whatever order they come in: a clock that is set back, or
    an old log that is imported, makes no other result younger.

    Args:
        half_life: whose periods.
        n_results: how many results came.
        period: the number of the present period.
        counts: how many results each period has, if they are counted in time.

    >>> clock = AgeClock(HalfLife.of("32s"))
    >>> clock.tick(100.0), clock.tick(101.0).fade, clock.tick(69.0).weight
    (Ageing(fade=1.0, weight=1.0), 0.979, 0.5)
    """

    half_life: HalfLife
    n_results: int = 0
    period: int = 0
    counts: Counter[int] = field(default_factory=Counter)

    def period_of(self, time: float) -> int:
        """The period of the next result, recorded at `time` in seconds since 1970."""
        past = time if self.half_life.is_time else self.n_results
        return math.floor(past / self.half_life.period)

    def is_late(self, time: float) -> bool:
        """Whether the next result belongs to a period that is over."""
        return self.n_results > 0 and self.period_of(time) < self.period

    def tick(self, time: float) -> Ageing:
        """Count a result."""
        own = self.period_of(time)
        now = max(own, self.period) if self.n_results else own
        n_passed = now - self.period if self.n_results else 0
        self.n_results, self.period = self.n_results + 1, now
        if self.half_life.is_time:
            self.counts[own] += 1
        return Ageing(self.half_life.weight(n_passed), self.half_life.weight(now - own))

    def untick(self, time: float) -> None:
        """Undo `tick` for a result that was recorded at `time`.

        >>> clock = AgeClock(HalfLife.of("32s"))
        >>> _ = clock.tick(100.0), clock.tick(500.0)
        >>> clock.untick(500.0)
        >>> clock.period
        100
        """
        own, self.n_results = self.period_of(time), self.n_results - 1
        if self.half_life.is_time:
            self.counts -= Counter({own: 1})
            self.period = max(self.counts, default=0)
        else:
            self.period = int(max(self.n_results - 1, 0) // self.half_life.period)

    def copy(self) -> AgeClock:
        """Another clock with the same results."""
        return replace(self, counts=self.counts.copy())


def check_in_matches(value: object) -> HalfLife | None:
    """Return a half-life in matches, or None; raise if it is a time.

    >>> check_in_matches(1000)
    HalfLife(length=1000.0, is_time=False)
    """
    if value is None:
        return None
    half_life = HalfLife.of(value)
    if half_life.is_time:
        raise InvalidInput(
            "the half_life of a posterior or a scheduler must be a number of matches: it does not "
            f"know when results come, as a tournament does; got {value!r}"
        )
    return half_life
