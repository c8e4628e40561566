"""How a run is going, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from maxin.runners import MatchFailed
from maxin.tournament.run.stopping import Reason
from maxin.tournament.tickets.tickets import Ticket


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
