"""The common part of the schedulers that plan matches ahead."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from maxin.core import Match, Result
from maxin.core.arrays import Ints
from maxin.ratings.fitting.pairs import Pairs
from maxin.schedulers.base import Draws
from maxin.schedulers.match_plan import MatchPlan, PlansMatches, unordered
from maxin.schedulers.posterior.base import RatedByPosterior


class PlannedScheduler(PlansMatches, RatedByPosterior):
    """Plays the matches of a plan, and makes the next plan when this one is finished.

    A plan depends on the results alone, so a log is enough to continue. Subclasses call `_begin`
    once they are built.

    Args:
        n_players: how many players take part.
        rng: draws whatever the plans leave open.
        half_life: see `Posterior`.
    """

    has_plan: ClassVar[bool] = True

    def __init__(
        self, n_players: int, *, rng: np.random.Generator, half_life: float | None = None
    ) -> None:
        super().__init__(n_players, half_life=half_life)
        self._draws = Draws(rng)

    @abstractmethod
    def _begin(self) -> None:
        """Plan the next matches from the results so far."""

    @abstractmethod
    def _finishes(self, match: Match) -> bool:
        """Count the result of this match, just learnt; True if it finishes the plan."""

    def start_from(self, pairs: Pairs, split: float, n_told: int | None = None) -> None:
        """See `StartsFromPoints`; a new plan follows from the points."""
        super().start_from(pairs, split, n_told)
        self._begin()

    def _learn(self, result: Result) -> None:
        super()._learn(result)
        if self._finishes(result.match):
            self._begin()


class RoundScheduler(PlannedScheduler):
    """Plays rounds: the next one is paired when every match of this one has a result.

    A result counts for the round if its players are paired in it, asked for or not. Subclasses
    pair the players.
    """

    _missing: set[tuple[int, int]]  # the pairs of this round that have no result yet

    def _begin(self) -> None:
        pairs = self._paired(self._draws.generator(self.n_told))
        self._plan = MatchPlan(pairs, self.in_flight)
        self._missing = self._round()

    @abstractmethod
    def _paired(self, rng: np.random.Generator) -> Ints:
        """The pairs of the next round, as rows: each pair once."""

    def _round(self) -> set[tuple[int, int]]:
        return {unordered(*pair) for pair in self._plan.pairs.tolist()}

    def _finishes(self, match: Match) -> bool:
        self._missing.discard(unordered(*match))
        return not self._missing

    def _choose(self) -> Match | None:
        return self._plan.next_match()
