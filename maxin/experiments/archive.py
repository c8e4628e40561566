"""Where outcomes are kept: Parquet files that only grow in number, so that nothing is lost."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from maxin.core import InvalidInput, MissingExtra


class Task(Protocol):
    """Describes work as a frozen dataclass; equal tasks give equal outcomes."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def key(self) -> str:
        """A short name for the description."""
        ...

    @property
    def rounds(self) -> int:
        """How many matches it takes at most."""
        ...

    def __hash__(self) -> int: ...


class Record(Protocol):
    """A named tuple of arrays and numbers."""

    def _asdict(self) -> dict[str, Any]: ...


AnyTask = TypeVar("AnyTask", bound=Task)
AnyOutcome = TypeVar("AnyOutcome", bound=Record)


class Archive(Generic[AnyTask, AnyOutcome]):
    """Outcomes by the key of their task, in a folder.

    A batch of outcomes is one file, written beside its place and then renamed: a reader, or the
    next call after a kill, sees whole files only.

    Args:
        folder: made if it is not there.
        kind: what an outcome is; its arrays are kept as float32.
    """

    def __init__(self, folder: Path, kind: Callable[..., AnyOutcome]) -> None:
        self.folder, self.kind = folder, kind
        self._parquet = _parquet()
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, outcomes: Mapping[AnyTask, AnyOutcome]) -> None:
        """Put outcomes on disk."""
        import pyarrow

        rows = [
            {"key": task.key, "run": json.dumps(asdict(task)), **outcome._asdict()}
            for task, outcome in outcomes.items()
        ]
        path = self.folder / f"{uuid.uuid4().hex}.parquet"
        half_done = path.with_suffix(".part")
        table = pyarrow.Table.from_pylist(rows)
        self._parquet.write_table(table, half_done, compression="zstd")
        os.replace(half_done, path)

    def outcomes(self, tasks: Iterable[AnyTask]) -> dict[AnyTask, AnyOutcome]:
        """What is known of `tasks`."""
        wanted = {task.key: task for task in tasks}
        found: dict[AnyTask, AnyOutcome] = {}
        for path in sorted(self.folder.glob("*.parquet")):
            for row in self._rows(path, wanted):
                task = wanted[row.pop("key")]
                del row["run"]
                found[task] = self.kind(**{name: _value(cell) for name, cell in row.items()})
        return found

    def _rows(self, path: Path, wanted: Mapping[str, AnyTask]) -> list[dict[str, Any]]:
        """The rows of one file that are asked for."""
        try:
            table = self._parquet.read_table(path)
            keys = table.column("key").to_pylist()
        except (OSError, ValueError, KeyError) as error:
            raise InvalidInput(
                f"{str(path)!r} is not a whole Parquet file of runs; remove it, and what it held "
                f"is done again"
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
            "stored experiments need pyarrow, which the extra 'paper' brings: "
            "pip install 'maxin[paper]'"
        ) from None
    return pyarrow.parquet
