"""What follows from failures, wherever a match is played.

A match is void after some attempts, a player is paused after three void matches in a row, and a
worker is told to stop after ten matches in a row that it could not play. A result ends a row. None
of it is a player's loss.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from maxin.core import Match

ATTEMPTS = 3  # at a match, before it is void
MOST_FAILED = 10  # matches in a row without a score, after which a worker stops
MOST_VOID_OF_A_PLAYER = 3  # void matches in a row that pause a player


@dataclass
class FailureCounts:
    """The rows of failures as of now; a transaction works on a copy, which replaces it.

    Args:
        attempts: at a match, before it is void.
    """

    attempts: int = ATTEMPTS
    failed_of_worker: dict[str, int] = field(default_factory=dict)
    void_of_player: dict[int, int] = field(default_factory=dict)
    paused: dict[int, str] = field(default_factory=dict)  # players, by whose worker's failures
    last_failure: str = ""  # of a match that is void: its reason and the end of its output

    def copy(self) -> FailureCounts:
        """The same counts, to be changed independently.

        >>> counts = FailureCounts()
        >>> counts.copy().count_void([3])
        >>> counts.void_of_player
        {}
        """
        return FailureCounts(
            self.attempts,
            dict(self.failed_of_worker),
            dict(self.void_of_player),
            dict(self.paused),
            self.last_failure,
        )

    def count_result(self, worker: str, match: Match) -> None:
        """A result ends the rows of its worker and of its players."""
        self.failed_of_worker.pop(worker, None)
        for player in match:
            self.void_of_player.pop(player, None)

    def count_void(self, blamed: Iterable[int]) -> None:
        """Count a void match of these players."""
        for player in blamed:
            self.void_of_player[player] = self.void_of_player.get(player, 0) + 1

    def is_to_pause(self, player: int) -> bool:
        """Whether a player has just been in too many void matches."""
        return self.void_of_player.get(player) == MOST_VOID_OF_A_PLAYER

    def stops(self, worker: str) -> bool:
        """Count a match that a worker could not play; whether it is to stop.

        It starts with a clean row afterwards.
        """
        n_failed = self.failed_of_worker.pop(worker, 0) + 1
        if n_failed < MOST_FAILED:
            self.failed_of_worker[worker] = n_failed
        return n_failed >= MOST_FAILED
