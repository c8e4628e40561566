"""TopTwo: ask the most informative match about two players who may belong to the top."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import InvalidInput, Match, check_whole
from maxin.kernels import information
from maxin.kernels.posterior import KAPPA2, SPREAD2, PosteriorState
from maxin.ratings import Features
from maxin.ratings.posterior.pending import WithPending
from maxin.schedulers.posterior.base import PosteriorScheduler
from maxin.schedulers.posterior.draws import StrengthDraws, Ties

PLAYED_IN = 5.0  # times n: matches before two draws choose, and before they have full noise
FEWEST = 30  # matches before two draws choose, in a small field
N_SWAPS = 8  # of a player in the top and one outside, that are compared for the next match
LARGE = 100  # players: a larger field counts as this many, since most players need a first match
MOST_CYCLIC = 8.0  # cap on the ratio of the variances of effects and ratings
LEAST = 1e-3  # least factor: enough to draw among players of equal means

Scales = tuple[float, float]  # factors of the noise of the first draw and of the others
FULL: Scales = (1.0, 1.0)


class TopTwo(PosteriorScheduler):
    """Finds the best player, or the k best, with nothing to tune.

    In the first 5 n matches (at least 30 and at most 500), it asks the match after which the
    strength of the top is expected to grow most, if then a player outside takes the place of one
    inside. So the current leaders are tested, and a leader by luck is found out. With features,
    every other one of these matches is already chosen by draws, as below: what a feature says is
    learnt from many players, not only from those in the lead.

    From then on, two draws from the posterior that disagree about the top k give two players, one
    in the top and one outside (top-two Thompson sampling, Russo 2016). Of all matches that either
    of them can play, it asks the one that lowers the variance of the difference of their strengths
    most. This is often a match against a third player, because strength is measured against the
    whole field. If there are cycles, the draws have less noise at first (`draw_scales`).

    Args:
        n_players: how many players take part.
        rng: draws from the posterior.
        k: how many of the best players to find.
        kappa: see `Posterior`.
        features: see `Posterior`.
        half_life: see `Posterior`.

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
        half_life: float | None = None,
    ) -> None:
        super().__init__(n_players, rng=rng, kappa=kappa, features=features, half_life=half_life)
        if not 1 <= check_whole(k, "k") < n_players:
            raise InvalidInput(
                f"k, the size of the top, must be at least 1 and less than the number of players; "
                f"got {k}"
            )
        self.k = k
        self._ties = Ties(n_players, rng)

    @property
    def has_tables(self) -> bool:
        """See `BaseScheduler.has_tables`; by name, a sieve takes its place in a large field."""
        return False

    def _ask_for(self, state: PosteriorState) -> Match:
        n_players = min(self.n_players, LARGE)
        is_early = self.position < max(PLAYED_IN * n_players, FEWEST)
        if is_early and (self.posterior.prior is None or self.position % 2 == 0):
            strengths = state.strengths + self._ties[self.position]
            first, second = information.most_improving_match(
                state, strengths, self._counting.strength_var(), self.k, N_SWAPS
            )
            return Match(int(first), int(second))
        cycles = float(state.scales[KAPPA2] / state.scales[SPREAD2])
        scales = draw_scales(self.position / n_players, cycles)
        return top_two_match(state, self._counting, self._draws, self.position, self.k, scales)


def draw_scales(matches: float, cycles: float) -> Scales:
    """The factors of the noise of the draws after so many matches per player: (a, (1 + a) / 2).

    a = matches / (5 cycles) grows from almost 0 to 1. `cycles` is kappa^2 / s^2, the ratio of the
    variances of effects and ratings, within 1 and 8; more than 100 players count as 100.
    docs/explanation/notes/posterior.md has the runs that chose this.

    >>> draw_scales(2.5, cycles=0.2), draw_scales(2.5, cycles=4.0), draw_scales(100.0, cycles=1.0)
    ((0.5, 0.75), (0.125, 0.5625), (1.0, 1.0))
    """
    share = matches / (PLAYED_IN * min(max(cycles, 1.0), MOST_CYCLIC))
    share = min(max(share, LEAST), 1.0)
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
