"""Knockout: the loser is out."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from maxin.core import Match, Result
from maxin.ratings.base import Learner
from maxin.schedulers.base import Draws, LearningScheduler
from maxin.schedulers.round_robin import check_cycles


class Knockout(LearningScheduler):
    """Single elimination from a random draw, with byes for odd players; drawn matches are replayed.

    A result counts for the cup if its players are drawn against each other, asked for or not.

    Args:
        learner: rates the players.
        rng: draws the pairings of each cup.
        cycles: how many cups to play; None for no limit.

    >>> from maxin.ratings import BradleyTerry
    >>> cup = Knockout(BradleyTerry(8), rng=np.random.default_rng(0))
    >>> while (match := cup.ask()) is not None:
    ...     cup.tell(Result(match, float(match.first > match.second)))
    >>> cup.n_told, cup.champion
    (7, 7)
    """

    needs_whole_rounds: ClassVar[bool] = True
    has_plan: ClassVar[bool] = True

    def __init__(
        self, learner: Learner, *, rng: np.random.Generator, cycles: int | None = 1
    ) -> None:
        super().__init__(learner)
        self.cycles = check_cycles(cycles)
        self.champion: int | None = None  # the winner of the last finished cup
        self.n_cups = 0
        self._draws = Draws(rng)
        self._start_cup()

    def _start_cup(self) -> None:
        self._start_round(self._draws.generator(self.n_cups).permutation(self.n_players).tolist())

    def _start_round(self, players: list[int]) -> None:
        """Pair neighbours; if their number is odd, the last player advances."""
        self._players = players
        self._through: dict[int, int] = {}  # the winner of each decided pairing, by its number
        self._ties = {
            frozenset(pair): number
            for number, pair in enumerate(zip(players[0::2], players[1::2], strict=False))
        }

    def _choose(self) -> Match | None:
        flying = {frozenset(match) for match in self.in_flight}
        for pair, number in self._ties.items():
            if number not in self._through and pair not in flying:
                return Match(*self._players[2 * number : 2 * number + 2])
        return None

    def _learn(self, result: Result) -> None:
        super()._learn(result)
        (first, second), score = result
        number = self._ties.get(frozenset(result.match))
        if number is None or number in self._through or score == 0.5:
            return
        self._through[number] = first if score > 0.5 else second
        if len(self._through) == len(self._ties):
            self._finish_round()

    def _finish_round(self) -> None:
        winners = [self._through[number] for number in range(len(self._ties))]
        bye = self._players[2 * len(self._ties) :]
        if len(winners) + len(bye) > 1:
            self._start_round(winners + bye)
            return
        self.champion = winners[0]
        self.n_cups += 1
        if self.cycles is None or self.n_cups < self.cycles:
            self._start_cup()
        else:
            self._start_round(winners)
