"""How far a run has come: for the live view of the command line, and as one line of a script."""

from __future__ import annotations

import math
import re
import shutil
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from maxin.core import Stop
from maxin.core.text import counted, duration, shortened, visible
from maxin.core.times import seconds_of
from maxin.views.recorded.costs import TotalCost
from maxin.views.recorded.games import ends_line
from maxin.views.top import rounded
from maxin.worker.events import (
    Asked,
    Event,
    Failed,
    Refused,
    Returned,
    Told,
    Voided,
    games_of,
    pairing,
)

if TYPE_CHECKING:
    from maxin.views import Overview

RECENT = 60.0  # seconds over which the rate is measured
REST = 9.0  # times as long as the last overview took, before the next one is made
REDRAWN = 0.25  # seconds between two lines, at least
COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # commands to a terminal, in the output of a program


class RunProgress:
    """How far a run has come.

    Args:
        n_matches: results before the run.
        stop: when the run ends.
        cost: of those results.
    """

    def __init__(self, n_matches: int, stop: Stop, cost: TotalCost | None = None) -> None:
        self.n_matches, self.stop = n_matches, stop
        self.cost = cost or TotalCost(0.0, 0)
        self.n_failed = 0
        self.last_failure = ""
        self.n_forfeits: Counter[str] = Counter()
        self.running: set[int] = set()
        self.started = time.monotonic()
        self._times: deque[float] = deque([self.started])

    def take(self, event: Event) -> None:
        """Count an event."""
        if isinstance(event, Asked):
            self.running.add(event.ticket.id)
        if isinstance(event, Told | Voided | Refused | Returned):
            self.running.discard(event.ticket.id)
        if isinstance(event, Told):
            self.n_matches += 1
            self._times.append(time.monotonic())
            games = [game for game in games_of(event) if game.is_forfeit]
            self.n_forfeits.update(_plain(ends_line([game])) for game in games)
            self.cost = self.cost.plus(event.outcome.data)
        if isinstance(event, Failed):
            self.n_failed += 1
            self.last_failure = f"{pairing(event.ticket)}: {_plain(event.reason)}"

    def rate(self, now: float) -> float:
        """Results per second, of the last minute."""
        while len(self._times) > 2 and self._times[0] < now - RECENT:
            self._times.popleft()
        seconds = now - self._times[0]
        return (len(self._times) - 1) / seconds if seconds > 0.0 else 0.0

    def status(self, found: Overview | None, now: float) -> str:
        """The progress in one line."""
        return " · ".join(text for _, text in self.parts(found, now))

    def parts(self, found: Overview | None, now: float) -> list[tuple[int, str]]:
        """The parts of that line; the larger its number, the sooner one can be missed."""
        of_budget = f"/{self.stop.budget:,}" if self.stop.budget is not None else ""
        rate = self.rate(now)
        parts = [(0, f"{self.n_matches:,}{of_budget} matches")]
        parts += [(2, used) for used in self._used(now)]
        parts += [(4, speed(rate)), (5, f"{len(self.running)} running")]
        if found is not None and found.top is not None:
            parts.append((3, f"{counted(len(found.top.candidates), 'candidate')} left"))
        n_missing = math.inf if found is None else self.missing(found)
        return [*parts, *((1, rest) for rest in self.to_go(n_missing, rate, now))]

    def _used(self, now: float) -> list[str]:
        """What is used of the budgets of cost and time."""
        parts, stop = [], self.stop
        if stop.budget_cost is not None:
            parts.append(f"cost {self.cost.total:,.4g}/{stop.budget_cost:,.6g}")
        if stop.budget_time is not None:
            parts.append(f"{duration(now - self.started)} of {stop.budget_time}")
        return parts

    def failures(self) -> str:
        """How many attempts gave no score, and why the last one did not; empty if none failed."""
        return f"{self.n_failed:,} failed; the last: {self.last_failure}" if self.n_failed else ""

    def forfeits(self) -> str:
        """Who lost games of this run without being beaten, and how often; empty if nobody did."""
        return " · ".join(f"{what}: {count:,}" for what, count in self.n_forfeits.most_common())

    def missing(self, found: Overview) -> float:
        """About how many more matches it takes to decide; infinite if that is unknown."""
        if self.stop.confidence is None or found.n_left is None:
            return math.inf
        n_since = self.n_matches - found.n_matches
        return max(1.0, found.n_left - n_since)

    def to_go(self, n_missing: float, rate: float, now: float | None = None) -> list[str]:
        """The matches, and the time, to a decision or at most to the end of the budgets."""
        n_budget = self._allowed(rate, self.started if now is None else now)
        if min(n_missing, n_budget) == math.inf or n_budget < 0.5:
            return []
        is_exact = n_missing >= n_budget
        count = round(n_budget) if is_exact else rounded(round(n_missing))
        word = "at most" if is_exact and self.stop.confidence is not None else "about"
        lasting = f", {duration(count / rate)}," if rate > 0.0 else ""
        return [f"{word} {counted(count, 'match')}{lasting} to go"]

    def _allowed(self, rate: float, now: float) -> float:
        """How many more matches the budgets allow, at this rate and at the mean cost."""
        stop, allowed = self.stop, [math.inf]
        if stop.budget is not None:
            allowed.append(stop.budget - self.n_matches)
        if stop.budget_cost is not None and self.cost.total > 0.0:
            allowed.append((stop.budget_cost - self.cost.total) / self.cost.per_match)
        if stop.budget_time is not None and rate > 0.0:
            allowed.append((seconds_of(stop.budget_time) - now + self.started) * rate)
        return max(0.0, min(allowed))


