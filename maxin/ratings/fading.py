"""A tally whose results fade with age."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from maxin.core import InvalidInput
from maxin.core.half_life import AgeClock, HalfLife
from maxin.ratings.base import Array
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.tally import ROUNDING, SUMS, Tally

FADING = SUMS[:3]  # what fades: not the numbers of games won, drawn and lost, or of pairs

LEAST = 1e-12  # the weight of a result that has faded


class FadingTally(JudgedTally):
    """A tally of all results that also has what they count now: a result of age a, 2^(-a / h).

    The tally itself counts every result as one, for those who read how many were played. Ratings
    are fitted to `weighed`. Results are added to both; see `HalfLife` for their ages.

    Args:
        n_players: how many players there are.
        half_life: h.

    >>> tally = FadingTally(2, HalfLife.of(1))
    >>> for score in (1.0, 0.0, 0.0):
    ...     tally.add_match(0, 1, [score])
    ...     tally.new_weight(time=0.0)
    ...     tally.weighed.add_match(0, 1, [score])
    1.0
    1.0
    1.0
    >>> tally.points, tally.games, tally.weighed.points, tally.weighed.games
    (array([1.]), array([3.]), array([0.25]), array([1.75]))
    """

    def __init__(self, n_players: int, half_life: HalfLife) -> None:
        super().__init__(n_players)
        self.half_life = half_life
        self.forget()

    def forget(self) -> None:
        """Start weighing from scratch: all results are to be weighed again, in their order."""
        self.clock = AgeClock(self.half_life)
        self._weighed = JudgedTally(self.n_players)
        self.is_stale = False  # whether that has to be done first

    @property
    def weighed(self) -> JudgedTally:
        """The results with their weights of now; while it is stale, with those of before."""
        return self._weighed

    def new_weight(self, time: float) -> float:
        """The weight of a result recorded at `time`; all older ones fade accordingly."""
        ageing = self.clock.tick(time)
        fade(self._weighed, ageing.fade)
        return ageing.weight

    def n_votes(self, judges: Iterable[str]) -> Array:
        """How many votes each judge has, also those that have faded."""
        parts = (self.judged.get(judge, Tally(self.n_players)) for judge in judges)
        return np.array([part.games.sum() for part in parts], dtype=np.float64)

    def mark_stale(self) -> None:
        """Note that `weighed` lacks the latest changes: all results have to be weighed again."""
        self.is_stale = True

    def is_like(self, other: Tally, tolerance: float = 0.0) -> bool:
        """See `Tally.is_like`; tallies that both fade must also weigh their results alike."""
        is_alike = super().is_like(other, tolerance)
        if not isinstance(other, FadingTally) or self.is_stale or other.is_stale:
            return is_alike
        return is_alike and self.weighed.is_like(other.weighed, tolerance)

    def copy(self) -> FadingTally:
        """See `Tally.copy`."""
        copied = FadingTally(self.n_players, self.half_life)
        copied._take(self._keys[: self._n_rows].copy(), [getattr(self, x).copy() for x in SUMS])
        copied.judged = {judge: own.copy() for judge, own in self.judged.items()}
        copied.clock, copied._weighed = self.clock.copy(), self._weighed.copy()
        copied.is_stale = self.is_stale
        return copied

    def grow(self, n_players: int) -> None:
        """See `Tally.grow`."""
        super().grow(n_players)
        self._weighed.grow(n_players)


def weighed(tally: Tally) -> Tally:
    """The results of a tally with their weights of now: all of them 1, unless they fade."""
    return tally.weighed if isinstance(tally, FadingTally) else tally


def fade(tally: Tally, share: float) -> None:
    """Multiply all weights of a tally by `share`; those that are nearly 0 become 0.

    >>> tally = Tally(2)
    >>> tally.add(0, 1, 0.5)
    >>> fade(tally, 0.5)
    >>> tally.games, tally.points, tally.splits
    (array([0.5]), array([0.25]), array([0.125]))
    """
    if share == 1.0:
        return
    if not 0.0 <= share < 1.0:
        raise InvalidInput(f"results can fade by a factor from 0 to 1; got {share!r}")
    parts = [tally, *(tally.judged.values() if isinstance(tally, JudgedTally) else ())]
    for part in parts:
        is_gone = part.games * share < ROUNDING
        for name in FADING:
            sums = getattr(part, name)
            sums *= share
            sums[is_gone] = 0.0


def weights_of(half_life: HalfLife, times: Array) -> Array:
    """The weights of results that were played at these times, in the order they came.

    A weight is at least 1e-12.

    >>> weights_of(HalfLife.of("32s"), np.array([100.0, 132.0, 68.0, 132.0]))
    array([0.5 , 1.  , 0.25, 1.  ])
    """
    past = times if half_life.is_time else np.arange(len(times), dtype=np.float64)
    periods = np.floor(past / half_life.period)
    ages = (periods.max(initial=0.0) - periods) * half_life.period
    return np.asarray(np.maximum(2.0 ** (-ages / half_life.length), LEAST))
