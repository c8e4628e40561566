"""The crosstable: what each player scored against each other, and which pairs have met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput
from maxin.ratings.tally import Tally
from maxin.views.plots.figure import MOST, check_top, heatmap
from maxin.views.plots.pair_table import PairTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DECIMALS = 9  # of points: beyond is the rounding error of adding games that weigh 1/2, 1/3, ...


class CoverageDocument(TypedDict):
    """How many pairs have met, and which players have the fewest matches, in JSON."""

    n_pairs: int
    n_pairs_met: int
    share_met: float | None
    fewest_matches: int
    starved: list[str]


class CrosstableDocument(TypedDict):
    """Points and matches of every pair of the players, the leader first."""

    players: list[str]
    points: list[list[float]]
    matches: list[list[int]]


class Coverage(NamedTuple):
    """How many pairs have met, and which players have the fewest matches.

    >>> Coverage(n_pairs=10, n_pairs_met=4, fewest_matches=1, starved=("bo",)).share_met
    0.4
    """

    n_pairs: int
    n_pairs_met: int
    fewest_matches: int
    starved: tuple[str, ...]  # all players with the fewest matches

    @property
    def share_met(self) -> float | None:
        """The share of pairs that met at least once; None if there is no pair."""
        return self.n_pairs_met / self.n_pairs if self.n_pairs else None

    def document(self) -> CoverageDocument:
        """The same for JSON."""
        return {
            "n_pairs": self.n_pairs,
            "n_pairs_met": self.n_pairs_met,
            "share_met": self.share_met,
            "fewest_matches": self.fewest_matches,
            "starved": list(self.starved),
        }


@dataclass(frozen=True, repr=False)
class Crosstable(PairTable):
    """Points and matches of every pair; row i and column i are the player `names[i]`.

    Args:
        names: the players, best first if the order is the leaderboard's.
        points: `points[i, j]` is what player i scored against player j, draws as half points.
        n_met: `n_met[i, j]` is how many matches they played; all games of a match count as one.
        n_played: how many matches each player has, those against players not shown included.

    >>> tally = Tally(3)
    >>> tally.add_many([0, 1, 0], [1, 0, 1], [1.0, 1.0, 0.5])
    >>> table = Crosstable.of(["anna", "bo", "cy"], tally)
    >>> table.points[0], table.n_met[0]
    (array([0. , 1.5, 0. ]), array([0, 3, 0]))
    """

    names: tuple[str, ...]
    points: NDArray[np.float64]
    n_met: NDArray[np.int64]
    n_played: NDArray[np.int64]

    @classmethod
    def of(
        cls, names: Sequence[str], tally: Tally, ranked: Sequence[str] | None = None
    ) -> Crosstable:
        """The crosstable of a tally.

        Args:
            names: all players, in the tally's order.
            tally: their results.
            ranked: the players to show, in the order to show them; by default all of `names`.
        """
        if len(names) != tally.n_players:
            raise InvalidInput(
                f"a tally of {tally.n_players} players needs as many names; got {len(names)}"
            )
        numbers = {name: number for number, name in enumerate(names)}
        shown = names if ranked is None else ranked
        unknown = [name for name in shown if name not in numbers]
        if unknown:
            raise InvalidInput(f"a crosstable shows players of the tally; got {unknown[0]!r}")
        order = np.array([numbers[name] for name in shown], dtype=np.int64)
        games = tally.table(tally.games, order)
        met = (games + games.T).round().astype(np.int64)
        played = tally.n_matches.round().astype(np.int64)
        points = tally.crosstable(order).round(DECIMALS)
        return cls(tuple(shown), points, met, played[order])

    def first(self, count: int) -> Crosstable:
        """The part of the first `count` players, or of all if there are fewer."""
        some = slice(count)
        return Crosstable(
            self.names[some], self.points[some, some], self.n_met[some, some], self.n_played[some]
        )

    @property
    def coverage(self) -> Coverage:
        """Which pairs met, and which players have the fewest matches.

        >>> tally = Tally(3)
        >>> tally.add_many([0, 1], [1, 0], [1.0, 1.0])
        >>> Crosstable.of(["anna", "bo", "cy"], tally).coverage
        Coverage(n_pairs=3, n_pairs_met=1, fewest_matches=0, starved=('cy',))
        """
        count = len(self)
        n_met = int(np.count_nonzero(np.triu(self.n_met, 1)))
        fewest = int(self.n_played.min()) if count else 0
        starved = tuple(self.names[i] for i in np.flatnonzero(self.n_played == fewest))
        return Coverage(count * (count - 1) // 2, n_met, fewest, starved)

    def cell(self, i: int, j: int) -> str:
        """The points and matches of a pair; a dot if it never met."""
        return f"{self.points[i, j]:.4g}/{self.n_met[i, j]}" if self.n_met[i, j] else "."

    def plot(self, axes: Axes | None = None, *, top: int = MOST) -> Figure:
        """Draw the share of points of every pair of the best `top` players; returns the figure.

        A win and a loss are added to each, as in the report, so that a single match stays pale.
        """
        part = self.first(check_top(top))
        shares = (part.points + 1.0) / (part.n_met + 2.0)
        shares[part.n_met == 0] = np.nan
        title = "share of points of the row against the column"
        return heatmap(axes, part.names, shares, title, part.cell, len(self))

    def document(self) -> CrosstableDocument:
        """Two matrices for JSON, rows and columns in the order of `players`."""
        return {
            "players": list(self.names),
            "points": self.points.tolist(),
            "matches": self.n_met.tolist(),
        }


def n_pairs_met(tally: Tally, players: Sequence[int]) -> int:
    """How many pairs of these players met at least once, without a table of all pairs.

    >>> tally = Tally(3)
    >>> tally.add_many([0, 1, 2], [1, 0, 0], [1.0, 1.0, 0.5])
    >>> n_pairs_met(tally, [0, 1, 2]), n_pairs_met(tally, [1, 2])
    (2, 0)
    """
    is_shown = np.zeros(tally.n_players, dtype=np.bool_)
    is_shown[np.array(players, dtype=np.int64)] = True
    counts = is_shown[tally.first] & is_shown[tally.second] & (tally.games > 0.0)
    one, two = tally.first[counts], tally.second[counts]
    return len(np.unique(np.minimum(one, two) * tally.n_players + np.maximum(one, two)))
