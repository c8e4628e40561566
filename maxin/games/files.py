"""Games from files: any .npy or .csv table of payoffs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import InvalidInput
from maxin.games.base import Game
from maxin.games.payoffs import seat_average


def load_game(path: str | Path, average_seats: bool = False) -> Game:
    r"""Load a game from a .npy or .csv file of payoffs; its name is the file's stem.

    Args:
        path: A NumPy array, or lines of numbers separated by commas.
        average_seats: Use (M - M') / 2, for a table whose two seats are not equally good.

    Raises:
        InvalidInput: If the file does not exist, cannot be read, or breaks a rule of `Game`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "coin.csv")
    ...     _ = path.write_text("0, 0.6\n-0.6, 0")
    ...     load_game(path).payoffs[0, 1]
    np.float64(0.6)
    """
    path = Path(path)
    readers = {".npy": _read_npy, ".csv": _read_csv}
    if path.suffix.lower() not in readers:
        raise InvalidInput(f"a game's file must end with .npy or .csv; got {str(path)!r}")
    if not path.is_file():
        raise InvalidInput(f"there is no file {str(path)!r}")
    try:
        payoffs = readers[path.suffix.lower()](path)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error}") from error
    name = path.stem
    return Game(name, seat_average(payoffs, f"game {name!r}") if average_seats else payoffs)


def _read_npy(path: Path) -> ArrayLike:
    """The array in a .npy file; pickled objects are refused."""
    with path.open("rb") as file:
        start = file.read(128)
        _refuse_pickle(path, start)
        file.seek(0)
        try:
            return np.lib.format.read_array(file, allow_pickle=False)
        except Exception as error:  # a damaged header is parsed as Python, and may fail in any way
            raise InvalidInput(f"{str(path)!r} is not a valid .npy file: {error}") from error


def _refuse_pickle(path: Path, start: bytes) -> None:
    """Raise if the file starts like a pickle, or like an array of pickled objects."""
    if start.startswith(b"\x80") or b"'descr': '|O'" in start:
        raise InvalidInput(
            f"{str(path)!r} has pickled objects; pickles are never loaded, because they run code"
        )


def _read_csv(path: Path) -> ArrayLike:
    """Rows of numbers, without blank lines; all rows must be as long as the first."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{str(path)!r} is not a text file: {error}") from error
    rows: list[list[float]] = []
    for n, line in enumerate(lines, 1):
        if line.strip():
            rows.append(_numbers(line, f"{str(path)!r}, line {n}"))
            _check_lengths(rows[0], rows[-1], f"{str(path)!r}, line {n}")
    if not rows:
        raise InvalidInput(f"{str(path)!r} is empty; it must contain a table of payoffs")
    return rows


def _check_lengths(first: list[float], row: list[float], place: str) -> None:
    if len(row) != len(first):
        raise InvalidInput(
            f"{place}: rows must have the same length; the first has {len(first)} numbers and "
            f"this one has {len(row)}"
        )


def _numbers(line: str, place: str) -> list[float]:
    return [_number(cell, f"{place}, column {n}") for n, cell in enumerate(line.split(","), 1)]


def _number(cell: str, place: str) -> float:
    try:
        return float(cell)
    except ValueError as error:
        raise InvalidInput(f"{place}: a payoff must be a number; got {cell.strip()!r}") from error
