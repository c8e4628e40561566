"""TopTwo: ask the most informative match about two players who may belong to the top."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import InvalidInput, Match, check_whole
from maxin.ratings import Features
from maxin.ratings.posterior.pending import WithPending
from maxin.ratings.posterior.state_kernels import PosteriorState
from maxin.schedulers.posterior import information
from maxin.schedulers.posterior.base import PosteriorScheduler
from maxin.schedulers.posterior.draws import StrengthDraws

PLAYED_IN = 5.0  # matches per player from which on draws have their full noise

Scales = tuple[float, float]  # factors of the noise of the first draw and of the others
FULL: Scales = (1.0, 1.0)


class TopTwo(PosteriorScheduler):
    """Finds the best player, or the k best, with nothing to tune.

    Two draws from the posterior that disagree about the top k give two players, one in the top and
    one outside (top-two Thompson sampling, Russo 2016). Of all matches that either of them can
    play, it asks the one that lowers the variance of the difference of their strengths most. This
    is often a match against a third player, because strength is measured against the whole field.

    In the first 5 n matches the draws have less noise (`draw_scales`): the first is close to the
    posterior means, so the current leaders are tested most, and a leader by luck is found out.

    Args:
        n_players: how many players take part.
        rng: draws from the posterior.
        k: how many of the best players to find.
        kappa: see `Posterior`.
        features: see `Posterior`.

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
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        k: int = 1,
        kappa: float = 1.0,
        features: Features | ArrayLike | None = None,
    ) -> None:
        super().__init__(n_players, rng=rng, kappa=kappa, features=features)
        if not 1 <= check_whole(k, "k") < n_players:
            raise InvalidInput(
                f"k, the size of the top, must be at least 1 and less than the number of players; "
                f"got {k}"
            )
        self.k = k

    def _ask_for(self, state: PosteriorState) -> Match:
        scales = draw_scales(self.position, self.n_players)
        return top_two_match(state, self._counting, self._draws, self.position, self.k, scales)


def draw_scales(n_matches: int, n_players: int) -> Scales:
    """The noise of the draws for the match after `n_matches`: (a, (1 + a) / 2), in shares.

    a = (n_matches + 1) / (5 n) grows to 1. docs/notes/posterior.md has the runs that chose it.

    >>> draw_scales(74, n_players=30), draw_scales(1000, n_players=30)
    ((0.5, 0.75), (1.0, 1.0))
    """
    share = min((n_matches + 1.0) / (PLAYED_IN * n_players), 1.0)
    return share, (1.0 + share) / 2.0


def top_two_match(
    state: PosteriorState,
    counting: WithPending,
    draws: StrengthDraws,
    position: int,
    k: int,
    scales: Scales = FULL,
) -> Match:
    """The most informative match about two players, one in the top k and one outside.

    `state` is the one that `counting` returned last; `scales` are those of `drawn_match`.
    """
    for numbers in draws.tries(position, state):
        first, second = information.drawn_match(state, *numbers, k, scales)
        if first >= 0:
            return Match(int(first), int(second))
    x, y = information.nearest_boundary(state, counting.strength_var(), k)
    first, second = information.most_informative_match(state, x, y)
    return Match(int(first), int(second))
