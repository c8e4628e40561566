"""Matches planned ahead: the first one that is neither played nor pending is next."""

from __future__ import annotations

from collections.abc import Iterable

from maxin.core import Match, Result
from maxin.core.arrays import Ints
from maxin.schedulers.base import BaseScheduler


class MatchPlan:
    """Pairs in the order in which they are to meet.

    A pair is taken once it is pending, or has a result since the plan was made. So what is asked
    next depends on the plan, the results and the pending matches alone. Seats are swapped whenever
    the plan is repeated, so that nobody is always first.

    Args:
        pairs: the pairs, as rows.
        pending: the matches that are pending when the plan is made.

    >>> import numpy as np
    >>> plan = MatchPlan(np.array([[0, 1], [2, 3]]), [Match(1, 0)])
    >>> plan.next_match()
    Match(first=2, second=3)
    >>> plan.take(Match(2, 3))
    >>> plan.next_match(), plan.next_match(again=True)
    (None, Match(first=1, second=0))
    """

    def __init__(self, pairs: Ints, pending: Iterable[Match]) -> None:
        self.pairs = pairs
        self._order = [(first, second) for first, second in pairs.tolist()]
        self._taken: dict[tuple[int, int], int] = {}  # how often, by pair, the lower player first
        self._place = 0  # everything before it is taken
        for match in pending:
            self.take(match)

    def take(self, match: Match, times: int = 1) -> None:
        """Count a match that is pending or has a result now, or several of the same pair."""
        pair = unordered(*match)
        self._taken[pair] = self._taken.get(pair, 0) + times

    def free(self, match: Match) -> None:
        """Free the pair of a withdrawn match, and search the plan from the start."""
        self._taken[unordered(*match)] -= 1
        self._place = 0

    def next_match(self, *, again: bool = False) -> Match | None:
        """The first pair that is not taken; if all are, None, or with `again` the plan repeats."""
        while self._order and (again or self._place < len(self._order)):
            lap, place = divmod(self._place, len(self._order))
            first, second = self._order[place]
            if self._taken.get(unordered(first, second), 0) <= lap:
                return Match(second, first) if lap % 2 else Match(first, second)
            self._place += 1
        return None


class PlansMatches(BaseScheduler):
    """A scheduler with a plan, in which every match that is pending or has a result is taken."""

    _plan: MatchPlan

    def _take(self, result: Result) -> None:
        if not self._land(result.match):  # a pending match is taken already
            self._plan.take(result.match)
        self.n_told += 1
        self._learn(result)

    def _launch(self, match: Match) -> None:
        super()._launch(match)
        self._plan.take(match)

    def withdraw(self, match: Match) -> None:
        """See `Scheduler.withdraw`; the match is asked again."""
        super().withdraw(match)
        self._plan.free(match)


def unordered(first: int, second: int) -> tuple[int, int]:
    """Two players, the lower number first.

    >>> unordered(3, 1)
    (1, 3)
    """
    return (first, second) if first < second else (second, first)
