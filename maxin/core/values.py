"""The values that every room shares: match, result and entrant."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Match(NamedTuple):
    """Two players, by index, who are about to meet."""

    first: int
    second: int


class Result(NamedTuple):
    """A match and its score, the first player's share: 1 for a win, 0.5 a draw, 0 a loss."""

    match: Match
    score: float


class Entrant(NamedTuple):
    """A player with a name and the options that a runner needs to play it.

    >>> Entrant("stockfish", {"nodes": 100}).name
    'stockfish'
    """

    name: str
    options: Mapping[str, Any] = MappingProxyType({})


def match_seed(seed: int, number: int) -> int:
    """The seed of match `number` in a tournament with `seed`, in [0, 2^31).

    >>> match_seed(0, 1)
    1982462498
    """
    import numpy as np  # not before it is needed: a result is recorded without it

    state: int = np.random.SeedSequence([seed, number]).generate_state(1)[0].item()
    return state >> 1
