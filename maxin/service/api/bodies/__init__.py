"""The bodies of requests and answers, and their rules."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from maxin.service.access.roles import ROLES
from maxin.tournament.tournament import LEASE

MOST_TICKETS = 100  # per request
MOST_RESULTS = 1_000  # per request
MOST_ROWS = 1_000  # per request
LONGEST_WAIT = 25.0  # seconds; proxies give up after 30 or 60

Number = Annotated[int, Meta(ge=1, le=10**15, description="The number of a match.")]
Seconds = Annotated[float, Meta(gt=0, description="Seconds, at most a year.")]
Text = Annotated[str, Meta(min_length=1, max_length=10_000)]
After = Annotated[int, Meta(ge=0, le=10**15, description="Only what comes after this entry.")]
Limit = Annotated[int, Meta(ge=1, le=MOST_ROWS, description="How many rows at most.")]


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


class TournamentBody(msgspec.Struct):
    """The tournament: what no other one has as its id, its rules, and its players."""

    id: str
    goal: str
    games_per_match: int
    seed: int
    players: list[str]


class HealthBody(msgspec.Struct):
    """Whether the service works."""

    status: str
    version: str


class PageQuery(Strict):
    """Which part of a list."""

    after: After = 0
    limit: Limit = 100


class MatchesQuery(PageQuery):
    """Which matches."""

    player: str | None = None
    voided: bool = False


class StandingsQuery(Strict):
    """Which rows of the leaderboard: all by default."""

    find: Annotated[str, Meta(max_length=200, description="A part of the name.")] = ""
    offset: Annotated[int, Meta(ge=0, le=10**15, description="How many rows to skip.")] = 0
    limit: Annotated[int, Meta(ge=1, description="How many rows at most.")] | None = None


class CrosstableQuery(Strict):
    """How many players, the leader first."""

    limit: Limit = MOST_ROWS


class StandingRow(msgspec.Struct):
    """A row of the leaderboard; see the glossary."""

    rank: int | None
    player: str
    rating: float
    low: float
    high: float
    p_best: float
    matches: int
    score: float | None
    wins: int
    draws: int
    losses: int
    state: str
    los: float | None


class TopShape(msgspec.Struct):
    """Who leads, how certain that is, and who may still be the best."""

    players: list[str]
    confidence: float
    candidates: list[str]
    is_decided: bool
    n_left: int | None
    tolerance: float
    needed: float


class AdvantageShape(msgspec.Struct):
    """What sitting first is worth, in Elo points, with its 95 % interval."""

    rating: float
    low: float
    high: float


class LeaderboardBody(msgspec.Struct):
    """The verdict and the standings, as of one entry of the record.

    `over` says why no more matches are handed out; it is null while they are. `n_found` is how
    many rows there are in all, or with the text that was searched for.
    """

    seq: int
    over: str | None
    n_matches: int
    n_pending: int
    settings: dict[str, Any] | None
    status: str
    verdict: str
    n_left: int | None
    top: TopShape | None
    features: dict[str, Any] | None
    n_found: int
    standings: list[StandingRow]
    advantage: AdvantageShape | None
    fading: str


class CrosstableBody(msgspec.Struct):
    """Points and matches of every pair of the players, the leader first."""

    seq: int
    players: list[str]
    points: list[list[float]]
    matches: list[list[int]]
    coverage: dict[str, Any]


class PlayerRowBody(msgspec.Struct):
    """A player."""

    name: str
    state: str
    options: dict[str, Any]
    matches: int


class PlayersBody(msgspec.Struct):
    """All players, in the order they joined."""

    seq: int
    rows: list[PlayerRowBody]


class MatchRow(msgspec.Struct):
    """A result; or a match that was given up, which has no score but the reason in `void`."""

    seq: int
    match: int | None
    first: str
    second: str
    time: float
    score: float | None = None
    games: list[float] | None = None
    errors: list[str] = []
    data: dict[str, Any] | None = None
    source: str | None = None
    line: int | None = None
    seed: int | None = None
    worker: str | None = None
    retracted: str | None = None
    void: str | None = None


class MatchesBody(msgspec.Struct):
    """A part of the matches; `next` is the `after` of the next part."""

    rows: list[MatchRow]
    next: int | None


class AuditRow(msgspec.Struct):
    """Who did what."""

    seq: int
    time: float
    match: int | None
    token: str
    action: str
    detail: dict[str, Any]


class AuditBody(msgspec.Struct):
    """A part of the audit log; `next` is the `after` of the next part."""

    rows: list[AuditRow]
    next: int | None


class NewPlayer(Strict):
    """A player who joins."""

    name: str
    options: dict[str, Any] = {}


class PlayerChange(Strict):
    """A player's new state: active, paused or retired."""

    state: Annotated[str, Meta(extra_json_schema={"enum": ["active", "paused", "retired"]})]


class RequestBody(Strict):
    """Two players who are to meet before anything else."""

    first: str
    second: str
    times: Annotated[int, Meta(ge=1)] = 1


class ReasonBody(Strict):
    """Why; it is recorded."""

    reason: Annotated[str, Meta(min_length=1, max_length=10_000)]


class ChangedBody(msgspec.Struct):
    """Whether something changed; if not, it was so before."""

    is_new: bool


class NewToken(Strict):
    """A token to make."""

    role: Annotated[str, Meta(extra_json_schema={"enum": list(ROLES)})]
    name: str


class TokenBody(msgspec.Struct):
    """A token, which is shown only this once."""

    id: str
    role: str
    name: str
    token: str


class TokenRowBody(msgspec.Struct):
    """A token without its secret."""

    id: str
    role: str
    name: str
    created: float
    revoked: float | None


class TokenListBody(msgspec.Struct):
    """All tokens."""

    rows: list[TokenRowBody]
