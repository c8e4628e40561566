"""MaxIn: of the players who may still be the best, match the two that are least compared."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from maxin.core import InvalidInput, Match, Result, check_positive
from maxin.kernels import widths as kernels
from maxin.ratings.base import Array, RatingModel, read_only
from maxin.schedulers.base import BaseScheduler, Draws, n_pairs, nth_free, pair_of, place_of
from maxin.schedulers.paper.widths import (
    PairUncertainty,
    check_batch_size,
    check_exploration,
)

Alone = Literal["rival", "stop", "self"]


class CandidateScheduler(BaseScheduler):
    """Asks random matches in the first batch, then the widest pair of candidates.

    The width of a pair says how little its players have been compared; see `PairUncertainty`.
    Subclasses define how ratings are learnt and who the candidates are.

    Args:
        n_players: how many players take part.
        rng: draws the first batch.
        exploration: gamma, how many widths a candidate may be behind a rival.
        batch_size: tau, the number of random matches at the start; 0.7 n by default.
        alone: what a single remaining candidate does. "rival": it meets the player that it is
            least compared with. "stop": nothing is asked. "self": it meets itself, as in the
            paper's figures, which costs no regret and teaches nothing.
    """

    def __init__(
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        exploration: float,
        batch_size: int | None,
        alone: Alone,
    ) -> None:
        super().__init__(n_players)
        if alone not in ("rival", "stop", "self"):
            raise InvalidInput(f"alone must be 'rival', 'stop' or 'self'; got {alone!r}")
        self.exploration = check_exploration(exploration)
        self.batch_size = check_batch_size(batch_size, n_players)
        self.alone = alone
        self.uncertainty = PairUncertainty(n_players, first_batch=self.batch_size)
        self._draws = Draws(rng)
        self._floors = np.full((n_players, n_players), -1.0)  # squared widths that rule players out

    def candidates(self) -> list[int]:
        """Players who may still be the best: h(x, y) > 0 for all y  (paper, Eq. select_candidate).

        If this rules out everyone, which cycles make possible, all players are candidates.
        """
        squares = np.square(self.uncertainty.widths(self.in_flight))
        found: list[int] = np.flatnonzero((squares > self._floors).all(axis=1)).tolist()
        return found or list(range(self.n_players))

    def width(self, match: Match) -> float:
        """How little a pair has been compared: ||e_x - e_y|| in the norm of V^-1."""
        return self.uncertainty.width(match, self.in_flight)

    def _choose(self) -> Match | None:
        if self.n_told < self.batch_size:
            return self._random_match()
        first, second = self.uncertainty.widest(self._floors, self.in_flight)
        if first < 0:  # everyone is ruled out, so all players are candidates
            first, second = self.uncertainty.widest_of_all(self.in_flight)
        return Match(first, second) if first != second else self._lone_match(first)

    def _random_match(self) -> Match:
        """A pair drawn uniformly among those not pending  (paper, Alg. 1, line 1)."""
        taken = [place_of(match) for match in self.in_flight]
        return pair_of(nth_free(self._draws[self.position], n_pairs(self.n_players), taken))

    def _lone_match(self, player: int) -> Match | None:
        if self.alone == "rival":
            return Match(player, self.uncertainty.widest_rival(player, self.in_flight))
        return Match(player, player) if self.alone == "self" else None

    def _check_self_match(self, match: Match) -> None:
        if self.alone != "self":
            super()._check_self_match(match)

    def _consider(self, floors: Array) -> None:
        """Choose new candidates: the players whose squared widths are all above their floors."""
        self._floors = floors
        self.uncertainty.restart()


class MaxIn(CandidateScheduler):
    """The paper's MaxIn-Elo (Algorithm 1) with an `Elo` model, MaxIn-mElo (2) with an `MElo` model.

    Args:
        model: predicts matches from parameters; the scheduler holds the parameters.
        rng: draws the first batch and the model's starting parameters.
        exploration: gamma, how many widths a candidate may be behind a rival. It is a number, or
            a function of the number of results so far, such as 2 g_1(t):
            round t of the paper follows t - 1 results.
        batch_size: tau, matches per learning step, 0.7 n by default; the first batch is random.
        step_size: eta; batch j takes a step of eta / j.
        radius: how far the ratings may move away from the fit of the first batch.
        alone: see `CandidateScheduler`.

    >>> from maxin.ratings import Elo
    >>> rng = np.random.default_rng(0)
    >>> maxin = MaxIn(Elo(4), rng=rng)
    >>> for _ in range(30):  # player 3 wins whatever it plays
    ...     match = maxin.ask()
    ...     maxin.tell(Result(match, float(match.first == 3) if 3 in match else 0.5))
    >>> int(maxin.ratings().argmax())
    3

    The attribute `exploration` holds the present value of a gamma that changes.

    >>> growing = MaxIn(Elo(4), rng=rng, exploration=lambda n_results: 1.0 + 0.1 * n_results)
    >>> growing.tell(Result(growing.ask(), 1.0))
    >>> growing.exploration
    1.1
    """

    def __init__(
        self,
        model: RatingModel,
        *,
        rng: np.random.Generator,
        exploration: float | Callable[[int], float] = 1.0,
        batch_size: int | None = None,
        step_size: float = 1.0,
        radius: float = 2.0,
        alone: Alone = "rival",
    ) -> None:
        self._schedule = exploration if callable(exploration) else None
        gamma = exploration(0) if callable(exploration) else exploration
        super().__init__(
            model.n_players, exploration=gamma, batch_size=batch_size, rng=rng, alone=alone
        )
        self.model = model
        self.step_size = check_positive(step_size, "step_size (eta)")
        self.radius = radius if radius == math.inf else check_positive(radius, "radius")
        self.iterate = model.start(rng)  # theta-tilde
        self.anchor = self.iterate[:, 0]  # r-hat, the fit of the first batch
        self.estimate = np.zeros_like(self.iterate)  # theta-bar, the mean of the iterates
        self._ratings = self._rated()
        self.n_batches = 0
        self._batch: list[Result] = []

    def ratings(self) -> Array:
        """The averaged ratings r-bar."""
        return self._ratings

    def _rated(self) -> Array:
        """The ratings by the present estimate."""
        return read_only(self.estimate[:, 0])

    def _learn(self, result: Result) -> None:
        """Count the match for the widths now; learn from its score at the end of the batch."""
        self.uncertainty.observe(result.match)
        self._batch.append(result)
        if self._schedule is not None:
            self.exploration = check_exploration(self._schedule(self.n_told))
        if len(self._batch) == self.batch_size:
            self._finish_batch()
        elif self._schedule is not None and self.n_batches:
            self._find_candidates()  # a growing gamma lets players back in

    def _finish_batch(self) -> None:
        if self.n_batches == 0:
            self.iterate = self._first_fit()
            self.anchor = self.iterate[:, 0]
        self.n_batches += 1
        self.iterate = self._step()
        self.estimate = self.estimate + (self.iterate - self.estimate) / self.n_batches  # line 10
        self._ratings = self._rated()
        self._batch.clear()
        self._find_candidates()

    def _first_fit(self) -> Array:
        """The parameters with the ratings fitted to the first batch  (line 3)."""
        return self.model.fit(self.iterate, self._batch)

    def _find_candidates(self) -> None:
        """Rule players out by the present estimate and gamma  (line 12)."""
        advantages = self.model.advantages(self.estimate)
        self._consider(kernels.floors_below(advantages, self.exploration))

    def _step(self) -> Array:
        """A gradient step with the ratings projected onto the ball around r-hat  (lines 7 to 9)."""
        gradient = self.model.gradient(self.iterate, self._batch)
        stepped = self.iterate + self.step_size / self.n_batches * gradient
        stepped[:, 0] = project(stepped[:, 0], self.anchor, self.radius)
        return stepped


def project(point: Array, centre: Array, radius: float) -> Array:
    """The point of the ball nearest to `point`  (paper, Eq. projection).

    >>> project(np.array([3.0, 4.0]), np.zeros(2), radius=2.0)
    array([1.2, 1.6])
    """
    distance = float(np.linalg.norm(point - centre))
    return point if distance <= radius else centre + (point - centre) * (radius / distance)
