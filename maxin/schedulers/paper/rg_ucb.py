"""RG-UCB: a random pair among those whose better player is still uncertain."""

from __future__ import annotations

import math

import numpy as np

from maxin.core import InvalidInput, Match, Result
from maxin.ratings.base import Learner
from maxin.schedulers.base import Draws, LearningScheduler, n_pairs, nth_free, pair_of, place_of


class RGUCB(LearningScheduler):
    """Draws uniformly among the unresolved pairs (Rowland et al. 2019).

    A pair is resolved once the Hoeffding intervals of its two scores separate: its mean score is
    further than sqrt(log(2 / delta) / (2 matches)) from one half. When all pairs are resolved,
    `ask` returns None.

    Args:
        learner: rates the players.
        rng: draws the matches.
        delta: the probability that an interval may miss the true score.

    >>> from maxin.ratings import BradleyTerry
    >>> rgucb = RGUCB(BradleyTerry(2), rng=np.random.default_rng(0))
    >>> for _ in range(5):  # 1 - 1/2 > sqrt(log(10) / 10) = 0.48
    ...     rgucb.tell(Result(Match(0, 1), 1.0))
    >>> rgucb.ask() is None
    True
    """

    def __init__(self, learner: Learner, *, rng: np.random.Generator, delta: float = 0.2) -> None:
        super().__init__(learner)
        if not 0.0 < delta < 1.0:
            raise InvalidInput(f"delta must be a probability between 0 and 1; got {delta!r}")
        self.delta = delta
        self._draws = Draws(rng)
        self._points = np.zeros(n_pairs(self.n_players))  # points of each pair's lower player
        self._matches = np.zeros(n_pairs(self.n_players))
        # The first `_n_open` of `_order` are the unresolved pairs; `_spot` is a pair's place there.
        self._order = np.arange(n_pairs(self.n_players))
        self._spot = np.arange(n_pairs(self.n_players))
        self._n_open = n_pairs(self.n_players)

    def _choose(self) -> Match | None:
        if self._n_open == 0:
            return None
        spots = (int(self._spot[place_of(match)]) for match in self.in_flight)
        taken = [spot for spot in spots if spot < self._n_open]
        spot = nth_free(self._draws[self.position], self._n_open, taken)
        return pair_of(int(self._order[spot]))

    def _learn(self, result: Result) -> None:
        super()._learn(result)
        (first, second), score = result
        pair = place_of(result.match)
        self._points[pair] += score if first < second else 1.0 - score
        self._matches[pair] += 1.0
        if self._spot[pair] < self._n_open and self._is_resolved(pair):
            self._close(pair)

    def _is_resolved(self, pair: int) -> bool:
        matches = self._matches[pair]
        half_width = math.sqrt(math.log(2.0 / self.delta) / (2.0 * matches))
        return bool(abs(self._points[pair] / matches - 0.5) > half_width)

    def _close(self, pair: int) -> None:
        """Swap the pair with the last unresolved one, and shorten the list by it."""
        self._n_open -= 1
        last, spot = self._order[self._n_open], self._spot[pair]
        self._order[spot], self._order[self._n_open] = last, pair
        self._spot[last], self._spot[pair] = spot, self._n_open
