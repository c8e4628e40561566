"""The events of a run, for whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from maxin.views.recorded.games import EndedGame, ended_games
from maxin.worker.source import Ticket

if TYPE_CHECKING:
    from maxin.runners import Outcome
    from maxin.views import Overview


def games_of(event: Told) -> list[EndedGame]:
    """The games of a result that says how they ended."""
    (_, first, second, *_), (score, _, data, games) = event
    return ended_games((first, second), score, games, data)


def pairing(ticket: Ticket) -> str:
    """A match by its number and players."""
    return f"#{ticket.id} {ticket.first} - {ticket.second}"


class Asked(NamedTuple):
    """A match begins, or waits for one that is played here to end."""

    ticket: Ticket


class Returned(NamedTuple):
    """A match was given back before it began here: whoever asks next gets it."""

    ticket: Ticket


class Told(NamedTuple):
    """A match is over and its result is on disk."""

    ticket: Ticket
    outcome: Outcome

    @property
    def score(self) -> float:
        """The first player's score."""
        return self.outcome.score

    @property
    def errors(self) -> tuple[str, ...]:
        """The game's complaints."""
        return self.outcome.errors


class Failed(NamedTuple):
    """An attempt gave no score; `log` is the end of its output, `attempt` counts those at it."""

    ticket: Ticket
    attempt: int
    reason: str
    log: str


class Voided(NamedTuple):
    """A match was given up after its last attempt; it counts for nobody."""

    ticket: Ticket
    reason: str


class Paused(NamedTuple):
    """A player was paused because its matches keep failing."""

    player: str
    reason: str


class Refused(NamedTuple):
    """A result was refused: the match has another score, or is of another history."""

    ticket: Ticket
    reason: str


class Interrupted(NamedTuple):
    """Somebody interrupted the run: matches are finished or, the second time, killed."""

    times: int
    n_running: int


class Waiting(NamedTuple):
    """Nothing to play here: other processes hold the pending matches, or they await a result."""

    n_pending: int


class Blocked(NamedTuple):
    """The run waits: another process holds the store, or its server is away."""

    reason: str


class Recovered(NamedTuple):
    """Results that an earlier run had to keep on this machine are recorded now.

    Results are refused if the store has another score. `problem` says why the others were not
    recorded.
    """

    n_results: int
    n_refused: int
    problem: str


class Rated(NamedTuple):
    """Ratings are due: after every few results, as often as the stop rule looks, and at the end.

    `overview()` is the tournament's overview as of now: the leaderboard, the top, the verdict. The
    ratings are fitted when it is called, unless the stop rule has fitted them already.
    """

    n_matches: int
    overview: Callable[[], Overview]


Event = (
    Asked
    | Returned
    | Told
    | Failed
    | Voided
    | Paused
    | Refused
    | Interrupted
    | Waiting
    | Blocked
    | Recovered
    | Rated
)