def _plain(text: str) -> str:
    """A text of a program without commands to a terminal."""
    return visible(COLOURS.sub("", text))


def speed(rate: float) -> str:
    """Format a rate of matches.

    >>> speed(12.34), speed(0.05)
    ('12.3/s', '3/min')
    """
    return f"{rate:.1f}/s" if rate >= 1.0 else f"{60.0 * rate:.3g}/min"


def fitted(parts: Sequence[tuple[int, str]], room: int) -> str:
    """The parts that fit a line of `room` columns: those of the largest numbers go first.

    >>> fitted([(0, "9 matches"), (2, "3/s"), (1, "about 7 to go")], room=28)
    '9 matches · about 7 to go'
    """
    kept = list(parts)
    while len(" · ".join(text for _, text in kept)) > room and len(kept) > 1:
        kept.remove(max(kept, key=lambda part: part[0]))
    return " · ".join(text for _, text in kept)


class TerminalLine:
    """A line on standard error that is replaced by the next one; nothing without a terminal."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._next = 0.0

    def is_due(self) -> bool:
        """Whether to write the line again."""
        return self._is_shown and time.monotonic() >= self._next

    @property
    def room(self) -> int:
        """The columns of the terminal that a line may have."""
        return shutil.get_terminal_size().columns - 1

    def write(self, text: str) -> None:
        """Write the line, cut to the width of the terminal."""
        if self._is_shown:
            print(f"\r\x1b[K{shortened(text, self.room)}", end="", file=sys.stderr, flush=True)
            self._next = time.monotonic() + REDRAWN

    def end(self) -> None:
        """Leave the last line."""
        if self._is_shown and self._next:
            print(file=sys.stderr, flush=True)

    def __call__(self, name: str, done: int, total: int) -> None:
        """Write how much of some work is done: the progress of a plan."""
        is_over = done >= total
        if is_over or self.is_due():
            self.write(f"{name}: {done:,} of {total:,} done")
        if is_over:
            self.end()


class ProgressLine:
    """Shows the progress of a run as one line on a terminal.

    Args:
        progress: of the run.
        overview: makes the overview as of now, if there is one: it names the candidates left.
    """

    def __init__(
        self, progress: RunProgress, overview: Callable[[], Overview] | None = None
    ) -> None:
        self._progress, self._overview = progress, overview
        self._found: Overview | None = None
        self._line, self._rest_until = TerminalLine(), 0.0

    def __call__(self, event: Event) -> None:
        """Count an event, and write the line again if it is time."""
        self._progress.take(event)
        if self._line.is_due():
            self._line.write(self.text())

    def text(self) -> str:
        """The line, without the parts for which the terminal has no room."""
        start = time.monotonic()
        if self._overview is not None and self._progress.n_matches and start >= self._rest_until:
            self._found = self._overview()
            _ = self._found.top, self._found.n_left
            cost = time.monotonic() - start
            self._rest_until = time.monotonic() + cost * REST
        parts = self._progress.parts(self._found, time.monotonic())
        parts += [(1, f"{self._progress.n_failed:,} failed")] * bool(self._progress.n_failed)
        return fitted(parts, self._line.room)

    def end(self) -> None:
        """Leave the last line."""
        self._rest_until = 0.0
        self._line.write(self.text())
        self._line.end()
