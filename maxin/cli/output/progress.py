"""Progress of long work: a bar per task on a terminal, a line per task elsewhere."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class ProgressBars:
    """Shows progress within its `with` block; call it with a name, and how much is done of what.

    Args:
        console: where to show it.
        is_transient: whether the bars disappear at the end; then nothing is shown elsewhere than
            on a terminal, except the `lines`.
        lines: how many lines of progress to print elsewhere than on a terminal.
    """

    def __init__(self, console: Console, *, is_transient: bool = False, lines: int = 0) -> None:
        self._console, self._is_transient = console, is_transient
        self._lines, self._n_printed = lines, 0
        self._tasks: dict[str, TaskID] = {}
        self._bars = Progress(
            TextColumn("{task.description:<28}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=is_transient,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def __call__(self, name: str, done: int, total: int) -> None:
        """Show that `done` of `total` rounds or tournaments of a task are done."""
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total)
            if not self._console.is_terminal and not self._is_transient:
                self._console.print(f"{name}: {total:,} rounds", highlight=False)
        self._bars.update(self._tasks[name], completed=done, total=total)
        n_due = self._lines * done // max(1, total)
        if not self._console.is_terminal and n_due > self._n_printed:
            self._n_printed = n_due
            self._console.print(f"{name}: {done:,} of {total:,} done", highlight=False)
