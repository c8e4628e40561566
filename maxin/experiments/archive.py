"""Where outcomes are kept: Parquet files that only grow in number, so that nothing is lost."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from maxin.core import InvalidInput, MissingExtra
from maxin.experiments.runs import Outcome, Run

CURVES = ("regret", "reciprocal_rank", "hit_ratio", "ndcg")


class Archive:
    """Outcomes by the key of their run, in a folder.

    A batch of outcomes is one file, written beside its place and then renamed: a reader, or the
    next call after a kill, sees whole files only.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parquet = _parquet()
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, outcomes: Mapping[Run, Outcome]) -> None:
        """Put outcomes on disk."""
        import pyarrow

        rows = [
            {"key": run.key, "run": json.dumps(asdict(run)), **outcome._asdict()}
            for run, outcome in outcomes.items()
        ]
        path = self.folder / f"{uuid.uuid4().hex}.parquet"
        half_done = path.with_suffix(".part")
        table = pyarrow.Table.from_pylist(rows)
        self._parquet.write_table(table, half_done, compression="zstd")
        os.replace(half_done, path)

    def outcomes(self, runs: Iterable[Run]) -> dict[Run, Outcome]:
        """What is known of `runs`."""
        wanted = {run.key: run for run in runs}
        found: dict[Run, Outcome] = {}
        for path in sorted(self.folder.glob("*.parquet")):
            for row in self._rows(path, wanted):
                found[wanted[row["key"]]] = _outcome(row)
        return found

    def _rows(self, path: Path, wanted: Mapping[str, Run]) -> list[dict[str, Any]]:
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


def _outcome(row: Mapping[str, Any]) -> Outcome:
    curves = {name: np.array(row[name], dtype=np.float32) for name in CURVES}
    return Outcome(**curves, seconds=float(row["seconds"]))


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(
            "stored experiments need pyarrow, which the extra 'paper' brings: "
            "pip install 'maxin[paper]'"
        ) from None
    return pyarrow.parquet
