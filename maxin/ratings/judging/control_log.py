"""The covariates of the games of a log, such as the length of an answer."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from maxin.core import InvalidInput
from maxin.core.arrays import Ints
from maxin.core.text import listed
from maxin.core.values import data_of_games
from maxin.ratings.base import Array
from maxin.ratings.judging.votes import Votes

# How the two fields of a covariate end or begin: length_a and length_b, a_length and b_length.
SEATS = (("a", "b"), ("first", "second"), ("1", "2"), ("white", "black"), ("left", "right"))
MOST_CONTROLS = 20  # in one fit
LARGEST = 1e100  # of a value: squares of larger ones overflow
LEAST_WITHIN = 1e-6  # standard deviations by which a covariate must differ from the players' levels
LEAST_SPREAD = 0.05  # of a covariate, as a share of its root mean square; 0 if it is constant
MOST_SHOWN = 12  # names of fields in an error


def check_controls(given: object) -> tuple[str, ...]:
    """The names of covariates, each once, or an error.

    >>> check_controls(["length"])
    ('length',)
    >>> check_controls("length")
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: controls must be a list of names of data fields; got 'length'
    """
    is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    names = tuple(given) if is_list and isinstance(given, Iterable) else (None,)
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise InvalidInput(f"controls must be a list of names of data fields; got {given!r}")
    if len(set(names)) < len(names):
        raise InvalidInput(f"every control may be named only once; got {listed(names)}")
    if len(names) > MOST_CONTROLS:
        raise InvalidInput(f"there may be at most {MOST_CONTROLS} controls; got {len(names)}")
    return tuple(str(name) for name in names)


class ControlLog:
    """Games with their judges and covariates, some bytes per game.

    A covariate is a field of the data of a match. It holds by how much the first player has more
    of it, a list of two values, or it is a pair of fields, one for each player; see `SEATS`.

    Args:
        names: of the covariates.

    >>> log = ControlLog(["length"])
    >>> log.add(0, 1, [1.0], {"length": 120})
    >>> log.add(1, 0, [0.0], {"length_a": "310", "length_b": "350"})
    >>> log.add(0, 1, [1.0], {"length": [50, 10]}, judge="ann", is_swapped=True)
    >>> log.values.T, log.scales
    (array([[120., -40., -40.]]), array([76.594]))
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = check_controls(names)
        self.n_matches = 0
        self._forms = [_forms(name) for name in self.names]
        self._fields: dict[str, None] = {}  # that matches have, for errors
        self._judges: dict[str, int] = {}
        self._match, self._judge = array("q"), array("q")
        self._first, self._second = array("q"), array("q")
        self._scores, self._weights, self._splits = array("d"), array("d"), array("d")
        self._values = array("d")

    def add(
        self,
        first: int,
        second: int,
        games: Sequence[float],
        data: Mapping[str, Any] | None,
        *,
        judge: str | None = None,
        is_swapped: bool = False,
        place: str = "a match",
    ) -> None:
        """Add a match by the scores of its games; every second game has the seats swapped.

        Args:
            first: who sat first.
            second: the other one.
            games: the first player's scores.
            data: the data of the match. A list `games` in it has the data of each game.
            judge: who judged it.
            is_swapped: whether the judge saw the second player first.
            place: of the match, for errors.
        """
        data = data or {}
        if len(self._fields) < MOST_SHOWN:
            self._fields.update(dict.fromkeys(data))
        mean, parts = sum(games) / len(games), data_of_games(data, games)
        number = -1 if judge is None else self._judges.setdefault(judge, len(self._judges))
        whole = self._read(data, place)
        for game, score in enumerate(games):
            values, is_second = whole, game % 2 == 1
            if parts[game]:
                own = self._read(parts[game], place)  # by the seats of this game
                if is_second:
                    own = [-value for value in own]
                pairs = zip(own, whole, strict=True)
                values = [there if math.isnan(here) else here for here, there in pairs]
            is_turned = is_second != is_swapped
            self._match.append(self.n_matches)
            self._judge.append(number)
            self._first.append(second if is_turned else first)
            self._second.append(first if is_turned else second)
            self._scores.append(1.0 - score if is_turned else score)
            self._weights.append(1.0 / len(games))
            self._splits.append(mean * (1.0 - mean) / len(games))
            self._values.extend([-value for value in values] if is_turned else values)
        self.n_matches += 1

    def _read(self, data: Mapping[str, Any], place: str) -> list[float]:
        """The value of each covariate; NaN where there is none."""
        return [
            _difference(data, name, forms, place)
            for name, forms in zip(self.names, self._forms, strict=True)
        ]

    @property
    def values(self) -> Array:
        """By how much who was seen first has more of each covariate; NaN where it is unknown."""
        return np.array(self._values).reshape(len(self._match), len(self.names))

    @property
    def n_missing(self) -> list[int]:
        """How many matches lack each covariate; they count as if both players had as much."""
        weights = np.array(self._weights)
        return [round(float(weights @ is_nan)) for is_nan in np.isnan(self.values).T]

    @property
    def scales(self) -> Array:
        """The standard deviation of each covariate around 0, which seats do not matter for."""
        weights = np.array(self._weights)
        squares, known = np.square(np.nan_to_num(self.values)), ~np.isnan(self.values)
        return np.asarray(np.sqrt(weights @ squares / np.maximum(weights @ known, 1e-300)))

    def check(self, n_players: int) -> None:
        """Raise if nothing can be learnt about a covariate."""
        for name, n_missing, scale in zip(self.names, self.n_missing, self.scales, strict=True):
            if n_missing == self.n_matches:
                fields = [field for field in self._fields if field != "games"]
                there = (
                    f"the fields are {listed(fields[:MOST_SHOWN])}" if fields else "none has any"
                )
                raise InvalidInput(
                    f"no match has the control {name!r} in its data, nor a pair of fields such as "
                    f"{name}_a and {name}_b; {there}"
                )
            if not scale:
                raise InvalidInput(
                    f"the control {name!r} is the same for both players in every match, so nothing "
                    "can be said about it"
                )
        within = np.abs(self.votes(n_players, with_judges=False).values).max(axis=0)
        for name, most in zip(self.names, within.tolist(), strict=True):
            if most < LEAST_WITHIN:
                raise InvalidInput(
                    f"the control {name!r} depends on the players alone, so its effect cannot be "
                    "told from their strength; it must differ between matches of the same players"
                )
        spreads = np.nan_to_num(self.values).std(axis=0) / self.scales
        for name, spread in zip(self.names, spreads.tolist(), strict=True):
            if spread < LEAST_SPREAD:
                raise InvalidInput(
                    f"the control {name!r} is nearly the same number in every match, so its effect "
                    "cannot be told from what sitting first is worth; a number must be the first "
                    "player's value minus the second's"
                )

    def votes(self, n_players: int, n_matches: int | None = None, *, with_judges: bool) -> Votes:
        """The first matches as votes, or all of them; covariates in standard deviations.

        >>> log = ControlLog(["length"])
        >>> log.add(0, 1, [1.0], {"length": 120}, judge="ann")
        >>> log.votes(2, with_judges=True).judge, log.votes(2, with_judges=False).judge
        (array([0]), array([0]))
        """
        n_matches = self.n_matches if n_matches is None else n_matches
        end = int(np.searchsorted(np.array(self._match), n_matches))
        numbers = np.array(self._judge[:end], dtype=np.int64)
        names: tuple[str, ...] = ()
        judge = np.zeros(end, dtype=np.int64)
        if with_judges:
            known = list(self._judges)
            names = tuple(sorted(known[number] for number in np.unique(numbers[numbers >= 0])))
            places = {name: place for place, name in enumerate(names)}
            order = np.array([*(places.get(name, -1) for name in known), len(names)])
            judge = order[numbers]  # -1 is the last one, "no judge"
        scores, weights = np.array(self._scores[:end]), np.array(self._weights[:end])
        first = np.array(self._first[:end], dtype=np.int64)
        second = np.array(self._second[:end], dtype=np.int64)
        values = np.nan_to_num(self.values[:end]) / self.scales
        levels = _levels(first, second, weights, values, n_players)
        return Votes(
            names,
            n_players,
            judge,
            first,
            second,
            weights,
            weights * scores,
            np.array(self._splits[:end]),
            values - (levels[first] - levels[second]),
            levels,
        )


