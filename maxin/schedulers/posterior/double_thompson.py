"""DoubleThompson: ask only while two draws from the posterior have different winners."""

from __future__ import annotations

from typing import Literal

import numpy as np

from maxin.core import InvalidInput, Match
from maxin.ratings.posterior_kernels import Belief
from maxin.schedulers.posterior import information as telling
from maxin.schedulers.posterior.base import PosteriorScheduler

SCALE = 0.5  # of the noise of a draw; docs/notes/posterior.md has the runs that chose it


class DoubleThompson(PosteriorScheduler):
    """Plays little but good matches: least regret, and nothing to tune.

    Two draws from the posterior, strengths + noise / 2, have a winner each (double Thompson
    sampling, Wu and Liu 2016). If they differ, the match is asked that tells most about which of
    the two is stronger, as `TopTwo` does. The noise is halved since a wrong choice among players
    who seem nearly as good costs little.

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
        kappa: float = 1.0,
        alone: Literal["rival", "self"] = "rival",
    ) -> None:
        super().__init__(n_players, rng=rng, kappa=kappa)
        if alone not in ("rival", "self"):
            raise InvalidInput(f"alone must be 'rival' or 'self'; got {alone!r}")
        self.alone = alone

    def _ask_for(self, belief: Belief) -> Match:
        draws = [telling.drawn(belief, normals, SCALE) for normals in self._normals(2)]
        x, y = (int(draw.argmax()) for draw in draws)
        if x == y:
            if self.alone == "self":
                return Match(x, x)
            y = telling.nearest_rival(belief, x)
        first, second = telling.most_telling(belief, x, y)
        return Match(int(first), int(second))

    def _check_self_match(self, match: Match) -> None:
        if self.alone != "self":
            super()._check_self_match(match)
