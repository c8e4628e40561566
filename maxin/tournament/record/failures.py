"""What follows from failures, wherever a match is played.

A match is void after some attempts, a player is paused after three void matches in a row, and a
worker is told to stop when ten times in a row it could not play a match. A result resets the
counts. A failure is never a loss.

The record has the attempts and the void matches, so every process counts the same. Only the row of
a worker is counted here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

ATTEMPTS = 3  # at a match, before it is void
MOST_FAILED = 10  # times in a row without a score, after which a worker stops
MOST_VOID_OF_A_PLAYER = 3  # void matches in a row that pause a player


@dataclass
class FailureCounts:
    """The rows of failures of workers; a transaction works on a copy, which replaces it.

    Args:
        attempts: at a match, before it is void.
        failed: how often in a row each worker could not play a match.
    """

    attempts: int = ATTEMPTS
    failed: dict[str, int] = field(default_factory=dict)

    def copy(self) -> FailureCounts:
        """The same counts, to be changed independently.

        >>> counts = FailureCounts()
        >>> counts.copy().stops("w"), counts.failed
        (False, {})
        """
        return FailureCounts(self.attempts, dict(self.failed))

    def end_row(self, worker: str) -> None:
        """A result ends the row of its worker."""
        self.failed.pop(worker, None)

    def stops(self, worker: str) -> bool:
        """Count a match that a worker could not play; whether it is to stop.

        It starts with a clean row afterwards.
        """
        n_failed = self.failed.pop(worker, 0) + 1
        if n_failed < MOST_FAILED:
            self.failed[worker] = n_failed
        return n_failed >= MOST_FAILED
