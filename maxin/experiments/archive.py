"""Stored outcomes of tasks: Parquet files that are added, never changed."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic

import numpy as np

from maxin.core import InvalidInput, MissingExtra
from maxin.core.files import whole_binary_file
from maxin.experiments.tasks import OutcomeT, Task


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
        self._parquet = _parquet()
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, outcomes: Mapping[Task[OutcomeT], OutcomeT]) -> None:
        """Write outcomes to disk."""
        import pyarrow

        rows = [
            {"key": task.key, "run": json.dumps(task.description()), **outcome._asdict()}
            for task, outcome in outcomes.items()
        ]
        table = pyarrow.Table.from_pylist(rows)
        with whole_binary_file(self.folder / f"{uuid.uuid4().hex}.parquet") as file:
            self._parquet.write_table(table, file, compression="zstd")

    def outcomes(self, tasks: Iterable[Task[OutcomeT]]) -> dict[Task[OutcomeT], OutcomeT]:
        """The stored outcomes of `tasks`."""
        wanted = {task.key: task for task in tasks}
        found: dict[Task[OutcomeT], OutcomeT] = {}
        for path in sorted(self.folder.glob("*.parquet")):
            for row in self._rows(path, wanted):
                task = wanted[row.pop("key")]
                del row["run"]
                cells = {name: _value(cell) for name, cell in row.items()}
                found[task] = self.outcome_type(**cells)
        return found

    def _rows(self, path: Path, wanted: Mapping[str, Task[OutcomeT]]) -> list[dict[str, Any]]:
        """The rows of one file whose keys are wanted."""
        try:
            table = self._parquet.read_table(path)
            keys = table.column("key").to_pylist()
        except (OSError, ValueError, KeyError) as error:
            raise InvalidInput(
                f"{str(path)!r} is not a complete Parquet file of runs; remove it, and its runs "
                f"are done again"
            ) from error
        mask = [key in wanted for key in keys]
        rows: list[dict[str, Any]] = table.filter(mask).to_pylist()
        return rows


def _value(cell: Any) -> Any:
    return np.array(cell, dtype=np.float32) if isinstance(cell, list) else cell


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(
            "stored experiments need pyarrow, which the extra 'paper' installs: "
            "pip install 'maxin[paper]'"
        ) from None
    return pyarrow.parquet
