"""Random: every pair is equally likely."""

from __future__ import annotations

import numpy as np

from maxin.core import Match
from maxin.ratings.base import Learner
from maxin.ratings.elo import Online
from maxin.schedulers.base import Draws, LearningScheduler, n_pairs, nth_free, pair_of, place_of


class Random(LearningScheduler):
    """Draws one of the n (n - 1) / 2 pairs uniformly, with replacement  (paper, baseline Random).

    Args:
        learner: rates the players.
        rng: draws the matches.

    >>> from maxin.ratings import BradleyTerry
    >>> Random(BradleyTerry(100), rng=np.random.default_rng(0)).ask()
    Match(first=2, second=21)
    """

    def __init__(self, learner: Learner, *, rng: np.random.Generator) -> None:
        super().__init__(learner)
        self._draws = Draws(rng)

    @property
    def has_tables(self) -> bool:
        """See `BaseScheduler.has_tables`; only its learner may have any."""
        return not isinstance(self.learner, Online)

    def _choose(self) -> Match:
        taken = [place_of(match) for match in self.in_flight]
        return pair_of(nth_free(self._draws[self.position], n_pairs(self.n_players), taken))
