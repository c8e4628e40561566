"""The values that every room shares: a match, a result, an entrant."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Match(NamedTuple):
    """Two players, by index, who are to meet."""

    first: int
    second: int


class Result(NamedTuple):
    """A match that was played. `score` is the first player's share: 1 win, 0.5 draw, 0 loss."""

    match: Match
    score: float


class Entrant(NamedTuple):
    """A player as its owner knows it: a name, and whatever a runner needs to play it.

    >>> Entrant("stockfish", {"nodes": 100}).name
    'stockfish'
    """

    name: str
    options: Mapping[str, Any] = MappingProxyType({})
