"""The scale of a leaderboard: Elo points, relative to the mean of the field or to an anchor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core.units import ELO_PER_NAT
from maxin.ratings.base import Array
from maxin.ratings.posterior.posterior import interval_reach
from maxin.views.columns import ANCHORED, RATING, Format

Z95 = 1.959964  # standard deviations on either side of a 95 % interval


class Anchor(NamedTuple):
    """A player whose rating is given, in Elo points; all others are measured against it."""

    player: str
    rating: float

    def __str__(self) -> str:
        return f"{self.player} is {self.rating:g}; the intervals are relative to it"


def is_signed(anchor: Anchor | None) -> bool:
    """Whether ratings are written with a sign: unless an anchor puts them far from 0."""
    return anchor is None or not anchor.rating


def rating_format(anchor: Anchor | None) -> Format:
    """How ratings are written where this anchor, if any, sets the scale."""
    return RATING if is_signed(anchor) else ANCHORED


class Scale(NamedTuple):
    """What a rating of zero means.

    Args:
        base: players by number, whose mean is at `zero`.
        zero: Elo points of that mean.
        n_players: how many players the spread of the ratings is learnt from.
        anchor: the player that sets the scale, if there is one.

    >>> scale = Scale.of(["anna", "bo"], np.array([0, 1]), {"bo": 3500.0})
    >>> scale.ratings(np.array([0.5, 0.0])).round()
    array([3587., 3500.])
    >>> scale.margins(np.array([0.02, 0.0])).round()  # bo's own rating is known
    array([55.,  0.])
    """

    base: NDArray[np.int64]
    zero: float
    n_players: int
    anchor: Anchor | None = None

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        in_play: NDArray[np.int64],
        anchor: Mapping[str, float] | None = None,
        *,
        n_present: int | None = None,
    ) -> Scale:
        """The scale of some players, of whom `in_play` are not retired, `n_present` not removed.

        Of a tournament's only two, the second is 0, so that the other's rating is the difference.

        >>> Scale.of(["anna", "cy", "bo"], np.array([0, 2]), n_present=2).anchor
        Anchor(player='bo', rating=0.0)
        """
        n_present = len(names) if n_present is None else n_present
        field = in_play if in_play.size else np.arange(len(names))
        for name, rating in (anchor or {}).items():
            if name in names:  # else it was removed
                base = np.array([names.index(name)])
                return cls(base, rating, len(field), Anchor(name, rating))
        if n_present == len(in_play) == 2:  # what is asked of them is their difference
            return cls(in_play[1:], 0.0, 2, Anchor(names[in_play[1]], 0.0))
        return cls(field, 0.0, len(field))

    def ratings(self, nats: Array) -> Array:
        """Elo points of ratings in nats."""
        return np.asarray(ELO_PER_NAT * (nats - nats[self.base].mean()) + self.zero)  # no -0.0

    def margins(self, variances: Array, *, is_spread_learnt: bool = True) -> Array:
        """Half the 95 % intervals, in Elo points, of ratings with these variances, in nats.

        The variances are those relative to the mean of `base`. If the spread of the ratings is
        learnt from all players, that widens the intervals of few.
        """
        reach = interval_reach(0.95, self.n_players) if is_spread_learnt else Z95
        return np.asarray(ELO_PER_NAT * reach * np.sqrt(np.maximum(variances, 0.0)))


def variances_from(covariance: Array, base: NDArray[np.int64]) -> Array:
    """Var(t_i - mean of t over `base`) = C_ii - 2 mean_j C_ij + mean_jk C_jk, j and k in `base`.

    >>> variances_from(np.eye(2), np.array([0, 1]))
    array([0.5, 0.5])
    """
    to_mean = covariance[:, base].mean(axis=1)
    return np.asarray(np.diagonal(covariance) - 2.0 * to_mean + to_mean[base].mean())
