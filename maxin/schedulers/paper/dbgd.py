"""DBGD: the winner stays."""

from __future__ import annotations

import numpy as np

from maxin.core import Match, Result
from maxin.ratings.base import Learner
from maxin.schedulers.base import Draws, LearningScheduler, nth_free


class DBGD(LearningScheduler):
    """A champion meets random opponents and is replaced when beaten (Yue and Joachims 2009).

    This is dueling bandit gradient descent without features: instead of a direction, it tries a
    player drawn uniformly among the others. After a draw the champion stays.

    Args:
        learner: rates the players.
        rng: draws the first champion and the opponents.

    >>> from maxin.ratings import BradleyTerry
    >>> dbgd = DBGD(BradleyTerry(3), rng=np.random.default_rng(0))
    >>> champion, opponent = dbgd.ask()
    >>> dbgd.tell(Result(Match(champion, opponent), 0.0))
    >>> dbgd.champion == opponent
    True
    """

    def __init__(self, learner: Learner, *, rng: np.random.Generator) -> None:
        super().__init__(learner)
        self.champion = int(rng.integers(self.n_players))
        self._draws = Draws(rng)

    def _choose(self) -> Match:
        met = {player for match in self.in_flight if self.champion in match for player in match}
        taken = met | {self.champion} if len(met) < self.n_players else {self.champion}
        opponent = nth_free(self._draws[self.position], self.n_players, taken)
        return Match(self.champion, opponent)

    def _learn(self, result: Result) -> None:
        super()._learn(result)
        (first, second), score = result
        if first == self.champion and score < 0.5:
            self.champion = second
        elif second == self.champion and score > 0.5:
            self.champion = first
