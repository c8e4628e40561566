"""The live view: the leaderboard as it grows, and one line that says how far it has come."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from statistics import NormalDist
from typing import TYPE_CHECKING, Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from maxin.cli.output.tables import counted, shortened
from maxin.cli.output.watchers import leaving, one_line, pairing, trouble

if TYPE_CHECKING:
    from maxin.cli.config.config import Config
    from maxin.cli.output.ending import Ending
    from maxin.tournament import Event, Leaderboard, Standing, Top, Tournament

REFRESH = 4  # times a second
PAUSE = 0.5  # seconds at least between two leaderboards
SHARE = 0.1  # of the time that making leaderboards may take
TELLING = 0.75  # certainty of a leader from which the end can be guessed
RECENT = 60.0  # seconds of play that the rate is taken from
AROUND = 5  # lines that are not players: the header, the rest, the status, a failure, a spare one
COLUMNS = ("rank", "player", "rating", "±", "P(best)", "matches", "score")
FEW_COLUMNS = ("rank", "player", "rating", "P(best)")
NARROW = 60  # columns of a terminal that has room for few of the table's
NUMBERS = 48  # columns of a terminal that all but the names take


class LiveView:
    """Draws a few times a second; a thread of its own makes the leaderboards.

    Args:
        tournament: what is played.
        config: how long.
        console: where to draw.
    """

    def __init__(self, tournament: Tournament, config: Config, console: Console) -> None:
        self.tournament, self.console = tournament, console
        self.progress = Progress(tournament.n_matches, config.budget, config.confidence)
        sought = config.k if config.k > 1 else None  # what the store says
        self.keeper = Keeper(tournament, sought, config.confidence or 0.95)
        self.live = Live(
            console=console,
            get_renderable=self.picture,
            refresh_per_second=REFRESH,
            transient=True,
        )

    def __enter__(self) -> Self:
        self.keeper.start()
        self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.keeper.stop()
        self.live.stop()

    def __call__(self, event: Event) -> None:
        """Count it; what a person should know stays on the screen, above the table."""
        from maxin.tournament import Interrupted, Paused, Refused, Voided, Waiting

        self.progress.take(event)
        if isinstance(event, Interrupted):
            self._say(leaving(event), "bold yellow")
        elif isinstance(event, Paused | Refused | Voided | Waiting):
            for line in trouble(event):
                self._say(line, "red")

    def end(self, end: Ending) -> None:
        """Leave the leaderboard on the screen, and how it ended."""
        end.show_board(self.console)
        end.show_words()

    def _say(self, line: str, style: str) -> None:
        self.console.print(Text(one_line(line), style=style), soft_wrap=True)

    def picture(self) -> Group:
        """All that is drawn, no higher than the terminal."""
        width, height = self.console.size
        found = self.keeper.found
        parts = [] if found is None else [board_table(*found, width, height - AROUND)]
        top = None if found is None else found[1]
        status = self.progress.status(top, time.monotonic())
        lines = [Text(status, style="bold", no_wrap=True, overflow="ellipsis")]
        if failures := self.progress.failures():
            lines.append(Text(failures, style="red", no_wrap=True, overflow="ellipsis"))
        return Group(*parts, *lines)


def board_table(board: Leaderboard, top: Top, width: int, room: int) -> Table:
    """The best `room` players; who may still be among the top is bold, the others are dim."""
    shown = max(1, room if len(board) <= room else room - 1)
    names = COLUMNS if width >= NARROW else FEW_COLUMNS
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold cyan")
    for name in names:
        table.add_column(name, justify="left" if name == "player" else "right", no_wrap=True)
    candidates = set(top.candidates)
    for row in board[:shown]:
        cells = _cells(row, max(6, width - (NUMBERS if names is COLUMNS else NUMBERS // 2)))
        style = "bold" if row.player in candidates else "dim"
        table.add_row(*(Text(cells[name]) for name in names), style=style)
    if len(board) > shown:
        table.add_row("", Text(f"… and {len(board) - shown:,} more"), style="dim")
    return table


def _cells(row: Standing, room: int) -> dict[str, str]:
    """A row, by the names of its columns."""
    state = "" if row.state == "active" else f" ({row.state})"
    return {
        "rank": "" if row.rank is None else str(row.rank),
        "player": shortened(row.player, room - len(state)) + state,
        "rating": f"{row.rating:+.0f}",
        "±": f"{row.margin:.0f}",
        "P(best)": "" if row.rank is None else f"{row.p_best:.1%}",
        "matches": f"{row.matches:,}",
        "score": "" if row.score is None else f"{row.score:.1%}",
    }


class Keeper(threading.Thread):
    """Makes the leaderboard anew when results have come, for a small share of the time.

    Args:
        tournament: whose.
        k: the size of the top; None for what the goal is.
        confidence: with which its candidates hold it.
    """

    def __init__(self, tournament: Tournament, k: int | None, confidence: float) -> None:
        super().__init__(name="maxin-leaderboard", daemon=True)
        self.found: tuple[Leaderboard, Top] | None = None
        self._tournament, self._k, self._confidence = tournament, k, confidence
        self._is_over = threading.Event()

    def run(self) -> None:
        """Look, then rest for as long as the work allows."""
        seen, pause = 0, PAUSE
        while not self._is_over.wait(pause):
            n_matches, start = self._tournament.n_matches, time.monotonic()
            if n_matches != seen:
                seen, is_first = n_matches, self.found is None
                board = self._tournament.leaderboard()
                self.found = board, self._tournament.top(self._k, confidence=self._confidence)
                # The first one took longer than any other will: code had to be loaded.
                cost = 0.0 if is_first else time.monotonic() - start
                pause = max(PAUSE, cost * (1.0 - SHARE) / SHARE)

    def stop(self) -> None:
        """No more leaderboards; one that takes long is left to end with the process."""
        self._is_over.set()
        self.join(timeout=1.0)


class Progress:
    """How far a run has come.

    Args:
        n_told: results before the run.
        budget: of the whole tournament, if there is one.
        confidence: when to stop, if it is for that.
    """

    def __init__(self, n_told: int, budget: int | None, confidence: float | None) -> None:
        self.n_told, self.budget, self.confidence = n_told, budget, confidence
        self.n_failed = 0
        self.last_failure = ""
        self.running: set[int] = set()
        self._times: deque[float] = deque([time.monotonic()])

    def take(self, event: Event) -> None:
        """Count an event."""
        from maxin.tournament import Asked, Failed, Refused, Told, Voided

        if isinstance(event, Asked):
            self.running.add(event.ticket.id)
        if isinstance(event, Told | Voided | Refused):
            self.running.discard(event.ticket.id)
        if isinstance(event, Told):
            self.n_told += 1
            self._times.append(time.monotonic())
        if isinstance(event, Failed):
            self.n_failed += 1
            self.last_failure = f"{pairing(event.ticket)}: {one_line(event.reason)}"

    def rate(self, now: float) -> float:
        """Results a second, of the last minute."""
        while len(self._times) > 2 and self._times[0] < now - RECENT:
            self._times.popleft()
        seconds = now - self._times[0]
        return (len(self._times) - 1) / seconds if seconds > 0.0 else 0.0

    def status(self, top: Top | None, now: float) -> str:
        """The one line."""
        of_budget = f"/{self.budget:,}" if self.budget is not None else ""
        rate = self.rate(now)
        parts = [f"{self.n_told:,}{of_budget} matches", speed(rate), f"{len(self.running)} running"]
        if top is not None:
            parts.append(f"{counted(len(top.candidates), 'candidate')} left")
        parts += self.time_left(0.0 if top is None else top.confidence, rate)
        return " · ".join(parts)

    def failures(self) -> str:
        """How many attempts gave no score, and why the last one; nothing if none did."""
        return f"{self.n_failed:,} failed; the last, {self.last_failure}" if self.n_failed else ""

    def time_left(self, certainty: float, rate: float) -> list[str]:
        """In words, if anything can be said: by the lead, or at most by the budget."""
        if rate <= 0.0:
            return []
        by_lead = self.matches_to_lead(certainty) / rate
        by_budget = math.inf if self.budget is None else (self.budget - self.n_told) / rate
        if by_lead < by_budget:
            return [f"about {duration(by_lead)} left"]
        word = "about" if self.confidence is None else "at most"
        return [f"{word} {duration(by_budget)} left"] if self.budget is not None else []

    def matches_to_lead(self, certainty: float) -> float:
        """How many more until the leader is sure enough; infinite if it is too early to say.

        A lead of z standard deviations grows as the square root of the number of matches; so
        z* needs (z* / z)^2 times as many.
        """
        if self.confidence is None or not certainty >= TELLING:
            return math.inf
        z = NormalDist().inv_cdf
        share = z(self.confidence) / z(min(certainty, self.confidence))
        return self.n_told * (share**2 - 1.0)


def speed(rate: float) -> str:
    """A rate to read.

    >>> speed(12.34), speed(0.05)
    ('12.3/s', '3/min')
    """
    return f"{rate:.1f}/s" if rate >= 1.0 else f"{60.0 * rate:.3g}/min"


def duration(seconds: float) -> str:
    """A time to read.

    >>> duration(8.6), duration(400), duration(9000)
    ('9 s', '7 min', '2.5 h')
    """
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
