"""Results that were played elsewhere, read one by one from a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TextIO

from maxin.core import InvalidInput
from maxin.tournament.results.columns import THREE, Layout, Row, format_of, layout_of, score_of
from maxin.tournament.results.pgn import read_pgn

ENDINGS = {"csv": (".csv",), "jsonl": (".jsonl", ".ndjson"), "json": (".json",), "pgn": (".pgn",)}


class Log:
    """The results in a file: every pass over it reads the file from its beginning.

    `n_skipped` counts the unfinished games, result `*`, that the last pass met.
    """

    def __init__(self, path: Path, format: str) -> None:
        self.path, self.format = path, format
        self.n_skipped = 0

    def __iter__(self) -> Iterator[Row]:
        self.n_skipped = 0
        try:
            with self.path.open(
                encoding="utf-8-sig", newline="", errors=_errors(self.format)
            ) as file:
                for row in READERS[self.format](file, repr(str(self.path))):
                    if row is None:
                        self.n_skipped += 1
                    else:
                        yield row
        except UnicodeDecodeError:
            raise self._not_text() from None
        except OSError as error:
            raise InvalidInput(f"{str(self.path)!r} cannot be read: {error.strerror}") from error

    def _not_text(self) -> InvalidInput:
        """Where the file is not what it should be, found by a second look."""
        with self.path.open("rb") as file:
            for line, raw in enumerate(file, start=1):
                try:
                    raw.decode("utf-8")
                except UnicodeDecodeError as error:
                    return InvalidInput(
                        f"{str(self.path)!r}, line {line}: logs are UTF-8 text; "
                        f"got the byte {raw[error.start]:#04x}"
                    )
        return InvalidInput(f"{str(self.path)!r}: logs are UTF-8 text")


def read_log(path: str | Path, format: str | None = None) -> Log:
    r"""The results in a file, to be iterated; nothing is kept in memory, except of JSON.

    Args:
        path: The file. A CSV file names its columns, e.g. first, second, score; white, black,
            result; model_a, model_b, winner; or it has just three, name, name, score. JSON is a
            list of objects with such keys, or of [name, name, score]; JSON lines have one of
            these a line. Of PGN the tags White, Black and Result are read.
        format: "csv", "json", "jsonl" or "pgn"; by default the file's name says it.

    Raises:
        InvalidInput: For a file or a value that cannot be read, while iterating too; the message
            names the file, the line, the value and the rule.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "league.csv")
    ...     _ = path.write_text("white,black,result\nanna,bo,1-0\n")
    ...     list(read_log(path))
    [Row(first='anna', second='bo', score=1.0, line=2)]
    """
    path = Path(path)
    known = format_of(path, format, ENDINGS)
    if not path.is_file():
        raise InvalidInput(f"there is no file {str(path)!r}")
    return Log(path, known)


def _errors(format: str) -> str:
    """PGN was once Latin-1, and its reader copes; everything else is UTF-8."""
    return "surrogateescape" if format == "pgn" else "strict"


def _read_csv(file: TextIO, name: str) -> Iterator[Row | None]:
    csv.field_size_limit(2**31 - 1)  # a log of conversations has cells of any length
    reader = csv.reader(file, skipinitialspace=True, strict=True)
    layout: Layout | None = None
    width = 0
    try:
        for cells in reader:
            if not any(cells):
                continue
            if layout is None:
                width = len(cells)
                layout, is_header = _csv_layout(cells)
                if is_header:
                    continue
            if len(cells) != width:
                raise InvalidInput(f"rows have {width} cells, as the first; got {len(cells)}")
            yield layout.row(cells, reader.line_num)
    except (csv.Error, InvalidInput) as error:
        raise InvalidInput(f"{name}, line {reader.line_num}: {error}") from None


def _csv_layout(cells: list[str]) -> tuple[Layout, bool]:
    """The layout that the first row tells, and whether that row is a header."""
    try:
        return layout_of(cells), True
    except InvalidInput:
        if len(cells) != 3 or not _is_score(cells[2]):
            raise
        return THREE, False


def _is_score(text: str) -> bool:
    try:
        score_of(text)
    except InvalidInput:
        return False
    return True


def _read_jsonl(file: TextIO, name: str) -> Iterator[Row | None]:
    for line, text in enumerate(file, start=1):
        if text.strip():
            try:
                yield _object_row(json.loads(text.rstrip()), line)
            except json.JSONDecodeError as error:
                problem = f"not JSON: {error.msg}, at column {error.colno}"
                raise InvalidInput(f"{name}, line {line}: {problem}") from None
            except (InvalidInput, RecursionError) as error:
                raise InvalidInput(f"{name}, line {line}: {error}") from None


def _read_json(file: TextIO, name: str) -> Iterator[Row | None]:
    """A list, its items taken out one by one: the text is in memory, what it means is not."""
    item = 0
    try:
        for item, value in enumerate(_items(file.read()), start=1):
            yield _object_row(value, item)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{name}: not JSON: {error}") from None
    except (InvalidInput, RecursionError) as error:
        place = f"{name}, item {item}" if item else name
        raise InvalidInput(f"{place}: {error}") from None


def _items(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    end = _after_space(text, 0)
    if not text.startswith("[", end):
        raise InvalidInput(f"a JSON log is a list of results; this begins with {text[:20]!r}")
    end = _after_space(text, end + 1)
    is_over = text.startswith("]", end)
    while not is_over:
        value, end = decoder.raw_decode(text, end)
        yield value
        end = _after_space(text, end)
        is_over = text.startswith("]", end)
        if not is_over:
            if not text.startswith(",", end):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, end)
            end = _after_space(text, end + 1)
    if text[end + 1 :].strip():
        raise json.JSONDecodeError("Extra data", text, end + 1)


def _after_space(text: str, start: int) -> int:
    while start < len(text) and text[start] in " \t\r\n":
        start += 1
    return start


def _object_row(value: Any, line: int) -> Row | None:
    if isinstance(value, dict):
        return _object_layout(tuple(value)).row(list(value.values()), line)
    if isinstance(value, list) and len(value) == 3:
        return THREE.row(value, line)
    raise InvalidInput(
        f"a result is an object or [name, name, score]; got {json.dumps(value)[:80]}"
    )


_object_layout = lru_cache(maxsize=64)(layout_of)

READERS: dict[str, Callable[[TextIO, str], Iterator[Row | None]]] = {
    "csv": _read_csv,
    "json": _read_json,
    "jsonl": _read_jsonl,
    "pgn": read_pgn,
}
