"""Data frames and Parquet files as columns of Python values."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from maxin.core import InvalidInput, MissingExtra
from maxin.tournament.results.columns import plain

BATCH = 10_000  # rows of a Parquet file that are in memory at once
INDEX = "__index_level_"  # how Arrow calls the unnamed index of pandas
Columns = dict[str, list[Any]]


def is_frame(value: Any) -> bool:
    """Whether a value is a data frame, of whatever library."""
    has_columns = hasattr(value, "columns") and hasattr(value, "__getitem__")
    return hasattr(value, "__arrow_c_stream__") or (has_columns and hasattr(value, "shape"))


def columns_of(frame: Any) -> Columns:
    """The columns of a data frame.

    Those of pandas and polars give lists themselves, also of values of mixed types. All others are
    read by the Arrow PyCapsule protocol, which needs pyarrow.

    >>> import pandas
    >>> columns_of(pandas.DataFrame({"first": ["anna"], "score": [0.5]}))
    {'first': ['anna'], 'score': [0.5]}
    """
    try:
        columns = [frame[name] for name in frame.columns]
        found = {
            str(name): [plain(value) for value in column.to_list()]
            for name, column in zip(frame.columns, columns, strict=True)
        }
    except (AttributeError, KeyError, TypeError):
        pass
    else:
        return found
    if not hasattr(frame, "__arrow_c_stream__"):
        raise InvalidInput(
            f"the columns of a {type(frame).__name__} cannot be read: each must have a name of its "
            "own, and its values in memory"
        )
    pyarrow = _pyarrow("pyarrow")
    try:
        return _lists(pyarrow.table(frame))
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise InvalidInput(f"a {type(frame).__name__} cannot be read: {error}") from None


def parquet_columns(path: Path) -> Iterator[Columns]:
    """The columns of a Parquet file, some thousand rows at a time."""
    pyarrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            n_batches = 0
            for batch in file.iter_batches(batch_size=BATCH):
                n_batches += 1
                yield _lists(batch)
            if not n_batches:
                yield _lists(file.schema_arrow.empty_table())
    except pyarrow.ArrowException as error:
        raise InvalidInput(f"{str(path)!r} is not a Parquet file: {error}") from None


def rows_of(columns: Mapping[str, list[Any]]) -> Iterator[tuple[Any, ...]]:
    """The rows of columns of the same length.

    >>> list(rows_of({"first": ["anna", "bo"], "score": [1, 0]}))
    [('anna', 1), ('bo', 0)]
    """
    return zip(*columns.values(), strict=True)


def _lists(table: Any) -> Columns:
    """The columns of a table of Arrow."""
    if len(set(table.schema.names)) < len(table.schema.names):
        raise InvalidInput("every column of a data frame must have a name of its own")
    names = [name for name in table.schema.names if not name.startswith(INDEX)]
    return {name: [plain(value) for value in table.column(name).to_pylist()] for name in names}


def _pyarrow(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra(
            "Parquet files, and data frames other than those of pandas and polars, need pyarrow, "
            "which the extra 'parquet' installs: pip install 'maxin[parquet]'"
        ) from None
