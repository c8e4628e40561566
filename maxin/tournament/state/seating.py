"""Who sits first in a match: one rule, for tournaments and for simulations of them."""

from __future__ import annotations

from collections.abc import Callable

from maxin.core.values import Match

SHIFT = 32  # bits of a key that hold the second player


class SeatCounts:
    """How often each player sat first against each other; its size grows with the pairs that met.

    >>> counts = SeatCounts()
    >>> counts.add(Match(0, 1))
    >>> counts.n_first(Match(0, 1)), counts.n_first(Match(1, 0)), counts.n_met(1, 0)
    (1, 0, 1)
    """

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}  # by key: a third of the memory that tuples take

    def add(self, match: Match, times: int = 1) -> None:
        """Count a match, or several with the same seats."""
        key = _key(*match)
        self._counts[key] = self._counts.get(key, 0) + times

    def n_first(self, match: Match) -> int:
        """How many matches had these seats."""
        return self._counts.get(_key(*match), 0)

    def n_met(self, one: int, two: int) -> int:
        """How many matches two players had, in either seat."""
        return self.n_first(Match(one, two)) + self.n_first(Match(two, one))


def balanced_seats(match: Match, first_counts: SeatCounts, flip: Callable[[], bool]) -> Match:
    """The match with the player first who sat first less often against the other.

    Args:
        match: the two players, in the order the scheduler named them.
        first_counts: how often each player sat first.
        flip: decides whether the two swap seats when they sat first equally often; it is called
            only then, so a random flip draws no more numbers than needed.

    >>> counts = SeatCounts()
    >>> counts.add(Match(0, 1))
    >>> balanced_seats(Match(0, 1), counts, flip=lambda: False)
    Match(first=1, second=0)
    """
    swapped = Match(match.second, match.first)
    lead = first_counts.n_first(match) - first_counts.n_first(swapped)
    return swapped if lead > 0 or (lead == 0 and flip()) else match


def _key(first: int, second: int) -> int:
    return (int(first) << SHIFT) | int(second)
