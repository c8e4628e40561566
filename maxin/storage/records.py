"""The rows of the store, as the rooms above see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Kind = Literal["player", "ask", "tell", "void", "demand"]
State = Literal["active", "paused", "retired"]


class Entry(NamedTuple):
    """What happened, in order: all that ratings and schedules are derived from.

    `seq` counts everything that was ever written, and grows in the order of commits. What the
    other fields hold depends on the kind:

    - player: `first` is the player's number, `text` its name and `state` what it became;
    - ask: the match's number, and who sits where;
    - tell: the same with the score, `text` the scores of its games if there are several;
      a result from elsewhere has no number;
    - void: the match's number;
    - demand: who is to sit where.
    """

    seq: int
    kind: Kind
    match: int | None
    first: int | None
    second: int | None
    score: float | None
    text: str | None
    state: str | None


class Asking(NamedTuple):
    """A match about to be handed out."""

    match: int
    first: int
    second: int
    seed: int


class Telling(NamedTuple):
    """A result about to be written; `match` is None for one played elsewhere."""

    match: int | None
    first: int
    second: int
    score: float
    games: tuple[float, ...] | None = None
    errors: tuple[str, ...] = ()
    data: Mapping[str, Any] | None = None
    source: str | None = None
    line: int | None = None


class ToldRow(NamedTuple):
    """A result as it was written, with its place in the record and its time."""

    seq: int
    telling: Telling
    seed: int | None
    worker: str
    time: float


class PlayerRow(NamedTuple):
    """A player's latest row."""

    player: int
    name: str
    state: State
    options: Mapping[str, Any]


class Event(NamedTuple):
    """Anything else worth keeping: a failed attempt, a refused score, a pause, a run's end."""

    kind: str
    match: int | None
    player: int | None
    detail: Mapping[str, Any]
    time: float


class Lease(NamedTuple):
    """Who plays a match, since when, and until when nobody else may."""

    match: int
    worker: str
    since: float
    until: float
