"""The bodies of requests and answers, and their rules."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import GenericAlias
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

from maxin.service.access.roles import ROLES
from maxin.service.arena.pairs import LONGEST_REASON, Choice
from maxin.service.arena.voters import SideBias, VoterRow, VoterTable
from maxin.views import Advantage, Leaderboard, Standing, Top
from maxin.views.crosstable import CoverageDocument, CrosstableDocument
from maxin.views.overview import OverviewDocument
from maxin.views.recorded.failures import Failure
from maxin.views.slices import SliceDocument, SlicesDocument
from maxin.worker.source import LEASE

MOST_TICKETS = 100  # per request
MOST_INVITATIONS = 1_000  # per request
MOST_RESULTS = 1_000  # per request
MOST_ROWS = 1_000  # per request
LONGEST_WAIT = 25.0  # seconds; proxies give up after 30 or 60

Number = Annotated[int, Meta(ge=1, le=10**15, description="The number of a match.")]
Seconds = Annotated[float, Meta(gt=0, description="Seconds, at most a year.")]
Fence = Annotated[str, Meta(max_length=40, description="That of the ticket; empty stands for any.")]
Text = Annotated[str, Meta(min_length=1, max_length=10_000)]
After = Annotated[int, Meta(ge=0, le=10**15, description="Only what comes after this entry.")]
Limit = Annotated[int, Meta(ge=1, le=MOST_ROWS, description="How many rows at most.")]


class Strict(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A body whose fields are all known."""


def described(name: str, view: Any, kinds: Mapping[str, Any] | None = None, **fields: Any) -> Any:
    """A body with the fields of a view, so that what is sent and its schema are the same.

    Args:
        name: of the body.
        view: what the view makes for JSON: a `TypedDict`, or a `NamedTuple`.
        kinds: the types of the fields; by default those of the view.
        fields: further fields, and other types of the view's.
    """
    known = {**(get_type_hints(view) if kinds is None else kinds), **fields}
    about = inspect.cleandoc(view.__doc__).partition("\n\n")[0]
    return msgspec.defstruct(name, list(known.items()), namespace={"__doc__": about})


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
    fence: str
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
    fence: Fence = ""


class NumberedResult(ResultBody, kw_only=True):
    """A result with the number of its match."""

    match: Number


class RecordedBody(msgspec.Struct):
    """Whether a result is new, or was there already."""

    match: int
    is_new: bool


class OutcomeBody(msgspec.Struct, omit_defaults=True):
    """What became of one of many results: 201 new, 200 there already, 409, 404 or 422 refused.

    The `reason` other-history says that the fence is of another history of the store.
    """

    match: int
    status: int
    detail: str = ""
    reason: str = ""


class LeasesBody(Strict):
    """Matches that a worker still plays, and their fences; a lease of 0 gives them back."""

    matches: Annotated[list[Number], Meta(max_length=MOST_RESULTS)]
    fences: Annotated[list[Fence], Meta(max_length=MOST_RESULTS)] = []
    lease: Annotated[float, Meta(ge=0, description="Seconds, at most a year.")] = LEASE


class RenewedBody(msgspec.Struct):
    """Which matches are kept, and which somebody else may have by now."""

    kept: list[int]
    lost: list[int]


class FailureBody(Strict):
    """Why a match could not be played, and what the program printed.

    `player` is whose fault it is, if that is known. It counts against the match, unless the
    worker is to blame, where nothing works, or nobody, since it was interrupted.
    """

    reason: Text
    log: str = ""
    player: str | None = None
    fence: Fence = ""
    blame: Literal["match", "worker", "nobody"] = "match"


class PausedBody(msgspec.Struct):
    """A player who was paused, and why."""

    player: str
    reason: str


class TriedBody(msgspec.Struct):
    """Whether the match will be tried again, or is void; and what else follows.

    `attempt` counts the failed attempts at it. `stop` says why the worker should stop, if it
    should.
    """

    again: bool
    attempt: int
    is_void: bool
    paused: list[PausedBody]
    stop: str


class SessionBody(Strict):
    """A token, to be kept by a browser."""

    token: Annotated[str, Meta(max_length=300)]


