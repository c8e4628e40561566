"""Ranking: ask for what rights the whole order soonest."""

from __future__ import annotations

import numpy as np

from maxin.core import Match
from maxin.ratings.posterior_kernels import Belief
from maxin.schedulers.posterior import information as telling
from maxin.schedulers.posterior.base import PosteriorScheduler


class Ranking(PosteriorScheduler):
    """Orders all players, and has nothing to tune.

    Of neighbours in the present order, the two whose match is expected to lower the number of
    misordered neighbours most; then the match that tells most about those two. No lots are drawn.

    Args:
        n_players: how many players take part.
        rng: is not used, but every scheduler takes one.
        kappa: see `Posterior`.

    >>> from maxin.core import Result
    >>> scheduler = Ranking(5, rng=np.random.default_rng(0))
    >>> for _ in range(40):  # the lower number always loses
    ...     match = scheduler.ask()
    ...     scheduler.tell(Result(match, float(match.first > match.second)))
    >>> np.argsort(scheduler.ratings())
    array([0, 1, 2, 3, 4])
    """

    def __init__(self, n_players: int, *, rng: np.random.Generator, kappa: float = 1.0) -> None:
        super().__init__(n_players, rng=rng, kappa=kappa)

    def _ask_for(self, belief: Belief) -> Match:
        x, y = telling.doubtful_neighbours(belief)
        first, second = telling.most_telling(belief, x, y)
        return Match(int(first), int(second))
