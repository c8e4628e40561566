"""The live view of a run: the leaderboard as it changes, and one line about the progress."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, deque
from typing import Literal, Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from maxin.cli.output.watchers import (
    Summary,
    games_of,
    interruption,
    one_line,
    pairing,
    recovery,
    trouble,
)
from maxin.core import Stop
from maxin.core.text import counted, duration, shortened, width
from maxin.tournament import Tournament
from maxin.views import Overview
from maxin.views.columns import ESSENTIAL, SPARE, USUAL
from maxin.views.recorded.games import ends_line
from maxin.views.top import rounded
from maxin.worker import (
    Asked,
    Blocked,
    Event,
    Failed,
    Interrupted,
    Paused,
    Recovered,
    Refused,
    Told,
    Voided,
    Waiting,
)

REFRESH = 4  # times per second
PAUSE = 0.5  # seconds between two leaderboards, at least
SHARE = 0.1  # share of the time that making leaderboards may take
RECENT = 60.0  # seconds over which the rate is measured
AROUND = 6  # lines other than players: header, rest, status, forfeits, failure, and a spare one
NARROW = 60  # columns: a narrower terminal shows only essential columns
WIDE = 80  # columns: a narrower terminal leaves out spare columns
GAP = 2  # columns between two columns


class LiveView:
    """Draws a few times per second, while a thread of its own makes the leaderboards.

    Args:
        tournament: the tournament that is played.
        stop: when the run ends.
        console: where to draw.
    """

    def __init__(self, tournament: Tournament, stop: Stop, console: Console) -> None:
        self.console = console
        self.progress = RunProgress(tournament.n_matches, stop)
        self.refresher = Refresher(tournament, stop)
        self.live = Live(
            console=console,
            get_renderable=self.picture,
            refresh_per_second=REFRESH,
            transient=True,
        )

    def __enter__(self) -> Self:
        self.refresher.start()
        self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.refresher.stop()
        self.live.stop()

    def __call__(self, event: Event) -> None:
        """Count an event; problems stay on the screen, above the table."""
        self.progress.take(event)
        if isinstance(event, Interrupted):
            self._print(interruption(event), "bold yellow")
        elif isinstance(event, Blocked):
            self._print(event.reason, "bold yellow")
        elif isinstance(event, Recovered):
            self._print(recovery(event), "bold yellow")
        elif isinstance(event, Paused | Refused | Voided | Waiting):
            for line in trouble(event):
                self._print(line, "red")

    def end(self, summary: Summary) -> None:
        """Leave the leaderboard on the screen, and how the run ended."""
        summary.print_leaderboard(self.console)
        summary.print_sentences()

    def _print(self, line: str, style: str) -> None:
        self.console.print(Text(one_line(line), style=style), soft_wrap=True)

    def picture(self) -> Group:
        """All that is drawn, no higher than the terminal."""
        columns, lines = self.console.size
        found = self.refresher.found
        parts = [] if found is None else [standings_table(found, columns, lines - AROUND)]
        status = self.progress.status(found, time.monotonic())
        below = [Text(status, style="bold", no_wrap=True, overflow="ellipsis")]
        for line in filter(None, [self.progress.forfeits(), self.progress.failures()]):
            below.append(Text(line, style="red", no_wrap=True, overflow="ellipsis"))
        return Group(*parts, *below)


def standings_table(overview: Overview, columns: int, room: int) -> Table:
    """The best `room` players; candidates are bold, all others dim."""
    board = overview.leaderboard
    shown = max(1, room if len(board) <= room else room - 1)
    room_for = ESSENTIAL if columns < NARROW else USUAL if columns < WIDE else SPARE
    seen = [column for column in board.table.shown() if column.priority <= room_for]
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold cyan")
    for column in seen:
        justify: Literal["left", "right"] = "left" if column.left else "right"
        table.add_column(column.title, justify=justify, no_wrap=True)
    rows = [[column.text(row) for column in seen] for row in board]
    names = [column.key == "player" for column in seen]
    lines = [[column.title for column in seen], *rows]
    widths = [max(map(width, cells)) for cells in zip(*lines, strict=True)]
    taken = sum(wide for wide, is_name in zip(widths, names, strict=True) if not is_name)
    most = max(6, columns - taken - GAP * len(seen))
    candidates = () if overview.top is None else overview.top.candidates
    for standing, row in zip(board[:shown], rows, strict=False):
        cells = [
            shortened(cell, most) if name else cell for cell, name in zip(row, names, strict=True)
        ]
        style = "bold" if standing.player in candidates else "dim"
        table.add_row(*map(Text, cells), style=style)
    if len(board) > shown:
        table.add_row("", Text(f"… and {len(board) - shown:,} more"), style="dim")
    return table


class Refresher(threading.Thread):
    """Makes an overview when there are new results, for a small share of the time.

    Args:
        tournament: the tournament that is played.
        stop: when the run ends.
    """

    def __init__(self, tournament: Tournament, stop: Stop) -> None:
        super().__init__(name="maxin-leaderboard", daemon=True)
        self.found: Overview | None = None
        self._tournament, self._terms = tournament, stop  # a thread has a `_stop`
        self._is_over = threading.Event()

    def run(self) -> None:
        """Make overviews; pause between them so that they take only a small share of the time."""
        seen, pause = 0, PAUSE
        while not self._is_over.wait(pause):
            n_matches, start = self._tournament.n_matches, time.monotonic()
            if n_matches != seen:
                seen, is_first = n_matches, self.found is None
                overview = self._tournament.overview(self._terms)
                _ = overview.leaderboard, overview.n_left  # made here, not when it is drawn
                self.found = overview
                # The first overview takes longer than the others: code has to be loaded.
                cost = 0.0 if is_first else time.monotonic() - start
                pause = max(PAUSE, cost * (1.0 - SHARE) / SHARE)

    def stop(self) -> None:
        """Make no more overviews; one that takes long ends with the process."""
        self._is_over.set()
        self.join(timeout=1.0)


class RunProgress:
    """How far a run has come.

    Args:
        n_matches: results before the run.
        stop: when the run ends.
    """

    def __init__(self, n_matches: int, stop: Stop) -> None:
        self.n_matches, self.stop = n_matches, stop
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
        if isinstance(event, Told | Voided | Refused):
            self.running.discard(event.ticket.id)
        if isinstance(event, Told):
            self.n_matches += 1
            self._times.append(time.monotonic())
            games = [game for game in games_of(event) if game.is_forfeit]
            self.n_forfeits.update(one_line(ends_line([game])) for game in games)
        if isinstance(event, Failed):
            self.n_failed += 1
            self.last_failure = f"{pairing(event.ticket)}: {one_line(event.reason)}"

    def rate(self, now: float) -> float:
        """Results per second, of the last minute."""
        while len(self._times) > 2 and self._times[0] < now - RECENT:
            self._times.popleft()
        seconds = now - self._times[0]
        return (len(self._times) - 1) / seconds if seconds > 0.0 else 0.0

    def status(self, found: Overview | None, now: float) -> str:
        """The line below the table."""
        of_budget = f"/{self.stop.budget:,}" if self.stop.budget is not None else ""
        rate = self.rate(now)
        parts = [f"{self.n_matches:,}{of_budget} matches", speed(rate)]
        parts.append(f"{len(self.running)} running")
        if found is not None and found.top is not None:
            parts.append(f"{counted(len(found.top.candidates), 'candidate')} left")
        parts += self.to_go(math.inf if found is None else self.missing(found), rate)
        return " · ".join(parts)

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

    def to_go(self, n_missing: float, rate: float) -> list[str]:
        """The matches, and the time, to a decision or at most to the end of the budget."""
        n_budget = (
            math.inf if self.stop.budget is None else max(0, self.stop.budget - self.n_matches)
        )
        if min(n_missing, n_budget) == math.inf:
            return []
        is_exact = n_missing >= n_budget
        count = round(n_budget) if is_exact else rounded(round(n_missing))
        word = "at most" if is_exact and self.stop.confidence is not None else "about"
        lasting = f", {duration(count / rate)}," if rate > 0.0 else ""
        return [f"{word} {counted(count, 'match')}{lasting} to go"]


def speed(rate: float) -> str:
    """Format a rate of matches.

    >>> speed(12.34), speed(0.05)
    ('12.3/s', '3/min')
    """
    return f"{rate:.1f}/s" if rate >= 1.0 else f"{60.0 * rate:.3g}/min"
