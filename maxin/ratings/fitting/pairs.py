"""Results counted by pair, for fields in which most pairs never met."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import check_n_players
from maxin.core.compile import Floats, Ints
from maxin.ratings.base import Array
from maxin.ratings.fitting import pair_kernels as kernels
from maxin.ratings.fitting.logs import checked_log


class Pairs(NamedTuple):
    """A crosstable without its zeros: the pairs that met, with their points and games.

    The pairs that player i comes first in are `begins[i]` to `begins[i + 1]`: against
    `others[place]`, i scored `points[place]` in `games[place]`. A pair is listed once, the lower
    player first, unless it is counted by seat.

    >>> pairs = Pairs.of_log([2, 0, 1], [0, 2, 2], [1.0, 1.0, 0.5], n_players=3)
    >>> pairs.others, pairs.points, pairs.games
    (array([2, 2], dtype=int32), array([1. , 0.5]), array([2., 1.]))
    """

    begins: Ints
    others: kernels.Places
    points: Floats
    games: Floats

    @property
    def n_players(self) -> int:
        """How many players there are."""
        return len(self.begins) - 1

    @classmethod
    def of_log(
        cls, first: ArrayLike, second: ArrayLike, scores: ArrayLike, *, n_players: int
    ) -> Pairs:
        """Count a log, in time and space that grow with its matches; see `crosstable`."""
        log = checked_log(first, second, scores, check_n_players(n_players))
        return cls(*kernels.count_pairs(*log, np.ones(len(log[2])), n_players))

    @classmethod
    def of_table(cls, points: Array) -> Pairs:
        """Take the pairs of a crosstable."""
        return cls(*kernels.pairs_of_table(points))

    @classmethod
    def by_seat(cls, points: Array, games: Array) -> Pairs:
        """Take the pairs of a tally; who sat first comes first."""
        first, second = np.nonzero(games)
        begins = np.searchsorted(first, np.arange(len(games) + 1))
        return cls(begins, second.astype(np.int32), points[first, second], games[first, second])

    def totals(self) -> tuple[Array, Array]:
        """The points that each player won, and lost, in all its games."""
        return kernels.totals(self)
