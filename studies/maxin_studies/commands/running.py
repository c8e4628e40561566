"""Long experiments: run with progress, and their tables printed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from maxin.cli.config.flags import meaning
from maxin.cli.output.progress import ProgressBars
from maxin.runners import RayExecutor
from maxin_studies import ExperimentReport, Section

WIDE = 160  # columns of a table that goes to a file

Made = TypeVar("Made", bound=ExperimentReport)


def run_experiment(
    experiment: Callable[..., Made], *arguments: Any, ray: str | None = None, **options: Any
) -> Made:
    """Call an experiment, on the Ray cluster at an address if one is given, and show progress."""
    with ExitStack() as stack:
        if (address := meaning(ray)) is not None:
            executor = stack.enter_context(RayExecutor(address))
            options = {"workers": executor.n_workers, **options, "executor": executor}
        progress = stack.enter_context(ProgressBars(Console()))
        return experiment(*arguments, **options, progress=progress)


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
