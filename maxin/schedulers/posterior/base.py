"""The common part of the schedulers that learn a posterior."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import Match, Result
from maxin.kernels.posterior import PosteriorState
from maxin.ratings import Features, Posterior
from maxin.ratings.base import Array
from maxin.ratings.fitting.pairs import Pairs
from maxin.ratings.posterior.pending import WithPending
from maxin.schedulers.base import BaseScheduler
from maxin.schedulers.posterior.draws import StrengthDraws


class RatedByPosterior(BaseScheduler):
    """Rates players by a `Posterior`; subclasses choose the match.

    Args:
        n_players: how many players take part.
        kappa: see `Posterior`.
        features: see `Posterior`.
        half_life: see `Posterior`.
    """

    def __init__(
        self,
        n_players: int,
        *,
        kappa: float = 1.0,
        features: Features | ArrayLike | None = None,
        half_life: float | None = None,
    ) -> None:
        super().__init__(n_players)
        self.posterior = Posterior(n_players, kappa=kappa, features=features, half_life=half_life)
        self._counting = WithPending(self.posterior)

    def ratings(self) -> Array:
        """The posterior means of the strengths."""
        return self.posterior.ratings()

    def start_from(self, pairs: Pairs, split: float, n_told: int | None = None) -> None:
        """See `StartsFromPoints`; the posterior is settled.

        `n_told` is the number of results; it is given if they have faded.
        """
        self.posterior.fit(pairs.table(), split=split)
        if n_told is not None:
            self.posterior.start_with(self.posterior.state, n_told)
            self.posterior.is_faded = True
        self.n_told = self.posterior.n_told
        self._counting.forget()

    def fade(self, share: float) -> None:
        """See `Fades`."""
        self._counting.forget()
        self.posterior.fade(share)

    def _learn(self, result: Result) -> None:
        self._counting.forget()
        if result.match.first != result.match.second:
            self.posterior.tell(result)

    def state_with_pending(self) -> PosteriorState:
        """The posterior's state with every pending match counted: narrower, with the same means."""
        return self._counting.state(list(self.in_flight))


class PosteriorScheduler(RatedByPosterior):
    """Chooses by the posterior, in which pending matches already narrow the uncertainty.

    Subclasses choose the match.

    Args:
        n_players: how many players take part.
        rng: draws from the posterior.
        kappa: see `Posterior`.
        features: see `Posterior`.
        half_life: see `Posterior`.
    """

    def __init__(
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        kappa: float,
        features: Features | ArrayLike | None = None,
        half_life: float | None = None,
    ) -> None:
        super().__init__(n_players, kappa=kappa, features=features, half_life=half_life)
        self._draws = StrengthDraws(n_players, rng)

    def _choose(self) -> Match | None:
        return self._ask_for(self.state_with_pending())

    @abstractmethod
    def _ask_for(self, state: PosteriorState) -> Match | None:
        """The match that is most useful in this state."""
