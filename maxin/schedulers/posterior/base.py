"""What the posterior's schedulers share."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from maxin.core import Match, Result
from maxin.core.stored import Arrays, StoredArrays, part
from maxin.ratings import Posterior
from maxin.ratings.base import Array
from maxin.ratings.posterior.advantage_kernels import PosteriorState
from maxin.ratings.posterior.posterior_kernels import narrow
from maxin.schedulers.base import BaseScheduler, Draws

NARROWED = ("weights", "rating_cov", "cross_cov", "strength_cov", "root")  # what `narrow` changes


class PosteriorScheduler(BaseScheduler):
    """Rates players by a `Posterior`, in which pending matches already narrow the uncertainty.

    Subclasses choose the match.

    Args:
        n_players: how many players take part.
        rng: draws from the posterior.
        kappa: see `Posterior`.
    """

    def __init__(self, n_players: int, *, rng: np.random.Generator, kappa: float) -> None:
        super().__init__(n_players)
        self.posterior = Posterior(n_players, kappa=kappa)
        self._draws = Draws(rng)
        self._narrowed: PosteriorState | None = None  # the posterior with pending matches counted
        self._counted: list[Match] = []  # the pending matches counted in it, in this order

    def ratings(self) -> Array:
        """The posterior means of the strengths."""
        return self.posterior.ratings()

    def start_from(self, points: Array, split: float) -> None:
        """See `StartsFromPoints`; the posterior is settled."""
        self.posterior.fit(points, split=split)
        self.n_told = self.posterior.n_told
        self._narrowed = None

    def _learn(self, result: Result) -> None:
        self._narrowed = None
        if result.match.first != result.match.second:
            self.posterior.tell(result)

    def stored(self) -> Arrays:
        """See `Storable`; a subclass with a state of its own adds to it."""
        return self._stored_counts() | part("posterior", self.posterior.stored())

    def restore(self, stored: StoredArrays) -> None:
        """See `Storable`."""
        self._restore_counts(stored)
        self.posterior.restore(stored.part("posterior"))

    def _choose(self) -> Match | None:
        return self._ask_for(self.state_with_pending())

    @abstractmethod
    def _ask_for(self, state: PosteriorState) -> Match | None:
        """The match that is most useful in this state."""

    def _normals(self, n_draws: int) -> Array:
        """Normal random numbers for the position of the next match, one row per draw."""
        return self._draws.generator(self.position).standard_normal((n_draws, self.n_players))

    def state_with_pending(self) -> PosteriorState:
        """The posterior's state with every pending match counted: narrower, with the same means."""
        now = self.posterior.state
        if not self.in_flight:
            return now
        if self._narrowed is None or self._counted != self.in_flight[: len(self._counted)]:
            self._narrowed = now._replace(**{name: getattr(now, name).copy() for name in NARROWED})
            self._counted = []
        for match in self.in_flight[len(self._counted) :]:
            if match.first != match.second:
                narrow(self._narrowed, min(match), max(match))
            self._counted.append(match)
        return self._narrowed
