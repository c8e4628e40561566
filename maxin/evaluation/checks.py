"""Checks that all measures share: the shapes of their input, and when two numbers are equal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import InvalidInput, Match, check_match

ROUNDING = 1e-12
"""Numbers this close count as equal: adding the same terms in another order changes less."""


def match_array(matches: Sequence[Match] | np.ndarray, n_players: int) -> np.ndarray:
    """The players of `matches` as an array of shape (matches, 2), or an error if one is unknown."""
    players = np.asarray(matches)
    if players.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if players.ndim != 2 or players.shape[1] != 2 or players.dtype.kind not in "iu":
        raise InvalidInput(
            f"matches must be pairs of player numbers, shape (matches, 2); "
            f"got shape {players.shape} of {players.dtype}"
        )
    outside = ((players < 0) | (players >= n_players)).any(axis=1)
    if outside.any():
        check_match(Match(*players[outside.argmax()].tolist()), n_players)
    return players


def finite_vector(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as a vector of finite numbers, one per player."""
    vector = np.asarray(values, dtype=float)
    if vector.ndim != 1 or vector.size == 0:
        raise InvalidInput(f"{name} must hold one number per player; got shape {vector.shape}")
    if not np.isfinite(vector).all():
        player = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise InvalidInput(f"{name} must be finite; player {player} has {vector[player]}")
    return vector


def finite_squares(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as finite matrices of players against players, shape (..., players, players)."""
    squares = np.asarray(values, dtype=float)
    if squares.ndim < 2 or squares.shape[-1] != squares.shape[-2] or squares.shape[-1] == 0:
        raise InvalidInput(
            f"{name} must be a square matrix, players against players; got shape {squares.shape}"
        )
    if not np.isfinite(squares).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(squares))[0])
        raise InvalidInput(f"{name} must be finite; entry {place} is {squares[place]}")
    return squares


def finite_square(values: ArrayLike, name: str) -> np.ndarray:
    """Like `finite_squares`, but for exactly one matrix."""
    square = finite_squares(values, name)
    if square.ndim != 2:
        raise InvalidInput(f"{name} must be one square matrix; got shape {square.shape}")
    return square
