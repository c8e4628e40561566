"""The chances of every pair: how probably each player beats each other one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxin.views.formats import share
from maxin.views.plots.figure import MOST, check_top, heatmap
from maxin.views.plots.pair_table import PairTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class PairChances(PairTable):
    """What each player is expected to score against each other, in the mean of both seats.

    Args:
        names: the players, best first.
        chances: `chances[i, j]` is the expected score of player i against player j, from 0 to 1.

    >>> chances = PairChances(("anna", "bo"), np.array([[0.5, 0.75], [0.25, 0.5]]))
    >>> print(chances)
    player     1     2
    1 anna     -  75 %
    2 bo    25 %     -
    """

    names: tuple[str, ...]
    chances: NDArray[np.float64]

    def cell(self, i: int, j: int) -> str:
        """The expected score of player i."""
        return share(self.chances[i, j])

    def plot(self, axes: Axes | None = None, *, top: int = MOST) -> Figure:
        """Draw the chances of the best `top` players as a heatmap; returns the figure."""
        names = self.names[: check_top(top)]
        shown = self.chances[: len(names), : len(names)].copy()
        np.fill_diagonal(shown, np.nan)
        title = "expected score of the row against the column"
        return heatmap(axes, names, shown, title, self.cell, len(self))
