"""The few words every room shares: a match, a result, and what can be wrong with them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple


class MaxinError(Exception):
    """Something the caller can put right; the message says what, where and how."""


class InvalidInput(MaxinError, ValueError):
    """A value breaks a rule; the message names the value, the rule and the place."""


class UnknownName(InvalidInput):
    """A name that is not in the list; the message offers the nearest one that is."""


class MissingExtra(MaxinError, ImportError):
    """An optional library is not installed; the message names the extra that brings it."""


class Match(NamedTuple):
    """Two players, by index, who are to meet."""

    first: int
    second: int


class Result(NamedTuple):
    """A match that was played. `score` is the first player's share: 1 win, 0.5 draw, 0 loss."""

    match: Match
    score: float


def check_n_players(n_players: int) -> int:
    """Return `n_players`, or raise if there are not two players to match.

    >>> check_n_players(2)
    2
    """
    if n_players < 2:
        raise InvalidInput(f"a tournament needs at least two players; got {n_players}")
    return n_players


def check_match(match: Match, n_players: int) -> Match:
    """Return `match`, or raise if one of its players does not exist."""
    for player in match:
        if not 0 <= player < n_players:
            raise InvalidInput(
                f"players are numbered 0..{n_players - 1}; {tuple(match)} names player {player}"
            )
    return match


def check_result(result: Result, n_players: int) -> Result:
    """Return `result`, or raise naming what is wrong with it.

    >>> check_result(Result(Match(0, 1), 0.5), n_players=2).score
    0.5
    """
    (first, second), score = result
    if 0 <= first < n_players and 0 <= second < n_players and 0.0 <= score <= 1.0:
        return result
    check_match(Match(first, second), n_players)
    raise InvalidInput(
        f"a score is the first player's share of the win, in [0, 1]; "
        f"match {(first, second)} got {score!r}"
    )


def check_name(name: str, known: Iterable[str], kind: str) -> str:
    """Return `name`, or raise `UnknownName` offering the nearest of `known`.

    >>> check_name("elo", ["elo", "melo"], "game")
    'elo'
    """
    names = sorted(known)
    if name in names:
        return name
    nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {nearest[0]!r}?" if nearest else f"known: {', '.join(names)}"
    raise UnknownName(f"there is no {kind} named {name!r}; {hint}")
