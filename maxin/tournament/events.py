"""What a run tells whoever watches it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from maxin.tournament.tickets.tickets import Ticket
from maxin.views.standings import Top


class Asked(NamedTuple):
    """A match begins."""

    ticket: Ticket


class Told(NamedTuple):
    """A match is over, and its result on disk; `errors` are what the game complained of."""

    ticket: Ticket
    score: float
    errors: tuple[str, ...]


class Failed(NamedTuple):
    """An attempt gave no score; `log` is what it said last."""

    ticket: Ticket
    attempt: int
    reason: str
    log: str


class Voided(NamedTuple):
    """A match was given up after its last attempt; it counts for nobody."""

    ticket: Ticket
    reason: str


class Paused(NamedTuple):
    """A player was set aside, since its matches keep failing."""

    player: str
    reason: str


class Refused(NamedTuple):
    """A result was not taken: the match had been told by somebody else, with another score."""

    ticket: Ticket
    reason: str


class Interrupted(NamedTuple):
    """Somebody wants to leave: running matches are finished, or, the second time, killed."""

    times: int
    n_running: int


class Waiting(NamedTuple):
    """We have nothing to play: matches are out that others hold, or that were asked by hand."""

    n_out: int


Event = Asked | Told | Failed | Voided | Paused | Refused | Interrupted | Waiting
Reason = Literal["decided", "tied", "budget", "finished", "aborted", "interrupted"]


class Report(NamedTuple):
    """How a run ended.

    `reason`: "decided", the top is known with the confidence asked for; "tied", it is among some
    whose order is open, but who are as good as equal; "budget", so many matches
    are told; "finished", the scheduler has nothing more to ask; "aborted", matches keep failing;
    "interrupted", somebody wanted to leave.
    """

    reason: Reason
    message: str
    n_matches: int
    n_new: int
    seconds: float
    top: Top
