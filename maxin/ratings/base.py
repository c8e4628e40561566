"""The interfaces of rating models and learners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from maxin.core import Result, check_result

Array = NDArray[np.float64]
MOST_EXACT = 2_000  # players; of more, a covariance of all of them is too large


class RatingModel(Protocol):
    """Predicts matches from parameters that the caller holds: a row per player, rating first."""

    @property
    def n_players(self) -> int:
        """How many players are rated."""
        ...

    def start(self, rng: np.random.Generator) -> Array:
        """Parameters before any match, shape (players, columns)."""
        ...

    def fit(self, parameters: Array, results: Sequence[Result]) -> Array:
        """`parameters` with the ratings fitted to a first batch of results."""
        ...

    def advantages(self, parameters: Array) -> Array:
        """Log-odds of every player against every other, shape (players, players)."""
        ...

    def gradient(self, parameters: Array, results: Sequence[Result]) -> Array:
        """The gradient of the log-likelihood of `results`, shaped like `parameters`."""
        ...

    def updated(self, parameters: Array, result: Result, step_size: float) -> Array:
        """`parameters` after one online step on one result."""
        ...


class Learner(Protocol):
    """Holds ratings and learns them from results, one at a time."""

    @property
    def n_players(self) -> int:
        """How many players are rated."""
        ...

    def tell(self, result: Result) -> None:
        """Learn from a result."""
        ...

    def ratings(self) -> Array:
        """One number per player; the largest belongs to the best."""
        ...


def columns(
    results: Sequence[Result], n_players: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """The first players, second players and scores of `results` as three arrays, all checked.

    >>> from maxin.core import Match
    >>> columns([Result(Match(0, 2), 0.5)], n_players=3)
    (array([0]), array([2]), array([0.5]))
    """
    try:
        rows = [(first, second, score) for (first, second), score in results]
        table = np.array(rows, dtype=np.float64).reshape(-1, 3)
        is_good = _are_results(table, n_players)
    except (TypeError, ValueError):
        is_good = False
    if not is_good:  # one by one: some only need converting, for others the error names the fault
        checked = [check_result(result, n_players) for result in results]
        table = np.array([(*match, score) for match, score in checked]).reshape(-1, 3)
    players = table[:, :2].astype(np.int64)
    return players[:, 0].copy(), players[:, 1].copy(), table[:, 2].copy()


def _are_results(table: Array, n_players: int) -> bool:
    players, scores = table[:, :2], table[:, 2]
    is_known = (players >= 0.0) & (players < n_players) & (players == np.floor(players))
    return bool(is_known.all() and ((scores >= 0.0) & (scores <= 1.0)).all())


def read_only(array: Array) -> Array:
    """A read-only view, so that callers cannot change ratings by mistake.

    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view
