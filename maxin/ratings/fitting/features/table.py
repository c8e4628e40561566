"""Features of players: numbers and categories, one row per player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import InvalidInput, check_name
from maxin.ratings.base import MOST_EXACT, Array

Kind = Literal["number", "smooth", "linear", "category"]
KINDS = ("number", "smooth", "linear", "category")
MOST_FEATURES = 10_000
LARGEST = 1e100  # of a number: squares of larger ones overflow


@dataclass(frozen=True)
class FeatureColumn:
    """One feature: a number or a text per player, and how it is compared."""

    name: str
    values: tuple[float, ...] | tuple[str, ...]
    kind: Kind


class Features:
    """Features of players, from which their ratings are predicted before they play.

    A feature is a column: numbers, which are standardised, or texts, which are categories. Numbers
    may act smoothly or linearly on the ratings; both are tried unless `kinds` names one.

    Args:
        columns: one value per player for every feature, by its name; or an array with a row per
            player, whose columns are named "1", "2" and so on.
        kinds: for some features "smooth", "linear" or "category", by name.

    >>> table = Features({"step": [100, 200, 400], "family": ["a", "a", "b"]})
    >>> [(column.name, column.kind) for column in table.columns]
    [('step', 'number'), ('family', 'category')]
    >>> Features(np.zeros((3, 2))).n_players
    3
    """

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any]] | ArrayLike,
        *,
        kinds: Mapping[str, Kind] | None = None,
    ) -> None:
        named = columns if isinstance(columns, Mapping) else _numbered(columns)
        if not 1 <= len(named) <= MOST_FEATURES:
            raise InvalidInput(f"features need 1 to {MOST_FEATURES:,} columns; got {len(named):,}")
        for name, kind in (kinds or {}).items():
            check_name(name, named, "feature")
            check_name(kind, KINDS, "kind of feature")
        self.columns = tuple(
            _column(name, list(values), (kinds or {}).get(name)) for name, values in named.items()
        )
        lengths = {len(column.values) for column in self.columns}
        if len(lengths) > 1:
            raise InvalidInput(
                f"every feature needs one value per player; got columns of {sorted(lengths)} values"
            )
        self.n_players = lengths.pop()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Features) and self.columns == other.columns

    def __hash__(self) -> int:
        return hash(self.columns)

    def __repr__(self) -> str:
        return f"<Features of {self.n_players} players: {', '.join(self.names)}>"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def names_of(self, *kinds: Kind) -> tuple[str, ...]:
        """The names of the columns of these kinds."""
        return tuple(column.name for column in self.columns if column.kind in kinds)

    def of(self, players: Sequence[int]) -> Features:
        """The features of some players.

        >>> Features({"step": [100, 200, 400]}).of([2, 0]).columns[0].values
        (400.0, 100.0)
        """
        kinds = {column.name: column.kind for column in self.columns}
        columns = {
            column.name: [column.values[player] for player in players] for column in self.columns
        }
        return Features(columns, kinds=kinds)

    def followed_by(self, others: Features) -> Features:
        """The features of these players and then of others, which have the same columns."""
        if others.names != self.names:
            raise InvalidInput(
                f"players who join need the features {', '.join(self.names)}; got "
                f"{', '.join(others.names)}"
            )
        kinds = {column.name: column.kind for column in self.columns}
        pairs = zip(self.columns, others.columns, strict=True)
        return Features({one.name: one.values + two.values for one, two in pairs}, kinds=kinds)

    def numbers(self, *kinds: Kind) -> Array:
        """The columns of numbers of these kinds, as an array with a row per player."""
        found = [column.values for column in self.columns if column.kind in kinds]
        return np.array(found, dtype=np.float64).reshape(len(found), self.n_players).T

    def codes(self) -> NDArray[np.int64]:
        """The categories as whole numbers, an array with a row per player."""
        found = [column.values for column in self.columns if column.kind == "category"]
        codes = [np.unique(np.array(values), return_inverse=True)[1] for values in found]
        return np.array(codes, dtype=np.int64).reshape(len(found), self.n_players).T


def check_features(given: Features | ArrayLike, n_players: int) -> Features:
    """The features of this many players, or an error."""
    features = given if isinstance(given, Features) else Features(given)
    if features.n_players != n_players:
        raise InvalidInput(
            f"{n_players} players need as many rows of features; got {features.n_players}"
        )
    if n_players > MOST_EXACT:
        raise InvalidInput(
            f"features are for at most {MOST_EXACT:,} players, because their prior relates all "
            f"pairs; got {n_players:,}"
        )
    return features


def _numbered(given: ArrayLike) -> dict[str, Any]:
    """The columns of an array, named by their numbers."""
    array = np.asarray(given)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise InvalidInput(f"features must have a row per player; got the shape {array.shape}")
    return {str(place + 1): array[:, place].tolist() for place in range(array.shape[1])}


def _column(name: str, values: list[Any], kind: Kind | None) -> FeatureColumn:
    """The checked column: texts are categories, numbers are numbers."""
    if not values:
        raise InvalidInput(f"feature {name!r} needs one value per player; got none")
    is_text = any(isinstance(value, str) for value in values)
    if kind == "category" or (kind is None and is_text):
        return FeatureColumn(name, tuple(str(value) for value in values), "category")
    return FeatureColumn(name, tuple(_number(value, name) for value in values), kind or "number")


def _number(value: Any, name: str) -> float:
    """A finite number, or an error."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, str) or not abs(number) <= LARGEST:
        raise InvalidInput(f"feature {name!r} must be a finite number; got {value!r}")
    return number
