"""The bodies of requests and answers, and their rules."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from maxin.tournament.tournament import LEASE

MOST_TICKETS = 100  # per request
MOST_RESULTS = 1_000  # per request
LONGEST_WAIT = 25.0  # seconds; proxies give up after 30 or 60

Number = Annotated[int, Meta(ge=1, le=10**15, description="The number of a match.")]
Seconds = Annotated[float, Meta(gt=0, description="Seconds, at most a year.")]
Text = Annotated[str, Meta(min_length=1, max_length=10_000)]


class Strict(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A body whose fields are all known."""


class AskBody(Strict):
    """Which matches a worker wants; it may wait up to 25 seconds for the first."""

    n: Annotated[int, Meta(ge=1, le=MOST_TICKETS)] = 1
    lease: Seconds = LEASE
    wait: Annotated[float, Meta(ge=0, le=LONGEST_WAIT)] = 0.0


class PlayerBody(msgspec.Struct):
    """A player of a match, with the options for whoever plays it."""

    name: str
    options: dict[str, Any]


class TicketBody(msgspec.Struct):
    """A match to play."""

    match: int
    first: PlayerBody
    second: PlayerBody
    seed: int
    lease_until: float


class TicketsBody(msgspec.Struct):
    """The matches that were handed out."""

    tickets: list[TicketBody]


class ResultBody(Strict):
    """A result: the first player's score, in [0, 1]."""

    score: float
    games: list[float] | None = None
    errors: list[str] = []
    data: dict[str, Any] | None = None


class NumberedResult(ResultBody, kw_only=True):
    """A result with the number of its match."""

    match: Number


class RecordedBody(msgspec.Struct):
    """Whether a result is new, or was there already."""

    match: int
    is_new: bool


class OutcomeBody(msgspec.Struct, omit_defaults=True):
    """What became of one of many results: 201 new, 200 there already, 409, 404 or 422 refused."""

    match: int
    status: int
    detail: str = ""


class LeasesBody(Strict):
    """Matches that a worker still plays."""

    matches: Annotated[list[Number], Meta(max_length=MOST_RESULTS)]
    lease: Seconds = LEASE


class RenewedBody(msgspec.Struct):
    """Which matches are kept, and which somebody else may have by now."""

    kept: list[int]
    lost: list[int]


class FailureBody(Strict):
    """Why a match could not be played, and what the program printed."""

    reason: Text
    log: str = ""


class TriedBody(msgspec.Struct):
    """Whether the match will be tried again."""

    again: bool


class SessionBody(Strict):
    """A token, to be kept by a browser."""

    token: Annotated[str, Meta(max_length=300)]


class HealthBody(msgspec.Struct):
    """Whether the service works."""

    status: str
    version: str
