"""Halving: the weaker half is dropped, again and again."""

from __future__ import annotations

import numpy as np

from maxin.core import InvalidInput, Match, check_whole
from maxin.ratings.fitting.pairs import Pairs
from maxin.schedulers.base import n_pairs
from maxin.schedulers.match_plan import MatchPlan
from maxin.schedulers.practice.base import PlannedScheduler
from maxin.schedulers.round_robin import fixture


class Halving(PlannedScheduler):
    """Finds the best player by successive halving (Karnin et al. 2013).

    The budget is divided evenly among ceil(log2 n) stages. In each, those left meet each other in
    the rounds of a league, and the better half of them by the ratings stays. When one is left,
    everyone takes part again, with twice the budget; nothing that was learnt is forgotten.

    Args:
        n_players: how many players take part.
        rng: draws the leagues.
        budget: matches until one is left for the first time; n ceil(log2 n) by default.

    >>> from maxin.core import Result
    >>> scheduler = Halving(8, rng=np.random.default_rng(0), budget=60)
    >>> for _ in range(40):  # two stages; the higher number wins
    ...     match = scheduler.ask()
    ...     scheduler.tell(Result(match, float(match.first > match.second)))
    >>> sorted(scheduler.left)
    [6, 7]
    """

    def __init__(
        self, n_players: int, *, rng: np.random.Generator, budget: int | None = None
    ) -> None:
        super().__init__(n_players, rng=rng)
        if budget is not None and check_whole(budget, "the budget of halving") < 1:
            raise InvalidInput(f"the budget of halving must be at least 1 match; got {budget}")
        self.n_stages = (n_players - 1).bit_length()
        self.budget = n_players * self.n_stages if budget is None else budget
        self.n_passes = 0  # how often a single player was left
        self.left = list(range(n_players))
        self._begin()

    def start_from(self, pairs: Pairs, split: float, n_told: int | None = None) -> None:
        """See `StartsFromPoints`; the stage follows from the number of results.

        Those left are then the best by the ratings. If somebody has not played yet, everyone is.
        """
        super().start_from(pairs, split, n_told)
        if len(np.unique(pairs.rows())) < self.n_players:
            return
        played = self.n_told
        while played >= self.n_stages * self._stage_length():
            played -= self.n_stages * self._stage_length()
            self.n_passes += 1
        stage, played = divmod(played, self._stage_length())
        for _ in range(stage):
            self.left = self._better_half()
        self._begin()
        self._end -= played

    def _stage_length(self) -> int:
        return max(1, (self.budget << self.n_passes) // self.n_stages)

    def _better_half(self) -> list[int]:
        ratings = self.posterior.ratings()
        best = sorted(self.left, key=lambda player: -ratings[player])
        return sorted(best[: (len(best) + 1) // 2])

    def _begin(self) -> None:
        """Plan a league of those left; it is repeated while the stage lasts."""
        n_matches = self._stage_length()
        order = self._draws.generator(self.n_told).permutation(self.left).tolist()
        n_fixtures = min(n_matches, n_pairs(len(order)))
        pairs = np.array([fixture(order, number) for number in range(n_fixtures)])
        self._plan, self._end = MatchPlan(pairs, self.in_flight), self.n_told + n_matches

    def _finishes(self, match: Match) -> bool:
        if self.n_told < self._end:
            return False
        self.left = self._better_half()
        if len(self.left) == 1:
            self.left = list(range(self.n_players))
            self.n_passes += 1
        return True

    def _choose(self) -> Match | None:
        return self._plan.next_match(again=True)
