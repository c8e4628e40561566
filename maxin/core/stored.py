"""Stored state as data: named arrays of numbers, checked one by one as they are read.

A class that can be stored has `stored`, which returns its state as arrays, and `restore`, which
reads them into an object that was built as usual. So stored data can name no class and no
function; it can only fill in numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core.values import Match

Arrays = dict[str, NDArray[Any]]
Shape = tuple[int | None, ...]  # None: any length
MOST = 2**53  # whole numbers up to here are exact as floats
LARGEST = 1e12  # of other numbers: what is computed from larger ones may overflow


class Unusable(ValueError):
    """Stored data does not fit; whoever reads it has to do without."""


@runtime_checkable
class Storable(Protocol):
    """Can be stored as arrays and restored from them."""

    def stored(self) -> Arrays:
        """The state, by name."""
        ...

    def restore(self, stored: StoredArrays) -> None:
        """Take over a state, or raise `Unusable` if it does not fit."""
        ...


class StoredArrays:
    """Arrays by name; every one that is read is checked.

    >>> stored = StoredArrays({"ratings": floats([0.5, -0.5]), "n_told": whole(3)})
    >>> stored.floats("ratings", (2,)), stored.whole("n_told")
    (array([ 0.5, -0.5]), 3)
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], prefix: str = "") -> None:
        self._arrays, self._prefix = arrays, prefix
        self.used: set[str] = set()

    def part(self, name: str) -> StoredArrays:
        """The arrays of a part of the whole."""
        inner = StoredArrays(self._arrays, f"{self._prefix}{name}.")
        inner.used = self.used
        return inner

    def floats(
        self, name: str, shape: Shape, low: float = -LARGEST, high: float = LARGEST
    ) -> NDArray[np.float64]:
        """A copy of numbers from `low` to `high`."""
        array: NDArray[np.float64] = self._checked(name, np.float64, shape, low, high)
        return array

    def wholes(self, name: str, shape: Shape, low: int = 0, high: int = MOST) -> NDArray[np.int64]:
        """A copy of whole numbers from `low` to `high`."""
        array: NDArray[np.int64] = self._checked(name, np.int64, shape, low, high)
        return array

    def whole(self, name: str, low: int = 0, high: int = MOST) -> int:
        """One whole number from `low` to `high`."""
        return int(self.wholes(name, (), low, high))

    def matches(self, name: str, n_players: int) -> list[Match]:
        """A list of matches between these players."""
        rows = self.wholes(name, (None, 2), 0, n_players - 1)
        return [Match(first, second) for first, second in rows.tolist()]

    def has(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return self._prefix + name in self._arrays

    def check_all_used(self) -> None:
        """Raise if there is anything that nobody read."""
        if unknown := sorted(set(self._arrays) - self.used):
            raise Unusable(f"nothing is known of {unknown[0]!r}")

    def _checked(self, name: str, dtype: type, shape: Shape, low: float, high: float) -> Any:
        full = self._prefix + name
        array = self._arrays.get(full)
        if array is None or array.dtype != dtype:
            raise Unusable(f"{full!r} is missing, or of another type")
        is_alike = len(shape) == array.ndim and all(
            wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
        )
        if not is_alike:
            raise Unusable(f"{full!r} must have the shape {shape}; got {array.shape}")
        if not ((array >= low) & (array <= high)).all():  # NaN is neither
            raise Unusable(f"{full!r} must hold numbers from {low} to {high}")
        self.used.add(full)
        return array.copy()


def floats(values: ArrayLike) -> NDArray[np.float64]:
    """Numbers as they are stored.

    >>> floats([1, 2])
    array([1., 2.])
    """
    return np.array(values, dtype=np.float64, order="C")


def wholes(values: ArrayLike) -> NDArray[np.int64]:
    """Whole numbers as they are stored.

    >>> wholes([1, 2])
    array([1, 2])
    """
    return np.array(values, dtype=np.int64, order="C")


def whole(value: int) -> NDArray[np.int64]:
    """One whole number as it is stored.

    >>> whole(3)
    array(3)
    """
    return wholes(value)


def rows(values: Iterable[Iterable[int]], width: int) -> NDArray[np.int64]:
    """Rows of whole numbers as they are stored, `width` each, also if there are none.

    >>> rows([Match(0, 1)], 2), rows([], 2).shape
    (array([[0, 1]]), (0, 2))
    """
    return wholes([list(row) for row in values]).reshape(-1, width)


def part(name: str, arrays: Arrays) -> Arrays:
    """The arrays of a part, under its name.

    >>> part("tally", {"games": whole(1)})
    {'tally.games': array(1)}
    """
    return {f"{name}.{key}": array for key, array in arrays.items()}
