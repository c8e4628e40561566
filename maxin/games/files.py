"""Games from files: any .npy or .csv table of payoffs or of win probabilities."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import InvalidInput
from maxin.core.checks import check_player_name
from maxin.games.base import Game
from maxin.games.payoffs import payoffs_in

DELIMITERS = (";", "\t", "|", ",")  # those before the comma leave it to decimals
EMPTY = ("", "-")  # cells of a player against itself

Named = tuple[ArrayLike, list[str] | None]  # a table, and the names of its players


def load_game(path: str | Path, average_seats: bool = False, *, entries: str | None = None) -> Game:
    r"""Load a game from a .npy or .csv file of payoffs; its name is the file's stem.

    Args:
        path: A NumPy array, or lines of numbers separated by commas, semicolons or tabs, with the
            players' names in the first row, the first column, both or neither.
        average_seats: Use (M - M') / 2, for a table whose two seats are not equally good.
        entries: "payoffs", from -1 to 1, or "probabilities" of a win, from 0 to 1; by default what
            the table shows. A table that may be either is refused.

    Raises:
        InvalidInput: If the file does not exist, cannot be read, or breaks a rule of `Game`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "coin.csv")
    ...     _ = path.write_text("0, 0.6\n-0.6, 0")
    ...     load_game(path).payoffs[0, 1]
    np.float64(0.6)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "chances.csv")
    ...     _ = path.write_text(",anna,bo\nanna,,0.8\nbo,0.2,")
    ...     chances = load_game(path)
    >>> chances.payoffs[0, 1], chances.names
    (np.float64(0.6), ('anna', 'bo'))
    """
    path = Path(path)
    readers = {".npy": _read_npy, ".csv": _read_csv}
    if path.suffix.lower() not in readers:
        raise InvalidInput(f"a game's file must end with .npy or .csv; got {str(path)!r}")
    if not path.is_file():
        raise InvalidInput(f"there is no file {str(path)!r}")
    try:
        table, names = readers[path.suffix.lower()](path)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error}") from error
    name = path.stem
    payoffs = payoffs_in(table, f"game {name!r}", entries, average_seats=average_seats)
    return Game(name, payoffs, names)


def _read_npy(path: Path) -> Named:
    """The array in a .npy file; pickled objects are refused."""
    with path.open("rb") as file:
        start = file.read(128)
        _refuse_pickle(path, start)
        file.seek(0)
        try:
            return np.lib.format.read_array(file, allow_pickle=False), None
        except Exception as error:  # a damaged header is parsed as Python, and may fail in any way
            raise InvalidInput(f"{str(path)!r} is not a valid .npy file: {error}") from error


def _refuse_pickle(path: Path, start: bytes) -> None:
    """Raise if the file starts like a pickle, or like an array of pickled objects."""
    if start.startswith(b"\x80") or b"'descr': '|O'" in start:
        raise InvalidInput(
            f"{str(path)!r} has pickled objects; pickles are never loaded, because they run code"
        )


def _read_csv(path: Path) -> Named:
    """Rows of numbers, without blank lines, and the names of the players, if it has any."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{str(path)!r} is not a text file: {error}") from error
    first = next((line for line in lines if line.strip()), "")
    delimiter = next((mark for mark in DELIMITERS if mark in first), ",")
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    rows = [
        NumberedLine(reader.line_num, [cell.strip() for cell in cells])
        for cells in reader
        if any(cell.strip() for cell in cells)
    ]
    if not rows:
        raise InvalidInput(f"{str(path)!r} is empty; it must contain a table of payoffs")
    width = len(rows[0].cells)
    for row in rows:
        if len(row.cells) not in (width, width + 1):
            raise InvalidInput(
                f"{str(path)!r}, line {row.number}: rows must have the same length; the first has "
                f"{width} cells and this one has {len(row.cells)}"
            )
    return _numbers(rows, str(path))


class NumberedLine(NamedTuple):
    """A line of a file, by its number, and its cells."""

    number: int
    cells: list[str]


def _numbers(rows: list[NumberedLine], path: str) -> Named:
    """The numbers and the names of the players, in the first row, the first column or both."""
    above, beside = _has_names(rows)
    names = rows[0].cells if above else [row.cells[0] for row in rows]
    if above and beside:
        names = rows[0].cells[len(rows[0].cells) == len(rows[1].cells) :]
        for name, row in zip(names, rows[1:], strict=False):
            if name != row.cells[0]:
                raise InvalidInput(
                    f"{path!r}, line {row.number}: the names in the first row and in the first "
                    f"column must be the same, in the same order; this line is {row.cells[0]!r}, "
                    f"and the column is {name!r}"
                )
    table: list[list[float]] = []
    for row in rows[above:]:
        table.append(
            [
                _number(
                    cell, f"{path!r}, line {row.number}, column {n}", len(table) == n - 1 - beside
                )
                for n, cell in enumerate(row.cells, 1)
                if n > beside
            ]
        )
        if len(table[-1]) != len(table[0]):
            raise InvalidInput(
                f"{path!r}, line {row.number}: rows must have the same length; the first has "
                f"{len(table[0])} numbers and this one has {len(table[-1])}"
            )
    if not (above or beside):
        return table, None
    if len(set(map(check_player_name, names))) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"{path!r}: every player needs a name of its own; {twice!r} has two")
    return table, names


def _has_names(rows: list[NumberedLine]) -> tuple[bool, bool]:
    """Whether the first row, and the first column, hold names.

    Names are not numbers, except for a row and a column of the same whole numbers, and for a row
    or a column of different whole numbers that is one too many.
    """
    top, side = rows[0].cells[1:], [row.cells[0] for row in rows[1:]]
    above, beside = (not all(map(_is_entry, cells)) for cells in (top, side))
    if above or beside:
        return above, beside
    if top == side:
        return _are_numbered(top), _are_numbered(top)
    row, column = rows[0].cells, [line.cells[0] for line in rows]
    return (
        len(rows) == len(row) + 1 and _are_numbered(row),
        len(row) == len(rows) + 1 and _are_numbered(column),
    )


def _are_numbered(names: list[str]) -> bool:
    """Whether these are different whole numbers, of at least two players."""
    return len(set(names)) == len(names) > 1 and all(name.isdigit() for name in names)


def _is_entry(cell: str) -> bool:
    if cell in EMPTY:
        return True
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True


def _number(cell: str, place: str, is_diagonal: bool) -> float:
    if is_diagonal and cell in EMPTY:
        return math.nan
    try:
        return float(cell.replace(",", "."))
    except ValueError as error:
        raise InvalidInput(f"{place}: a payoff must be a number; got {cell!r}") from error
