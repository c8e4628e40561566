"""Results from a file, read one by one."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from maxin.core import InvalidInput
from maxin.core.text import unguarded
from maxin.storage import PlayedMatch
from maxin.tournament.results.columns import THREE, Layout, format_of, layout_of, score_of
from maxin.tournament.results.pgn import read_pgn

ENDINGS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "pgn": (".pgn",),
}


class ResultsFile:
    """The results in a file; every iteration reads the file from its beginning.

    `n_skipped` counts the unfinished games, result `*`, of the last iteration.
    """

    def __init__(self, path: Path, format: str) -> None:
        self.path, self.format = path, format
        self.n_skipped = 0

    def __iter__(self) -> Iterator[PlayedMatch[str]]:
        self.n_skipped = 0
        try:
            with self._text() as file:
                for row in READERS[self.format](file, repr(str(self.path))):
                    if row is None:
                        self.n_skipped += 1
                    else:
                        yield row
        except UnicodeDecodeError:
            raise self._not_text() from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InvalidInput(f"{str(self.path)!r} is not a complete gzip file: {error}") from None
        except OSError as error:
            raise InvalidInput(f"{str(self.path)!r} cannot be read: {error.strerror}") from error

    def _text(self) -> TextIO:
        return io.TextIOWrapper(
            self._bytes(), encoding="utf-8-sig", newline="", errors=_errors(self.format)
        )

    def _bytes(self) -> BinaryIO:
        """The content; a compressed file is unpacked as it is read."""
        if is_compressed(self.path):
            return cast(BinaryIO, gzip.open(self.path))
        return self.path.open("rb")

    def _not_text(self) -> InvalidInput:
        """An error that names the line and the byte that are not UTF-8."""
        with self._bytes() as file:
            for line, raw in enumerate(file, start=1):
                try:
                    raw.decode("utf-8")
                except UnicodeDecodeError as error:
                    return InvalidInput(
                        f"{str(self.path)!r}, line {line}: a file of results must be UTF-8 text; "
                        f"got the byte {raw[error.start]:#04x}"
                    )
        return InvalidInput(f"{str(self.path)!r}: a file of results must be UTF-8 text")


def is_compressed(path: Path) -> bool:
    """Whether the name of a file says that it is compressed with gzip."""
    return path.suffix.lower() == ".gz"


def read_results(path: str | Path, format: str | None = None) -> ResultsFile:
    r"""Read the results in a file, one by one; only JSON is held in memory as a whole.

    Args:
        path: the file. A CSV file names its columns, e.g. first, second, score; white, black,
            result; model_a, model_b, winner; or it has just three: name, name, score. JSON is a
            list of objects with such keys, or of [name, name, score]; JSON lines have one of
            these per line. Of PGN the tags White, Black and Result are read. In CSV, an
            apostrophe before =, +, -, @, a tab or a carriage return is removed: `written` adds it.
            TSV is CSV with tabs. Each may be compressed: league.csv.gz. What `written` writes is
            read as a whole; other columns are data of the result, except for cells of more than
            1,000 characters.
        format: "csv", "tsv", "json", "jsonl" or "pgn"; by default the file's ending decides.

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
    """
    path = Path(path)
    named = path.with_suffix("") if is_compressed(path) else path
    known = format_of(named, format, ENDINGS)
    if not path.is_file():
        raise InvalidInput(f"no file {str(path)!r}")
    return ResultsFile(path, known)


def _errors(format: str) -> str:
    """Old PGN files are Latin-1, which their reader handles; everything else is UTF-8."""
    return "surrogateescape" if format == "pgn" else "strict"


def _read_csv(file: TextIO, name: str, delimiter: str = ",") -> Iterator[PlayedMatch[str] | None]:
    csv.field_size_limit(2**31 - 1)  # a file of conversations has cells of any length
    reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True, strict=True)
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
                raise InvalidInput(
                    f"every row must have {width} cells, as the first has; got {len(cells)}"
                )
            if "'" in "".join(cells):
                cells = [unguarded(cell) for cell in cells]
            yield layout.read(cells, reader.line_num)
    except (csv.Error, InvalidInput) as error:
        raise InvalidInput(f"{name}, line {reader.line_num}: {error}") from None


def _csv_layout(cells: list[str]) -> tuple[Layout, bool]:
    """The layout of the first row, and whether that row is a header."""
    try:
        return layout_of(cells), True
    except InvalidInput:
        if ";" in cells[0]:
            raise InvalidInput(
                "the cells of CSV must be separated by commas; got semicolons: "
                f"{','.join(cells)[:80]!r}"
            ) from None
        if len(cells) != 3 or not _is_score(cells[2]):
            raise
        return THREE, False


def _is_score(text: str) -> bool:
    try:
        score_of(text)
    except InvalidInput:
        return False
    return True


def _read_jsonl(file: TextIO, name: str) -> Iterator[PlayedMatch[str] | None]:
    for line, text in enumerate(file, start=1):
        if text.strip():
            try:
                yield _read_object(_loads(text.rstrip()), line)
            except json.JSONDecodeError as error:
                problem = f"not JSON: {error.msg}, at column {error.colno}"
                raise InvalidInput(f"{name}, line {line}: {problem}") from None
            except (InvalidInput, RecursionError) as error:
                raise InvalidInput(f"{name}, line {line}: {error}") from None


def _read_json(file: TextIO, name: str) -> Iterator[PlayedMatch[str] | None]:
    item = 0
    try:
        whole = _loads(file.read())
        if not isinstance(whole, list):
            raise InvalidInput(
                f"JSON must be a list of results; this begins with {json.dumps(whole)[:20]!r}"
            )
        for item, value in enumerate(whole, start=1):
            yield _read_object(value, item)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{name}: not JSON: {error}") from None
    except (InvalidInput, RecursionError) as error:
        place = f"{name}, item {item}" if item else name
        raise InvalidInput(f"{place}: {error}") from None


def _read_object(value: Any, line: int) -> PlayedMatch[str] | None:
    if isinstance(value, dict):
        return _object_layout(tuple(value)).read(list(value.values()), line)
    if isinstance(value, list) and len(value) == 3:
        return THREE.read(value, line)
    raise InvalidInput(
        f"a result must be an object or [name, name, score]; got {json.dumps(value)[:80]}"
    )


def _loads(text: str) -> Any:
    """JSON, also as Python writes it: NaN is not a number."""
    return json.loads(text, parse_constant=lambda _: None)


_object_layout = lru_cache(maxsize=64)(layout_of)

READERS: dict[str, Callable[[TextIO, str], Iterator[PlayedMatch[str] | None]]] = {
    "csv": _read_csv,
    "tsv": partial(_read_csv, delimiter="\t"),
    "json": _read_json,
    "jsonl": _read_jsonl,
    "pgn": read_pgn,
}
