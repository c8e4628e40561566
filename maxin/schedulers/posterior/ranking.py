"""Ranking: find the order of all players."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import Match
from maxin.kernels import information
from maxin.kernels.posterior import PosteriorState
from maxin.ratings import Features
from maxin.schedulers.posterior.base import PosteriorScheduler


class Ranking(PosteriorScheduler):
    """Finds the order of all players, with nothing to tune.

    Of all neighbours in the current order, it takes the two whose match is expected to lower the
    number of misordered neighbours most; if every order is nearly certain, the two with the least
    certain one. Then it asks the most informative match about these two.
    Nothing is random.

    Args:
        n_players: how many players take part.
        rng: not used; every scheduler takes one.
        kappa: see `Posterior`.
        features: see `Posterior`.
        half_life: see `Posterior`.

    >>> from maxin.core import Result
    >>> scheduler = Ranking(5, rng=np.random.default_rng(0))
    >>> for _ in range(40):  # the lower number always loses
    ...     match = scheduler.ask()
    ...     scheduler.tell(Result(match, float(match.first > match.second)))
    >>> np.argsort(scheduler.ratings())
    array([0, 1, 2, 3, 4])
    """

    def __init__(
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        kappa: float = 1.0,
        features: Features | ArrayLike | None = None,
        half_life: float | None = None,
    ) -> None:
        super().__init__(n_players, rng=rng, kappa=kappa, features=features, half_life=half_life)

    def _ask_for(self, state: PosteriorState) -> Match:
        ranking = np.argsort(-state.strengths, kind="stable")
        x, y = information.doubtful_neighbours(state, ranking)
        first, second = information.most_informative_match(state, x, y)
        return Match(int(first), int(second))
