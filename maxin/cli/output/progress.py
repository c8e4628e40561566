"""Long work: many tasks in processes, stored as they are done, with a bar that says how long."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from maxin.experiments.archive import AnyOutcome, AnyTask, Archive
    from maxin.experiments.reproduction.experiments import Experiment
    from maxin.experiments.reproduction.runs import Outcome, Run
    from maxin.experiments.reproduction.tuning import Line
    from maxin.games import Game


class Work:
    """Gets tasks done; to be entered while it does.

    Args:
        folder: where outcomes are kept.
        workers: processes; one per core by default.
        console: where the bar is shown, or a line for each lot if it is not a terminal.
    """

    def __init__(self, folder: Path, workers: int | None, console: Console) -> None:
        self.folder, self.console = folder, console
        self.workers = workers or os.cpu_count() or 1
        self.bar = Progress(
            TextColumn("{task.description:<28}"), BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn(), TimeRemainingColumn(),
            console=console, disable=not console.is_terminal,
        )  # fmt: skip

    def __enter__(self) -> Work:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def complete(
        self,
        name: str,
        tasks: Sequence[AnyTask],
        act: Callable[[AnyTask], AnyOutcome],
        archive: Archive[AnyTask, AnyOutcome],
    ) -> dict[AnyTask, AnyOutcome]:
        """The outcomes of `tasks`, from the archive or done now."""
        from maxin.experiments.pool import complete

        n_rounds = sum(task.rounds for task in dict.fromkeys(tasks))
        if not self.console.is_terminal:  # one line a lot instead of a bar
            self.console.print(f"{name}: {len(set(tasks)):,} runs, {n_rounds:,} rounds")
        task = self.bar.add_task(name, total=n_rounds)
        return complete(
            tasks,
            act,
            archive,
            workers=self.workers,
            progress=lambda n_rounds: self.bar.advance(task, n_rounds),
        )

    def lines(
        self, figure: Experiment, games: dict[str, Game], protocols: tuple[str, ...]
    ) -> Iterator[Line]:
        """The lines of a figure of the paper's kind, under every protocol."""
        from maxin.experiments.archive import Archive
        from maxin.experiments.reproduction.experiments import tuning_runs
        from maxin.experiments.reproduction.runs import Outcome, play_among
        from maxin.experiments.reproduction.tuning import lines

        archive: Archive[Run, Outcome] = Archive(self.folder, Outcome)

        def complete(runs: list[Run]) -> dict[Run, Outcome]:
            return self.complete(figure.name, runs, partial(play_among, games), archive)

        return lines(figure, games, protocols, list(tuning_runs(figure, games)), complete)
