"""A table of every pair of players as text, for terminals and notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod

from maxin.core.text import aligned, counted, html_table
from maxin.views.plots.figure import MOST


class PairTable(ABC):
    """A table with a row and a column for each player, in the order of `names`."""

    names: tuple[str, ...]

    @abstractmethod
    def cell(self, i: int, j: int) -> str:
        """What is written about player i against player j."""

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {counted(len(self), 'player')}>"

    def __str__(self) -> str:
        return aligned(*self._cells(len(self)), left=[0])

    def _repr_html_(self) -> str:
        return html_table(*self._cells(MOST), left=[0])

    def _cells(self, most: int) -> tuple[list[str], list[list[str]]]:
        places = range(min(most, len(self)))
        return ["player", *(str(place + 1) for place in places)], [
            [f"{i + 1} {self.names[i]}", *("-" if i == j else self.cell(i, j) for j in places)]
            for i in places
        ]
