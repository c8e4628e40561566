"""Round robin: everyone meets everyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from maxin.core import InvalidInput, Match, Result
from maxin.ratings.base import Learner
from maxin.schedulers.base import LearningScheduler, n_pairs


class RoundRobin(LearningScheduler):
    """Every pair meets once per cycle, in rounds where everyone plays at most once (circle method).

    A result that nobody asked for counts as the pair's match in that cycle.

    Args:
        learner: rates the players.
        rng: draws the order of the players.
        cycles: how many times every pair meets; None for no limit.

    >>> from maxin.ratings import BradleyTerry
    >>> league = RoundRobin(BradleyTerry(4), rng=np.random.default_rng(0))
    >>> len(list(iter(league.ask, None)))
    6
    """

    has_plan: ClassVar[bool] = True

    def __init__(
        self, learner: Learner, *, rng: np.random.Generator, cycles: int | None = 1
    ) -> None:
        super().__init__(learner)
        self.cycles = check_cycles(cycles)
        self._order: list[int] = rng.permutation(self.n_players).tolist()
        self._met = np.zeros((self.n_players, self.n_players), dtype=np.int64)  # with pending ones
        self._fixture = 0  # all fixtures before this one are played or pending

    def _launch(self, match: Match) -> None:
        super()._launch(match)
        self._count(match, 1)

    def withdraw(self, match: Match) -> None:
        """See `Scheduler.withdraw`; the pair is asked again."""
        super().withdraw(match)
        self._fixture = 0

    def _choose(self) -> Match | None:
        while self.cycles is None or self._fixture < self.cycles * n_pairs(self.n_players):
            cycle, number = divmod(self._fixture, n_pairs(self.n_players))
            match = fixture(self._order, number)
            if self._met[match] <= cycle:
                # Seats are swapped in every other cycle, so that nobody is always first.
                return match if cycle % 2 == 0 else Match(match.second, match.first)
            self._fixture += 1
        return None

    def _land(self, match: Match, *, latest: bool = False) -> bool:
        landed = super()._land(match, latest=latest)
        if landed:
            self._count(match, -1)
        return landed

    def _learn(self, result: Result) -> None:
        super()._learn(result)
        self._count(result.match, 1)

    def _count(self, match: Match, times: int) -> None:
        self._met[match.first, match.second] += times
        self._met[match.second, match.first] += times


def fixture(order: Sequence[int], number: int) -> Match:
    """Fixture `number` of a cycle: one player keeps its place, the others rotate each round.

    >>> [tuple(fixture([0, 1, 2, 3], number)) for number in range(4)]
    [(3, 0), (1, 2), (1, 3), (2, 0)]
    """
    turn, table = divmod(number, len(order) // 2)
    if len(order) % 2:
        moving, table = len(order), table + 1  # the player who meets the empty seat rests
    else:
        moving = len(order) - 1
    here = order[(turn + table) % moving]
    there = order[(turn - table) % moving if table else moving]
    return Match(here, there) if table or turn % 2 else Match(there, here)


def check_cycles(cycles: int | None) -> int | None:
    """Return `cycles`, or raise unless it is None or at least 1."""
    if cycles is not None and cycles < 1:
        raise InvalidInput(f"cycles must be at least 1, or None for no limit; got {cycles!r}")
    return cycles
