"""Stored outcomes of tasks, in Parquet files that are added, never changed; and their pool."""

from __future__ import annotations

import itertools
import json
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from pathlib import Path
from typing import Any, Generic, cast

import numpy as np
import pyarrow
import pyarrow.parquet

from maxin.core import InvalidInput
from maxin.core.files import whole_binary_file
from maxin.simulation.pool import Progress, TaskPool
from maxin_studies.tasks import OutcomeT, StoredTask

HOLD = 10.0  # seconds before finished outcomes are written to disk


class Archive(Generic[OutcomeT]):
    """Outcomes in a folder, found by the key of their task.

    A batch of outcomes is one file, written under another name and then renamed. So a reader, or
    the next call after a kill, sees complete files only.

    Args:
        folder: created if it does not exist.
        outcome_type: makes an outcome from its fields; arrays are stored as float32.
    """

    def __init__(self, folder: Path, outcome_type: Callable[..., OutcomeT]) -> None:
        self.folder, self.outcome_type = folder, outcome_type
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, outcomes: Mapping[StoredTask[OutcomeT], OutcomeT]) -> None:
        """Write outcomes to disk."""
        rows = [
            {"key": task.key, "run": json.dumps(task.description()), **outcome._asdict()}
            for task, outcome in outcomes.items()
        ]
        table = pyarrow.Table.from_pylist(rows)
        with whole_binary_file(self.folder / f"{uuid.uuid4().hex}.parquet") as file:
            pyarrow.parquet.write_table(table, file, compression="zstd")

    def outcomes(
        self, tasks: Iterable[StoredTask[OutcomeT]]
    ) -> dict[StoredTask[OutcomeT], OutcomeT]:
        """The stored outcomes of `tasks`."""
        wanted = {task.key: task for task in tasks}
        found: dict[StoredTask[OutcomeT], OutcomeT] = {}
        for path in sorted(self.folder.glob("*.parquet")):
            for key, outcome in self._outcomes(path, wanted):
                found[wanted[key]] = outcome
        return found

    def _outcomes(self, path: Path, wanted: Collection[str]) -> Iterator[tuple[str, OutcomeT]]:
        """The outcomes of one file whose keys are wanted."""
        try:
            keys = pyarrow.parquet.read_table(path, columns=["key"]).column("key").to_pylist()
            mask = [key in wanted for key in keys]
            if not any(mask):
                return
            table = pyarrow.parquet.read_table(path).filter(mask).drop_columns("run")
        except (OSError, ValueError, KeyError) as error:
            raise InvalidInput(
                f"{str(path)!r} is not a complete Parquet file of runs; remove it, and its runs "
                f"are done again"
            ) from error
        names = table.column_names
        for cells in zip(*(_cells(table.column(name)) for name in names), strict=True):
            row = dict(zip(names, cells, strict=True))
            yield row.pop("key"), self.outcome_type(**row)


def _cells(column: pyarrow.ChunkedArray) -> list[Any]:
    """The cells of a column; lists of numbers become arrays."""
    if not pyarrow.types.is_list(column.type):
        return cast("list[Any]", column.to_pylist())
    lists = column.combine_chunks()
    numbers = lists.values.to_numpy().astype(np.float32, copy=False)
    return [numbers[start:end] for start, end in itertools.pairwise(lists.offsets.tolist())]


class StoredPool(TaskPool):
    """Completes tasks: from the archive where they are stored, else in worker processes.

    Args:
        folder: of the archive.
        workers: see `TaskPool`, as for the others.
        progress: called as work is done.
        executor: where tasks run, in place of processes of our own.
    """

    def __init__(
        self,
        folder: Path,
        workers: int | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(workers, progress, executor)
        self.folder = folder

    def announce(self, stages: Iterable[Mapping[str, int]]) -> None:
        """Report the sizes of all stages before the first begins, for an estimate of the end."""
        for name, size in {name: size for one in stages for name, size in one.items()}.items():
            self.report(name, 0, size)

    def complete(  # type: ignore[override]  # it takes tasks that can be stored
        self, name: str, tasks: Sequence[StoredTask[OutcomeT]]
    ) -> dict[StoredTask[OutcomeT], OutcomeT]:
        """The outcomes of `tasks`, stored or computed now.

        An interrupt, or any other exception, stores what is done before it is raised again.
        """
        wanted = list(dict.fromkeys(tasks))
        if not wanted:
            return {}
        archive = Archive(self.folder / wanted[0].folder, wanted[0].outcome_type)
        found: dict[StoredTask[OutcomeT], OutcomeT] = archive.outcomes(wanted)
        missing = [task for task in wanted if task not in found]
        held: dict[StoredTask[OutcomeT], OutcomeT] = {}
        since = time.monotonic()
        try:
            with closing(self.batches(name, missing, sum(task.size for task in found))) as batches:
                for outcomes in batches:
                    held |= cast("dict[StoredTask[OutcomeT], OutcomeT]", outcomes)
                    if time.monotonic() - since > HOLD:
                        archive.add(held)
                        found |= held
                        held, since = {}, time.monotonic()
        finally:
            if held:
                archive.add(held)
        return found | held
