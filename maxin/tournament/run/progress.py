"""How a run is going, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from maxin.core.text import counted
from maxin.runners import MatchFailed
from maxin.tournament.run.stopping import Reason
from maxin.tournament.tickets.tickets import Ticket

if TYPE_CHECKING:
    from maxin.tournament.state.state import TournamentState


class RunEnd(NamedTuple):
    """How a run ended.

    Args:
        reason: why.
        message: a sentence about it.
        n_new: results of this run.
        seconds: how long it took.
        failure: of the last game without a score, if there was one.
        paused: the players whom the run paused.
    """

    reason: Reason
    message: str
    n_new: int
    seconds: float
    failure: MatchFailed | None
    paused: tuple[str, ...] = ()


@dataclass
class Progress:
    """How a run is going; a transaction that fails leaves it as it was."""

    n_new: int = 0  # results of this run
    n_given_up: int = 0  # matches without a score
    suspects: set[str] | None = None  # who was in every one of them; None before the first
    last_failure: str = ""  # its reason and the end of its output
    paused: list[str] = field(default_factory=list)  # players paused by this run
    has_worked: bool = False  # whether any game of this run gave a score
    void_in_a_row: int = 0
    void_of: dict[str, int] = field(default_factory=dict)  # void matches in a row, by player
    checked_at: int = -1  # how many results there were at the last check of the stop rule
    reason: Reason | None = None
    message: str = ""

    def blamed(self, ticket: Ticket, failure: MatchFailed) -> list[str]:
        """Count a match without a score; returns the players who may be to blame."""
        seats = [ticket.first, ticket.second]
        blamed = [name for name in seats if name == failure.player] or seats
        self.n_given_up += 1
        self.suspects = set(blamed) if self.suspects is None else self.suspects & set(blamed)
        return blamed

    def is_hopeless(self, failure: MatchFailed, active: Iterable[str]) -> bool:
        """Whether the next match would fail too: none has worked, and not because of one player.

        If one player was in every match that failed, two others have yet to try.
        """
        others = set(active) - self.suspects if self.suspects else set()
        is_enough = self.n_given_up > 1 or failure.is_hopeless
        return not self.has_worked and is_enough and len(others) < 2

    def idle_end(self, state: TournamentState, budget: int | None) -> tuple[Reason, str] | None:
        """Why a run ends that plays no match and gets none; None if a result may change that.

        Once results and pending matches use up the budget, nothing is left for this run, and it
        does not wait for the matches of others.

        Args:
            state: with the pending matches of others.
            budget: matches of the whole tournament; None for no limit.
        """
        n_pending = len(state.pending)
        if budget is not None and state.n_told + n_pending >= budget:
            return "budget", elsewhere(n_pending)
        if n_pending:
            return None
        if self.paused and len(state.active()) < 2:
            words = f"{', '.join(self.paused)} had to be paused, and nobody is left to play"
            return "aborted", f"{words}: {self.last_failure}"
        return "finished", ""


def elsewhere(n_pending: int) -> str:
    """The pending matches that a run leaves to others, if there are any.

    >>> elsewhere(1)
    '1 match is pending elsewhere: `maxin show pending` lists who has it'
    >>> elsewhere(0)
    ''
    """
    if not n_pending:
        return ""
    are, them = ("is", "it") if n_pending == 1 else ("are", "them")
    matches = counted(n_pending, "match")
    return f"{matches} {are} pending elsewhere: `maxin show pending` lists who has {them}"
