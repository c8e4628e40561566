"""The values that every room shares: match, result and entrant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def data_of_games(
    data: Mapping[str, Any] | None, games: Sequence[float] | None
) -> list[Mapping[str, Any]]:
    """The data of each game of a match: the list `games` in its own, if that has one per game.

    A match without games is one game, whose data is its own.

    >>> data_of_games({"games": [{"end": "time"}, None]}, [1.0, 0.5])
    [{'end': 'time'}, {}]
    >>> data_of_games({"end": "time"}, None), data_of_games({"end": "time"}, [1.0, 0.5])
    ([{'end': 'time'}], [{}, {}])
    """
    if games is None:
        return [data or {}]
    parts = (data or {}).get("games")
    if not isinstance(parts, list) or len(parts) != len(games):
        return [{}] * len(games)
    return [part if isinstance(part, Mapping) else {} for part in parts]


def match_seed(seed: int, number: int) -> int:
    """The seed of match `number` in a tournament with `seed`, in [0, 2^31).

    >>> match_seed(0, 1)
    1982462498
    """
    import numpy as np  # not before it is needed: a result is recorded without it

    state: int = np.random.SeedSequence([seed, number]).generate_state(1)[0].item()
    return state >> 1
