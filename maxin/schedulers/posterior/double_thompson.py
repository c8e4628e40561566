"""DoubleThompson: compare the winners of two draws from the posterior."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import InvalidInput, Match
from maxin.kernels import information
from maxin.kernels.posterior import PosteriorState, drawn
from maxin.ratings import Features
from maxin.schedulers.posterior.base import PosteriorScheduler

# Factor of the noise of a draw, chosen by the runs in docs/explanation/notes/posterior.md.
SCALE = 0.7


class DoubleThompson(PosteriorScheduler):
    """Plays few but good matches: the least regret, with nothing to tune.

    Two draws from the posterior, strengths + 0.7 noise, have a winner each (double Thompson
    sampling, Wu and Liu 2016). If the winners differ, the match asked is the most informative one
    about which of the two is stronger, as in `TopTwo`. The noise is reduced because a wrong choice
    among nearly equal players costs little.

    Args:
        n_players: how many players take part.
        rng: draws from the posterior.
        kappa: see `Posterior`.
        features: see `Posterior`.
        half_life: see `Posterior`.
        alone: what to do if both draws have the same winner. "rival": it is compared with the
            player most likely to be better. "self": it meets itself, as in the paper's figures,
            which costs no regret and teaches nothing.

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
        features: Features | ArrayLike | None = None,
        half_life: float | None = None,
        alone: Literal["rival", "self"] = "rival",
    ) -> None:
        super().__init__(n_players, rng=rng, kappa=kappa, features=features, half_life=half_life)
        if alone not in ("rival", "self"):
            raise InvalidInput(f"alone must be 'rival' or 'self'; got {alone!r}")
        self.alone = alone

    def _ask_for(self, state: PosteriorState) -> Match:
        draws = drawn(state, *self._draws.two(self.position, state), SCALE)
        x, y = draws.argmax(axis=1).tolist()
        if x == y:
            if self.alone == "self":
                return Match(x, x)
            y = information.nearest_rival(state, self._counting.strength_var(), x)
        first, second = information.most_informative_match(state, x, y)
        return Match(int(first), int(second))

    def _check_self_match(self, match: Match) -> None:
        if self.alone != "self":
            super()._check_self_match(match)
