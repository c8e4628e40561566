"""The live view of a run: the leaderboard as it changes, and one line about the progress."""

from __future__ import annotations

import threading
import time
from typing import Literal, Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from maxin.cli.output.watchers import Summary, interruption, one_line, recovery, trouble
from maxin.core import Stop
from maxin.core.text import Alike, width
from maxin.tournament import Tournament
from maxin.views import Overview
from maxin.views.columns import ESSENTIAL, SPARE, USUAL
from maxin.worker import (
    Blocked,
    Event,
    Interrupted,
    Paused,
    Recovered,
    Refused,
    Voided,
    Waiting,
)
from maxin.worker.progress import RunProgress

REFRESH = 4  # times per second
PAUSE = 0.5  # seconds between two leaderboards, at least
SHARE = 0.1  # share of the time that making leaderboards may take
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
        self.progress = RunProgress(tournament.n_matches, stop, tournament.cost())
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
    players = [row.player for row in board[:shown]]
    short = Alike.of(players).shortened(players, most)
    for standing, row, player in zip(board[:shown], rows, short, strict=False):
        cells = [player if is_name else cell for cell, is_name in zip(row, names, strict=True)]
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
