"""TopTwo: of two players who may be best, ask what tells most about which of them is."""

from __future__ import annotations

import numpy as np

from maxin.core import InvalidInput, Match, check_whole
from maxin.ratings.posterior_kernels import Belief
from maxin.schedulers.posterior import information as telling
from maxin.schedulers.posterior.base import PosteriorScheduler

N_DRAWS = 21  # of the posterior, at most: one for x, and until another one differs


class TopTwo(PosteriorScheduler):
    """Finds the best, or the k best, and has nothing to tune.

    Two draws from the posterior that disagree about who belongs to the top k give two players, one
    in and one out (top-two Thompson sampling, Russo 2016). Then the match, of those that either of
    them may play, which lowers the variance of the difference of the two strengths most: often
    against a third player, for "best" is best against the field.

    Args:
        n_players: how many players take part.
        rng: draws from the posterior.
        k: how many are to be found.
        kappa: see `Posterior`.

    >>> from maxin.core import Result
    >>> rng = np.random.default_rng(0)
    >>> scheduler = TopTwo(4, rng=rng)
    >>> for _ in range(30):  # player 3 wins whatever it plays
    ...     match = scheduler.ask()
    ...     score = float(match.first == 3) if 3 in match else 0.5
    ...     scheduler.tell(Result(match, score))
    >>> scheduler.posterior.top_chances(rng).round(2)
    array([0., 0., 0., 1.])
    """

    def __init__(
        self, n_players: int, *, rng: np.random.Generator, k: int = 1, kappa: float = 1.0
    ) -> None:
        super().__init__(n_players, rng=rng, kappa=kappa)
        if not 1 <= check_whole(k, "k") < n_players:
            raise InvalidInput(f"the top holds 1 to {n_players - 1} players; got k={k}")
        self.k = k

    def _ask_for(self, belief: Belief) -> Match:
        x, y = telling.boundary_pair(belief, self._normals(N_DRAWS), self.k)
        first, second = telling.most_telling(belief, x, y)
        return Match(int(first), int(second))
