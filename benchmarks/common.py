"""Shared by all benchmarks: one core, the best of several runs, tables, and pages with them."""

from __future__ import annotations

import os

for library in ("OPENBLAS", "OMP", "MKL"):  # use one core; must come before NumPy
    os.environ[f"{library}_NUM_THREADS"] = "1"

import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference"


def seconds(
    act: Callable[[], object],
    repeats: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The time of the fastest of `repeats` runs, which is the least disturbed one."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        act()
        best = min(best, clock() - start)
    return best


def show(title: str, header: list[str], rows: list[list[str]]) -> None:
    """Print the table of a benchmark."""
    table = Table(*header, title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)


def write_measured(page: Path, source: str, text: str) -> None:
    """Put what `source`, a file of this folder, has measured between its two marks on a page."""
    start, end = f"<!-- measured by benchmarks/{source} -->", "<!-- end -->"
    head, _, rest = page.read_text().partition(start)
    tail = rest.partition(end)[2]
    page.write_text(f"{head}{start}\n\n{text}\n\n{end}{tail}")


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A table for a page.

    >>> print(markdown(["players", "time"], [["10", "2 ms"]]))
    | players | time |
    |---|---|
    | 10 | 2 ms |
    """
    lines = [header, *rows]
    made = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([made[0], "|---" * len(header) + "|", *made[1:]])


def human(duration: float) -> str:
    """A duration with a unit.

    >>> human(0.00123)
    '1.23 ms'
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if duration >= scale:
            return f"{duration / scale:.3g} {unit}"
    return f"{duration / 1e-6:.3g} us"