class TournamentBody(msgspec.Struct):
    """The tournament: its unique ID, its rules, and its players."""

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


class SlicesQuery(Strict):
    """By which field of the results' data to slice, and how many rows of each slice to send."""

    by: Annotated[str, Meta(min_length=1, max_length=200, description="Such as category.")]
    limit: Annotated[int, Meta(ge=1, description="Rows of each slice at most.")] | None = None


class CrosstableQuery(Strict):
    """How many players, the leader first."""

    limit: Limit = MOST_ROWS


StandingRow = described(
    "StandingRow",
    Standing,
    {
        column.key: Annotated[column.kind_in(Standing), Meta(description=column.meaning or None)]
        for column in Leaderboard([]).table.keyed
    },
)
LeaderboardBody = described(
    "LeaderboardBody",
    OverviewDocument,
    seq=Annotated[int, Meta(description="The last entry of the record that is part of it.")],
    over=Annotated[
        str | None, Meta(description="Why no more matches are handed out; null while they are.")
    ],
    n_found=Annotated[int, Meta(description="How many rows there are, with what is searched for.")],
    top=described("TopShape", Top) | None,
    standings=GenericAlias(list, StandingRow),
    advantage=described("AdvantageShape", Advantage) | None,
)
SliceBody = described("SliceBody", SliceDocument, standings=GenericAlias(list, StandingRow))
SlicesBody = described("SlicesBody", SlicesDocument, seq=int, slices=GenericAlias(list, SliceBody))
CrosstableBody = described("CrosstableBody", CrosstableDocument, seq=int, coverage=CoverageDocument)


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


FailureRow = described("FailureRow", Failure)


class MatchBody(msgspec.Struct):
    """A match, its results, those taken back included, and what failed.

    If a voter has compared it, `item`, `prompt` and the outputs of the first and the second player
    say what was compared.
    """

    match: int
    first: str
    second: str
    state: Literal["pending", "played", "retracted", "void"]
    seed: int | None
    results: list[MatchRow]
    failures: list[FailureRow]  # type: ignore[valid-type]
    item: str | None = None
    prompt: str | None = None
    outputs: list[SideBody] = []


class MatchesBody(msgspec.Struct):
    """A part of the matches; `next` is the `after` of the next part, null if this is the last."""

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
    fence: Fence = ""


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


# Votes


class JoinBody(Strict):
    """An invitation: the part of its link after the #."""

    invitation: Annotated[str, Meta(max_length=200)]


class SideBody(msgspec.Struct):
    """One side of a pair: where it is, and its type."""

    url: str
    type: str


class PairBody(msgspec.Struct):
    """Two outputs to compare; `latest` is the pair of the vote that can be undone."""

    pair: str
    prompt: str
    left: SideBody
    right: SideBody
    votes: int
    latest: str | None


class VoteBody(Strict):
    """A vote: which side is better, and how long that took to decide."""

    choice: Choice
    reason: Annotated[str, Meta(max_length=LONGEST_REASON)] = ""
    ms: Annotated[int, Meta(ge=0, le=10**12)] | None = None


class VotedBody(msgspec.Struct):
    """Whether a vote is new, or was there already."""

    pair: str
    choice: str
    is_new: bool


class InviteBody(Strict):
    """How many invitations to make; several get the numbers 1, 2, ... after the name."""

    n: Annotated[int, Meta(ge=1, le=MOST_INVITATIONS)] = 1
    name: Annotated[str, Meta(min_length=1, max_length=90)] = "voter"


class InvitationBody(msgspec.Struct):
    """An invitation, which is shown only this once."""

    voter: str
    name: str
    invitation: str


VoterBody = described("VoterBody", VoterRow)
BiasBody = described("BiasBody", SideBias)
VotersBody = described(
    "VotersBody", VoterTable, voters=GenericAlias(list, VoterBody), bias=BiasBody | None
)


class VoterChangeBody(Strict):
    """What becomes of a voter: removed, whose votes are taken back."""

    state: Literal["removed"]
    reason: Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON)]


class RemovedBody(msgspec.Struct):
    """How many votes were taken back."""

    voter: str
    votes: int
