"""DoubleThompson: the winners of two draws from the posterior play each other."""

from __future__ import annotations

from typing import Literal

import numpy as np

from maxin.core import InvalidInput, Match
from maxin.ratings.kernels import Belief
from maxin.schedulers import telling
from maxin.schedulers.posterior import PosteriorScheduler

LEAST_SCALE, MOST_SCALE = 0.5, 0.8  # of the draws; between them it is the spread of the ratings


class DoubleThompson(PosteriorScheduler):
    """Finds good matches early: least regret, nothing to tune (Wu and Liu 2016).

    Both players of a match are the best of a draw from the posterior, strengths + scale * noise;
    scale is the learnt spread of the ratings, held between 0.5 and 0.8: below 1, since a match of
    the two who seem best costs little even where they are not.

    Args:
        n_players: how many players take part.
        rng: draws from the posterior.
        kappa: see `Posterior`.
        alone: what happens when both draws have the same winner: "rival", it meets the player who
            may most easily be better; "self", it meets itself, as in the paper's figures: no
            regret, nothing learnt.

    >>> from maxin.core import Result
    >>> scheduler = DoubleThompson(4, rng=np.random.default_rng(0))
    >>> for _ in range(30):  # player 3 wins whatever it plays
    ...     match = scheduler.ask()
    ...     score = float(match.first == 3) if 3 in match else 0.5
    ...     scheduler.tell(Result(match, score))
    >>> int(scheduler.ratings().argmax())
    3
    """

    def __init__(
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        kappa: float = 0.5,
        alone: Literal["rival", "self"] = "rival",
    ) -> None:
        super().__init__(n_players, rng=rng, kappa=kappa)
        if alone not in ("rival", "self"):
            raise InvalidInput(f"alone must be 'rival' or 'self'; got {alone!r}")
        self.alone = alone

    def _ask_for(self, belief: Belief) -> Match:
        scale = min(max(self.posterior.spread, LEAST_SCALE), MOST_SCALE)
        draws = [telling.drawn(belief, normals, scale) for normals in self._normals(2)]
        first, second = (int(draw.argmax()) for draw in draws)
        is_same = first == second and self.alone == "rival"
        if is_same or telling.is_waiting(belief, first, second):
            second = telling.nearest_rival(belief, first)
        return Match(first, second)

    def _check_self_match(self, match: Match) -> None:
        if self.alone != "self":
            super()._check_self_match(match)
