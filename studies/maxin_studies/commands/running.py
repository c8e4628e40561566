"""Long experiments: run with progress, and their tables printed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from maxin.cli.config.flags import meaning
from maxin.cli.output.progress import ProgressBars
from maxin.core.text import duration
from maxin.runners import RayExecutor
from maxin_studies import ExperimentReport, Section

WIDE = 160  # columns of a table that goes to a file
EVERY = 30.0  # seconds between lines of progress that go to a file

Made = TypeVar("Made", bound=ExperimentReport)


def run_experiment(
    experiment: Callable[..., Made], *arguments: Any, ray: str | None = None, **options: Any
) -> Made:
    """Call an experiment, on the Ray cluster at an address if one is given, and show progress."""
    with ExitStack() as stack:
        if (address := meaning(ray)) is not None:
            executor = stack.enter_context(RayExecutor(address))
            options = {"workers": executor.n_workers, **options, "executor": executor}
        console = Console()
        bars = stack.enter_context(ProgressBars(console, is_transient=True))
        progress = StageProgress(bars, None if console.is_terminal else console)
        return experiment(*arguments, **options, progress=progress)


class StageProgress:
    """Shows how far an experiment is, with an estimate of the time left.

    Every stage is announced with its size before the first begins. Stored runs are no measure of
    speed.

    Args:
        bars: get the whole and each stage that has begun.
        console: gets lines of the same, as each stage begins and every `EVERY` seconds; None for
            no lines.
    """

    def __init__(
        self,
        bars: Callable[[str, int, int], None],
        console: Console | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bars, self._console, self._clock = bars, console, clock
        self._done: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        self._begun: set[str] = set()
        self._n_stored = 0
        self._start = self._last = clock()

    def __call__(self, name: str, done: int, total: int) -> None:
        """Note that `done` of `total` of a stage is done; its first call announces it."""
        if name not in self._sizes:
            self._done[name], self._sizes[name] = 0, total
            return
        has_begun = name in self._begun
        if not has_begun:
            self._begun.add(name)
            self._n_stored += done
        self._done[name], self._sizes[name] = done, total
        self._bars("all", sum(self._done.values()), sum(self._sizes.values()))
        self._bars(name, done, total)
        if self._console and (not has_begun or self._clock() - self._last > EVERY):
            self._last = self._clock()
            self._console.print(self._line(name), highlight=False)

    def _line(self, name: str) -> str:
        done, total = sum(self._done.values()), sum(self._sizes.values())
        played = done - self._n_stored
        line = f"{name}: {100.0 * done / max(1, total):.0f} % of all done"
        left = (total - done) * (self._clock() - self._start) / max(1, played)
        return f"{line}, about {duration(left)} left" if played and left >= 1.0 else line


def print_tables(report: ExperimentReport) -> None:
    """Print the table of every section."""
    console = Console()
    wide = console if console.is_terminal else Console(width=WIDE)
    for section in report.sections:
        wide.print(section_table(section))


def section_table(section: Section) -> Table:
    """The table of a section, for the terminal."""
    table = Table(*section.header, title=Text(section.title, style="bold"), title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in section.rows:
        table.add_row(*(Text(cell, overflow="fold") for cell in row))
    return table
