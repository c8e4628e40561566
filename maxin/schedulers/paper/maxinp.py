"""MaxInP: MaxIn's choice of matches, with ratings fitted to all results every round."""

from __future__ import annotations

import numpy as np

from maxin.core import Result
from maxin.kernels import widths as kernels
from maxin.ratings.base import Array
from maxin.ratings.bradley_terry import BradleyTerry
from maxin.schedulers.paper.maxin import Alone, CandidateScheduler


class MaxInP(CandidateScheduler):
    """The most informative pair of candidates (Saha and Gopalan 2020), by Bradley-Terry ratings.

    Args:
        n_players: how many players take part.
        rng: draws the first batch.
        exploration: gamma, see `MaxIn`.
        batch_size: tau, the number of random matches at the start; 0.7 n by default.
        prior_scale: standard deviation of the fit's Gaussian prior, in nats.
        alone: see `CandidateScheduler`.

    >>> from maxin.core import Match
    >>> maxinp = MaxInP(3, rng=np.random.default_rng(0))
    >>> for _ in range(4):
    ...     maxinp.tell(Result(Match(0, 1), 1.0))
    >>> maxinp.ratings()
    array([ 0.741, -0.741,  0.   ])
    """

    def __init__(
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        exploration: float = 1.0,
        batch_size: int | None = None,
        prior_scale: float = 1.0,
        alone: Alone = "rival",
    ) -> None:
        super().__init__(
            n_players, exploration=exploration, batch_size=batch_size, rng=rng, alone=alone
        )
        self.learner = BradleyTerry(n_players, prior_scale=prior_scale)

    def ratings(self) -> Array:
        """The maximum a posteriori ratings given all results."""
        return self.learner.ratings()

    def _learn(self, result: Result) -> None:
        self.uncertainty.observe(result.match)
        if result.match.first != result.match.second:
            self.learner.tell(result)
        self._find_candidates()

    def _find_candidates(self) -> None:
        if self.n_told >= self.batch_size:
            ratings = self.learner.ratings()
            self._consider(kernels.floors_of_ratings(ratings, self.exploration))
