"""Results counted by pair, for fields in which most pairs never met."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import check_n_players
from maxin.core.arrays import Ints
from maxin.kernels import pairs as kernels
from maxin.ratings.base import Array
from maxin.ratings.fitting.logs import checked_log

if TYPE_CHECKING:
    from maxin.ratings.tally import Tally


class Pairs(kernels.PairArrays):
    """A crosstable without its zeros: the pairs that met, with their points and games.

    The pairs that player i comes first in are `begins[i]` to `begins[i + 1]`: against
    `others[place]`, i scored `points[place]` in `games[place]`. A pair is listed once, the lower
    player first, unless it is counted by seat.

    >>> pairs = Pairs.of_log([2, 0, 1], [0, 2, 2], [1.0, 1.0, 0.5], n_players=3)
    >>> pairs.others, pairs.points, pairs.games
    (array([2, 2], dtype=int32), array([1. , 0.5]), array([2., 1.]))
    """

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
        return cls(*kernels.pairs_of_table(np.ascontiguousarray(points, dtype=np.float64)))

    @classmethod
    def of_tally(cls, tally: Tally, players: ArrayLike) -> Pairs:
        """Count the games of these players with each other; they are numbered by their places.

        >>> from maxin.ratings import Tally
        >>> tally = Tally(9)
        >>> tally.add_many([7, 2, 0], [2, 7, 2], [0.5, 1.0, 1.0])
        >>> Pairs.of_tally(tally, [2, 7]).points
        array([1.5])
        """
        shown = np.asarray(players, dtype=np.int64)
        places = np.full(tally.n_players, -1)
        places[shown] = np.arange(len(shown))
        one, two = places[tally.first], places[tally.second]
        is_among = (one >= 0) & (two >= 0) & (tally.games > 0.0)
        rows = np.flatnonzero(is_among)
        low, high = np.minimum(one[rows], two[rows]), np.maximum(one[rows], two[rows])
        rows = rows[np.lexsort((one[rows], high, low))]  # whatever the order of the tally
        sums = tally.points[rows], tally.games[rows]
        return cls(*kernels.count_pairs(one[rows], two[rows], *sums, len(shown)))

    @classmethod
    def by_seat(cls, points: Array, games: Array) -> Pairs:
        """Take the pairs of a tally; who sat first comes first."""
        first, second = np.nonzero(games)
        begins = np.searchsorted(first, np.arange(len(games) + 1))
        return cls(begins, second.astype(np.int32), points[first, second], games[first, second])

    def rows(self) -> Ints:
        """The two players of each pair, as rows.

        >>> Pairs.of_log([2, 0, 1], [0, 2, 2], [1.0, 1.0, 0.5], n_players=3).rows()
        array([[0, 2],
               [1, 2]])
        """
        first = np.repeat(np.arange(self.n_players), np.diff(self.begins))
        return np.column_stack([first, self.others]).astype(np.int64)

    def table(self) -> Array:
        """The crosstable: each player's points against each other.

        >>> Pairs.of_log([2, 0], [0, 2], [1.0, 0.5], n_players=3).table()[0]
        array([0. , 0. , 0.5])
        """
        table, (low, high) = np.zeros((self.n_players,) * 2), self.rows().T
        table[low, high], table[high, low] = self.points, self.games - self.points
        return table

    def totals(self) -> tuple[Array, Array]:
        """The points that each player won, and lost, in all its games."""
        return kernels.totals(self)
