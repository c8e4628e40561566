"""Swiss: players of equal score meet, and nobody twice."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from maxin.core import Result
from maxin.core.arrays import Ints
from maxin.ratings.base import Array
from maxin.ratings.fitting.pairs import Pairs
from maxin.schedulers.practice.base import RoundScheduler
from maxin.schedulers.practice.swiss_pairing import SwissTable, swiss_round


class Swiss(RoundScheduler):
    """A Swiss tournament without a last round: everyone plays once per round.

    The highest player in turn meets the nearest score, in the other half of its score group. No
    pair meets again while a round without rematches exists. The players who sat first more often
    sit second, and the lowest player without a bye has the bye, a won point, if the number of
    players is odd: see `swiss_round`. A player who joins late starts in the middle. While the last
    matches of a round are pending there is nothing to ask.

    Args:
        n_players: how many players take part.
        rng: draws the order of players with equal scores.

    >>> swiss = Swiss(8, rng=np.random.default_rng(0))
    >>> for _ in range(12):  # three rounds; the higher number wins
    ...     match = swiss.ask()
    ...     swiss.tell(Result(match, float(match.first > match.second)))
    >>> swiss.scores()  # the last one won all three
    array([-1.5, -0.5, -0.5, -0.5,  0.5,  0.5,  0.5,  1.5])
    """

    needs_whole_rounds: ClassVar[bool] = True

    def __init__(self, n_players: int, *, rng: np.random.Generator) -> None:
        super().__init__(n_players, rng=rng)
        self._seeds: Ints = rng.permutation(n_players)
        self._forget_seats()
        self._begin()

    def scores(self) -> Array:
        """Points minus half the matches, by which players are paired; a bye counts as a win."""
        return self._table().scores

    def start_from(self, pairs: Pairs, split: float, n_told: int | None = None) -> None:
        """See `StartsFromPoints`; points do not say who had which seat, nor who had a bye."""
        self._forget_seats()
        super().start_from(pairs, split, n_told)

    def _forget_seats(self) -> None:
        self._byes, self._seats, self._last = np.zeros((3, self.n_players), dtype=np.int64)

    def _table(self) -> SwissTable:
        state = self.posterior.state
        return SwissTable.of(state, self._byes, self._seats, self._last, self._seeds)

    def _paired(self, rng: np.random.Generator) -> Ints:
        pairs, bye = swiss_round(self._table())
        if bye is not None:
            self._byes[bye] += 1
        return pairs

    def _learn(self, result: Result) -> None:
        for player, seat in zip(result.match, (1, -1), strict=True):
            self._seats[player] += seat
            self._last[player] = seat
        super()._learn(result)
