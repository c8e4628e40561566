"""The bodies of what voters send and get, and of what organisers do with them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from maxin.service.api.bodies import Strict
from maxin.service.arena.pairs import LONGEST_REASON, Choice

MOST_INVITATIONS = 1_000  # per request


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


class VoterBody(msgspec.Struct):
    """One voter; shares and times are null if there is nothing to count.

    `left` is how many pairs of outputs the voter has not seen yet.
    """

    voter: str
    name: str
    state: str
    votes: int
    skips: int
    median_seconds: float | None
    a_share: float | None
    agreement: float | None
    left: int


class BiasBody(msgspec.Struct):
    """The share of A among all votes for A or B, with its 95 % interval."""

    votes: int
    a_share: float
    low: float
    high: float


class VotersBody(msgspec.Struct):
    """All voters, and how much they prefer a side."""

    voters: list[VoterBody]
    bias: BiasBody | None


class VoterChangeBody(Strict):
    """What becomes of a voter: removed, whose votes are taken back."""

    state: Literal["removed"]
    reason: Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON)]


class RemovedBody(msgspec.Struct):
    """How many votes were taken back."""

    voter: str
    votes: int