def _levels(first: Ints, second: Ints, weights: Array, values: Array, n_players: int) -> Array:
    """The levels l of the players for which values differ least from l_first - l_second.

    >>> _levels(np.array([0, 1]), np.array([1, 0]), np.ones(2), np.array([[3.0], [-1.0]]), 2)
    array([[ 1.],
           [-1.]])
    """
    laplacian = np.zeros((n_players, n_players))
    np.add.at(laplacian, (first, first), weights)
    np.add.at(laplacian, (second, second), weights)
    np.subtract.at(laplacian, (first, second), weights)
    np.subtract.at(laplacian, (second, first), weights)
    sums = np.zeros((n_players, values.shape[1]))
    np.add.at(sums, first, weights[:, None] * values)
    np.subtract.at(sums, second, weights[:, None] * values)
    return np.asarray(np.linalg.pinv(laplacian, hermitian=True) @ sums)


def _forms(name: str) -> list[tuple[str, str]]:
    """The pairs of fields that hold a covariate of the first player and of the second."""
    after = [(f"{name}_{one}", f"{name}_{two}") for one, two in SEATS]
    return after + [(f"{one}_{name}", f"{two}_{name}") for one, two in SEATS]


def _difference(
    data: Mapping[str, Any], name: str, forms: Sequence[tuple[str, str]], place: str
) -> float:
    """The first player's value minus the second player's; NaN if it is not given."""
    value = data.get(name)
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            raise _not_a_number(name, value, place) from None
    if value is None or value == "":
        fields = next((pair for pair in forms if pair[0] in data and pair[1] in data), None)
        if fields is None:
            return math.nan
        one, two = (_number(data[field], field, place) for field in fields)
        return one - two
    if isinstance(value, list) and len(value) == 2:
        one, two = (_number(part, name, place) for part in value)
        return one - two
    return _number(value, name, place)


def _number(value: Any, name: str, place: str) -> float:
    """A value as a number; NaN if it is blank."""
    if value is None or value == "":
        return math.nan
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise _not_a_number(name, value, place) from None
    if not abs(found) <= LARGEST:
        raise _not_a_number(name, value, place)
    return found


def _not_a_number(name: str, value: Any, place: str) -> InvalidInput:
    return InvalidInput(
        f"{place}: the control {name!r} must be a number, or a list of two; got {value!r:.80}"
    )
