"""How a run is going, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from maxin.runners import MatchFailed
from maxin.tournament.run.stopping import Reason


class RunEnd(NamedTuple):
    """How a run ended.

    Args:
        reason: why.
        message: a sentence about it.
        n_new: results of this run.
        seconds: how long it took.
        failure: of the last game without a score, if there was one.
    """

    reason: Reason
    message: str
    n_new: int
    seconds: float
    failure: MatchFailed | None


@dataclass
class Progress:
    """How a run is going; a transaction that fails leaves it as it was."""

    n_new: int = 0  # results of this run
    n_given_up: int = 0  # matches without a score
    last_failure: str = ""  # its reason and the end of its output
    paused: list[str] = field(default_factory=list)  # players paused by this run
    has_worked: bool = False  # whether any game of this run gave a score
    void_in_a_row: int = 0
    void_of: dict[str, int] = field(default_factory=dict)  # void matches in a row, by player
    checked_at: int = -1  # how many results there were at the last check of the stop rule
    reason: Reason | None = None
    message: str = ""
