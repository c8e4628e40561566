"""Checks of a log: one first player, second player and score per match."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import InvalidInput, Match, Result, check_result
from maxin.kernels import pairs as kernels
from maxin.ratings.base import Array


def checked_log(
    first: ArrayLike, second: ArrayLike, scores: ArrayLike, n_players: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """The columns of a log as arrays, or an error that names the first invalid match."""
    one, two = _players(first, "first"), _players(second, "second")
    share = checked_numbers(scores)
    if not one.shape == two.shape == share.shape:
        raise InvalidInput(
            "a log has one first player, second player and score per match; "
            f"got {one.shape}, {two.shape} and {share.shape} of them"
        )
    if len(one):
        _check_matches(one, two, share, n_players)
    return one, two, share


def checked_numbers(values: ArrayLike) -> Array:
    """Scores as an array, or an error if they are not numbers."""
    try:
        given = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("scores are a list of numbers in [0, 1]") from None
    return given


def _players(values: ArrayLike, which: str) -> NDArray[np.int64]:
    """Player numbers as an array; an empty list, which has no type, is allowed."""
    given = np.asarray(values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise InvalidInput(
            f"{which} players are a list of whole numbers; got shape {given.shape} of {given.dtype}"
        )
    return np.ascontiguousarray(given, dtype=np.int64)


def _check_matches(
    first: NDArray[np.int64], second: NDArray[np.int64], scores: Array, n_players: int
) -> None:
    """Raise an error that names the first match of a log that breaks a rule, if there is one."""
    bad = kernels.first_bad_match(first, second, scores, n_players)
    if bad < 0:
        return
    match = Match(int(first[bad]), int(second[bad]))
    try:
        check_result(Result(match, float(scores[bad])), n_players)
    except InvalidInput as error:
        raise InvalidInput(f"match {bad} of the log: {error}") from None
    raise InvalidInput(f"match {bad} of the log: player {match.first} cannot play itself")
