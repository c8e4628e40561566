"""Halving: the weaker half is dropped, again and again."""

from __future__ import annotations

import numpy as np

from maxin.core import InvalidInput, Match, check_whole
from maxin.core.stored import Arrays, StoredArrays, Unusable, whole, wholes
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
        self.n_passes = 0  # how often one was left
        self.left = list(range(n_players))
        self._begin()

    def _begin(self) -> None:
        """Plan a league of those left; it is repeated while the stage lasts."""
        n_matches = max(1, self.budget * 2**self.n_passes // self.n_stages)
        order = self._draws.generator(self.n_told).permutation(self.left).tolist()
        n_fixtures = min(n_matches, n_pairs(len(order)))
        pairs = np.array([fixture(order, number) for number in range(n_fixtures)])
        self._plan, self._end = MatchPlan(pairs, self.in_flight), self.n_told + n_matches

    def _finishes(self, match: Match) -> bool:
        if self.n_told < self._end:
            return False
        ratings = self.posterior.ratings()
        best = sorted(self.left, key=lambda player: -ratings[player])
        self.left = sorted(best[: (len(best) + 1) // 2])
        if len(self.left) == 1:
            self.left = list(range(self.n_players))
            self.n_passes += 1
        return True

    def _choose(self) -> Match | None:
        return self._plan.next_match(again=True)

    def stored(self) -> Arrays:
        """See `Storable`."""
        return super().stored() | {
            "left": wholes(self.left),
            "n_passes": whole(self.n_passes),
            "end": whole(self._end),
        }

    def restore(self, stored: StoredArrays) -> None:
        """See `Storable`."""
        super().restore(stored)
        self.left = stored.wholes("left", (None,), high=self.n_players - 1).tolist()
        self.n_passes = stored.whole("n_passes", high=(self.n_told + 1).bit_length())
        self._end = stored.whole("end", low=self.n_told + 1)
        if len(self.left) < 2 or sorted(set(self.left)) != self.left:
            raise Unusable("these are not the players of a stage")
