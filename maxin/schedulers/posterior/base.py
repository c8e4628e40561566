"""What the schedulers that draw from a posterior share."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from maxin.core import Match, Result
from maxin.ratings import Posterior
from maxin.ratings.base import Array
from maxin.ratings.posterior_kernels import Belief, narrow
from maxin.schedulers.base import BaseScheduler, Draws

NARROWED = ("weights", "rating_cov", "cross_cov", "strength_cov", "root")


class PosteriorScheduler(BaseScheduler):
    """Rates by a `Posterior`, in which a match in flight narrows what depends on it.

    A subclass says which match a belief asks for.

    Args:
        n_players: how many players take part.
        rng: draws from the posterior.
        kappa: see `Posterior`.
    """

    def __init__(self, n_players: int, *, rng: np.random.Generator, kappa: float) -> None:
        super().__init__(n_players)
        self.posterior = Posterior(n_players, kappa=kappa)
        self._draws = Draws(rng)
        self._narrowed: Belief | None = None  # the posterior's, with matches in flight counted in
        self._counted: list[Match] = []  # which ones, in this order

    def ratings(self) -> Array:
        """The posterior's mean advantages over the field."""
        return self.posterior.ratings()

    def _learn(self, result: Result) -> None:
        self._narrowed = None
        if result.match.first != result.match.second:
            self.posterior.tell(result)

    def _choose(self) -> Match | None:
        return self._ask_for(self._belief())

    @abstractmethod
    def _ask_for(self, belief: Belief) -> Match | None:
        """The next match."""

    def _normals(self, n_draws: int) -> Array:
        """Normal numbers that belong to the position of the next match, a row per draw."""
        return self._draws.generator(self.position).standard_normal((n_draws, self.n_players))

    def _belief(self) -> Belief:
        """The posterior as it will be, with the means as they are, once all are back."""
        now = self.posterior.belief
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
