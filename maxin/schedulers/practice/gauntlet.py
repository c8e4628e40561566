"""Gauntlet: one player, or a few, against all others."""

from __future__ import annotations

from typing import Literal

import numpy as np

from maxin.core import InvalidInput, Match, check_whole
from maxin.kernels.posterior import PAIRS
from maxin.schedulers.match_plan import MatchPlan
from maxin.schedulers.practice.base import PlannedScheduler


class Gauntlet(PlannedScheduler):
    """The challengers meet everyone else in turn, each other too, again and again.

    It compares a new player with known ones. It does not find the best of the others, who never
    meet each other.

    Args:
        n_players: how many players take part.
        rng: draws the order of the opponents.
        who: the challengers are those at the start of the field ("first") or at its end ("last"),
            where players who join are.
        size: how many challengers there are; everyone if the field is smaller.

    >>> gauntlet = Gauntlet(4, rng=np.random.default_rng(0), who="last")
    >>> [tuple(match) for match in gauntlet.ask_many(4)]
    [(3, 2), (3, 0), (3, 1), (2, 3)]
    """

    def __init__(
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        who: Literal["first", "last"] = "first",
        size: int = 1,
    ) -> None:
        super().__init__(n_players, rng=rng)
        if who not in ("first", "last"):
            raise InvalidInput(f"who, the challengers, must be 'first' or 'last'; got {who!r}")
        if check_whole(size, "size") < 1:
            raise InvalidInput(f"size, the number of challengers, must be at least 1; got {size}")
        places = range(n_players) if who == "first" else range(n_players)[::-1]
        self.challengers = list(places[:size])
        opponents = rng.permutation(n_players).tolist()
        self._pairs = np.array([
            (challenger, other)
            for other in opponents
            for place, challenger in enumerate(self.challengers)
            if other not in self.challengers[: place + 1]
        ])  # fmt: skip
        self._begin()

    def _begin(self) -> None:
        self._plan = MatchPlan(self._pairs, self.in_flight)
        state = self.posterior.state
        n_met = state.counts[PAIRS]
        for pair, played in zip(state.pairs[:n_met], state.played[:n_met], strict=True):
            self._plan.take(Match(*pair.tolist()), round(played))

    def _finishes(self, match: Match) -> bool:
        return False

    def _choose(self) -> Match | None:
        return self._plan.next_match(again=True)
