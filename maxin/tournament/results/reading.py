"""Results from a file, a data frame or a list, read one by one."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypedDict, cast

from maxin.core import InvalidInput
from maxin.core.text import unguarded
from maxin.storage import PlayedMatch
from maxin.tournament.results.columns import (
    THREE,
    Layout,
    check_roles,
    format_of,
    layout_of,
    score_of,
)
from maxin.tournament.results.frames import columns_of, is_frame, parquet_columns, rows_of
from maxin.tournament.results.pgn import read_pgn
from maxin.tournament.results.problems import InvalidRow, MisreadResults, RowProblems

ENDINGS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "parquet": (".parquet", ".pq"),
    "pgn": (".pgn",),
}
DELIMITERS = (",", ";", "\t", "|")  # of CSV; the first one that fits is used
TAB = ("tab", r"\t")  # how one is written on a command line

Roles = Mapping[str, str | None]
Row = tuple[int, Layout, Sequence[Any]]  # its line, its layout, its values


class ReadingTerms(TypedDict, total=False):
    """How results are read; see `read_results`."""

    format: str | None
    columns: Roles | None
    delimiter: str | None
    skip_invalid: bool


class Results:
    """Results of a file, a data frame or a list; every iteration begins with the first one.

    An iteration raises after the last row, if any row was invalid, unless those are left out.

    Attributes:
        path: the file; None if they are in memory.
        format: of the file.
        n_skipped: the unfinished games, result `*`, of the last iteration.
        problems: of the rows of the last iteration.
        has_seats: whether the rows said who sat first; those with a winner and a loser do not.
    """

    def __init__(
        self,
        rows: Callable[[], Iterator[Row | InvalidRow]],
        name: str,
        *,
        unit: str = "line",
        path: Path | None = None,
        format: str = "",
        skip_invalid: bool = False,
    ) -> None:
        self._rows, self._name, self._unit = rows, name, unit
        self.path, self.format, self._skip_invalid = path, format, skip_invalid
        self.n_skipped, self.has_seats = 0, True
        self.problems = RowProblems(name, unit)

    def __str__(self) -> str:
        return self._name

    def __iter__(self) -> Iterator[PlayedMatch[str]]:
        self.n_skipped, self.has_seats = 0, True
        problems = self.problems = RowProblems(self._name, self._unit)
        for row in self._rows():
            if isinstance(row, InvalidRow):
                problems.add(row.line, row)
                continue
            line, layout, values = row
            try:
                match = layout.read(values, line)
                if layout.id is not None:
                    problems.check_id(values[layout.id], line)
            except MisreadResults as error:
                raise InvalidInput(f"{self._name}, {self._unit} {line}: {error}") from None
            except InvalidInput as error:
                problems.add(line, error)
                continue
            if match is None:
                self.n_skipped += 1
                continue
            self.has_seats = self.has_seats and layout.outcome is not None
            problems.check_name(match.first, line)
            problems.check_name(match.second, line)
            yield match
        if not self._skip_invalid:
            problems.refuse()


def read_results(
    results: Any,
    format: str | None = None,
    *,
    columns: Roles | None = None,
    delimiter: str | None = None,
    skip_invalid: bool = False,
) -> Results:
    r"""Read results one by one; of files, only JSON is held in memory as a whole.

    Args:
        results: a file, a data frame (pandas, polars, pyarrow, or another one with the Arrow
            PyCapsule protocol), a list of dictionaries or of (first, second, score), or what this
            function has returned. Columns and keys are known by names, e.g. first, second, score;
            white, black, result; model_a, model_b, winner; winner, loser; chosen, rejected. A CSV
            file may also have just three columns without names. JSON is a list of objects with
            such keys, or of [name, name, score]; JSON lines have one of these per line. Of PGN the
            tags White, Black and Result are read. In CSV, an apostrophe before =, +, -, @, a tab
            or a carriage return is removed: `written` adds it. Each file but Parquet may be
            compressed: league.csv.gz. What `written` writes is read as a whole; other columns are
            data of the result, except for cells of more than 1,000 characters.
        format: "csv", "tsv", "json", "jsonl", "parquet" or "pgn"; by default the file's ending
            decides.
        columns: the names of columns that have other names: {"first": "champion", "second":
            "challenger", "winner": "preference"}. The roles are first, second, score, winner,
            loser, draw, id, judge and time. A column named "id" must not repeat a value, unless
            {"id": None} says that it names something else.
        delimiter: what separates the cells of CSV; by default whichever of comma, semicolon, tab
            and | makes known columns of the first row.
        skip_invalid: leave out rows that cannot be read, have no result, repeat an id, or have a
            player meet itself. By default these are an error, which lists the first ten.

    Raises:
        InvalidInput: for a file or a value that cannot be read, also while iterating; the message
            names the file, the line, the value and the rule.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "league.csv")
    ...     _ = path.write_text("white,black,result\nanna,bo,1-0\n")
    ...     [match] = read_results(path)
    >>> match.first, match.second, match.score, match.line
    ('anna', 'bo', 1.0, 2)
    >>> [match] = read_results([{"model_a": "x", "model_b": "y", "winner": "tie", "turn": 3}])
    >>> match.score, match.data
    (0.5, {'turn': 3})
    """
    roles = check_roles(columns)
    if isinstance(results, Results):
        if format or roles or delimiter or skip_invalid:
            raise InvalidInput("these results are being read already; say there how to read them")
        return results
    if isinstance(results, str | Path):
        return _file(Path(results), format, roles, delimiter, skip_invalid)
    if format is not None or delimiter is not None:
        raise InvalidInput("a format and a delimiter are those of a file; got results in memory")
    if is_frame(results):
        table = partial(_table_rows, [columns_of(results)], roles)
        return Results(table, "the data frame", unit="row", skip_invalid=skip_invalid)
    if isinstance(results, bytes | Mapping) or not isinstance(results, Iterable):
        raise InvalidInput(
            "results must be a file, a data frame, or a list of dictionaries or of "
            f"(first, second, score); got {results!r:.80}"
        )
    rows = partial(_object_rows, list(results), roles)
    return Results(rows, "the results", skip_invalid=skip_invalid)


def _file(
    path: Path, format: str | None, roles: Roles, delimiter: str | None, skip_invalid: bool
) -> Results:
    named = path.with_suffix("") if is_compressed(path) else path
    known = format_of(named, format, ENDINGS)
    if not path.is_file():
        raise InvalidInput(f"no file {str(path)!r}")
    if delimiter is not None and known != "csv":
        raise InvalidInput(f"a delimiter is that of CSV; {str(path)!r} is read as {known}")
    if roles and known == "pgn":
        raise InvalidInput("PGN has tags and no columns, so no column can be named")
    return Results(
        partial(_file_rows, path, known, roles, _delimiter(delimiter)),
        repr(str(path)),
        unit={"json": "item", "parquet": "row"}.get(known, "line"),
        path=path,
        format=known,
        skip_invalid=skip_invalid,
    )


def _delimiter(given: str | None) -> str | None:
    """A tab may be written as such a word, because a command line hardly holds one."""
    found = "\t" if given in TAB else given
    if found is not None and (len(found) != 1 or found in '"\r\n'):
        raise InvalidInput(f"a delimiter must be one character, or tab; got {given!r}")
    return found


def _file_rows(
    path: Path, format: str, roles: Roles, delimiter: str | None
) -> Iterator[Row | InvalidRow]:
    if format == "parquet":
        yield from _table_rows(parquet_columns(path), roles)
        return
    try:
        with _text(path, format) as file:
            yield from _readers(roles, delimiter)[format](file, repr(str(path)))
    except UnicodeDecodeError:
        raise _not_text(path) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InvalidInput(f"{str(path)!r} is not a complete gzip file: {error}") from None
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}") from error


def _text(path: Path, format: str) -> TextIO:
    """Old PGN files are Latin-1, which their reader handles; everything else is UTF-8."""
    errors = "surrogateescape" if format == "pgn" else "strict"
    return io.TextIOWrapper(_bytes(path), encoding="utf-8-sig", newline="", errors=errors)


def _bytes(path: Path) -> BinaryIO:
    """The content; a compressed file is unpacked as it is read."""
    if is_compressed(path):
        return cast(BinaryIO, gzip.open(path))
    return path.open("rb")


def _not_text(path: Path) -> InvalidInput:
    """An error that names the line and the byte that are not UTF-8."""
    with _bytes(path) as file:
        for line, raw in enumerate(file, start=1):
            try:
                raw.decode("utf-8")
            except UnicodeDecodeError as error:
                return InvalidInput(
                    f"{str(path)!r}, line {line}: a file of results must be UTF-8 text; "
                    f"got the byte {raw[error.start]:#04x}"
                )
    return InvalidInput(f"{str(path)!r}: a file of results must be UTF-8 text")


def is_compressed(path: Path) -> bool:
    """Whether the name of a file says that it is compressed with gzip."""
    return path.suffix.lower() == ".gz"


def _table_rows(tables: Iterable[Mapping[str, list[Any]]], roles: Roles) -> Iterator[Row]:
    """The rows of a table in parts, each a few columns."""
    line = 0
    for table in tables:
        layout = layout_of(tuple(table), roles)
        for values in rows_of(table):
            line += 1
            yield line, layout, values


def _read_csv(
    file: TextIO, name: str, roles: Roles, delimiter: str | None
) -> Iterator[Row | InvalidRow]:
    csv.field_size_limit(2**31 - 1)  # a file of conversations has cells of any length
    blank: list[str] = []
    first = ""
    for first in file:
        if first.strip():
            break
        blank.append(first)
    separator = delimiter or _sniffed(first, roles)
    lines = chain(blank, [first], file)
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    layout: Layout | None = None
    width = 0
    try:
        for cells in reader:
            if not any(cells):
                continue
            if layout is None:
                width = len(cells)
                layout, is_header = _csv_layout(cells, roles)
                if is_header:
                    continue
            if len(cells) != width:
                yield InvalidRow.at(
                    reader.line_num,
                    f"every row must have {width} cells, as the first has; got {len(cells)}",
                )
                continue
            if "'" in "".join(cells):
                cells = [unguarded(cell) for cell in cells]
            yield reader.line_num, layout, cells
    except (csv.Error, InvalidInput) as error:
        raise InvalidInput(f"{name}, line {reader.line_num}: {error}") from None


def _sniffed(first: str, roles: Roles) -> str:
    """What separates the cells of the first row: what makes known columns of them."""
    for delimiter in DELIMITERS:
        try:
            (cells,) = csv.reader([first], delimiter=delimiter, skipinitialspace=True, strict=True)
            _csv_layout(cells, roles)
        except (csv.Error, InvalidInput, ValueError):
            continue
        return delimiter
    return ","


def _csv_layout(cells: list[str], roles: Roles) -> tuple[Layout, bool]:
    """The layout of the first row, and whether that row is a header."""
    try:
        return layout_of(cells, roles), True
    except InvalidInput:
        if roles or len(cells) != 3 or not _is_score(cells[2]):
            raise
        return THREE, False


def _is_score(text: str) -> bool:
    try:
        score_of(text)
    except InvalidInput:
        return False
    return True


def _read_jsonl(file: TextIO, name: str, roles: Roles) -> Iterator[Row | InvalidRow]:
    layouts: Layouts = {}
    for line, text in enumerate(file, start=1):
        if text.strip():
            try:
                value = _loads(text.rstrip())
            except json.JSONDecodeError as error:
                yield InvalidRow.at(line, f"not JSON: {error.msg}, at column {error.colno}")
            except RecursionError as error:
                yield InvalidRow.at(line, str(error))
            else:
                yield _object_row(value, line, layouts, roles)


def _read_json(file: TextIO, name: str, roles: Roles) -> Iterator[Row | InvalidRow]:
    try:
        whole = _loads(file.read())
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{name}: not JSON: {error}") from None
    except RecursionError as error:
        raise InvalidInput(f"{name}: {error}") from None
    if not isinstance(whole, list):
        raise InvalidInput(
            f"{name}: JSON must be a list of results; this begins with {json.dumps(whole)[:20]!r}"
        )
    yield from _object_rows(whole, roles)


Layouts = dict[tuple[str, ...], Layout]  # by the keys of objects


def _object_rows(values: Iterable[Any], roles: Roles) -> Iterator[Row | InvalidRow]:
    layouts: Layouts = {}
    for line, value in enumerate(values, start=1):
        yield _object_row(value, line, layouts, roles)


def _object_row(value: Any, line: int, layouts: Layouts, roles: Roles) -> Row | InvalidRow:
    if isinstance(value, Mapping):
        keys = tuple(map(str, value))
        try:
            layout = layouts.get(keys) or layouts.setdefault(keys, layout_of(keys, roles))
        except InvalidInput as error:
            return InvalidRow.at(line, str(error))
        return line, layout, list(value.values())
    if isinstance(value, list | tuple) and len(value) == 3:
        return line, THREE, value
    return InvalidRow.at(
        line, f"a result must be an object or [name, name, score]; got {_shown(value)}"
    )


def _shown(value: Any) -> str:
    """The beginning of a value, as JSON if it can be."""
    try:
        return json.dumps(value)[:80]
    except (TypeError, ValueError, RecursionError):
        return f"{value!r:.80}"


def _loads(text: str) -> Any:
    """JSON, also as Python writes it: NaN is not a number."""
    return json.loads(text, parse_constant=lambda _: None)


def _readers(
    roles: Roles, delimiter: str | None
) -> dict[str, Callable[[TextIO, str], Iterator[Row | InvalidRow]]]:
    return {
        "csv": partial(_read_csv, roles=roles, delimiter=delimiter),
        "tsv": partial(_read_csv, roles=roles, delimiter="\t"),
        "json": partial(_read_json, roles=roles),
        "jsonl": partial(_read_jsonl, roles=roles),
        "pgn": read_pgn,
    }
