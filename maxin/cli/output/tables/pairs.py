"""Every pair of players at a glance: their points, and how often they met."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from maxin.core.text import Alike, counted, csv_line, listed, markdown, table, width
from maxin.views.crosstable import Crosstable
from maxin.views.formats import tenths

LONGEST_NAME = 20  # columns of names beside a matrix, so that the matrix has room


class PairsView(ABC):
    """A matrix of players by players.

    Args:
        pairs: the points and matches of all pairs, best players first.
        top: how many players to show; None for as many as fit.
    """

    def __init__(self, pairs: Crosstable, top: int | None) -> None:
        self.pairs, self.top = pairs, top
        self.part = pairs if top is None else pairs.first(top)

    @abstractmethod
    def cell(self, row: int, column: int) -> str:
        """The entry of two players who have met."""

    @abstractmethod
    def notes(self) -> list[str]:
        """The lines below the matrix."""

    def markdown(self) -> str:
        """The matrix."""
        everyone = range(len(self.part))
        return "".join(markdown(*self._block(everyone, everyone), left=[1]))

    def text(self, room: int) -> str:
        """The matrix: as much as fits or, with a given top, all of it in parts."""
        if not self.part.names:
            return "no players"
        n_columns = self._n_fitting(room)
        n_rows = len(self.part) if self.top is not None else min(len(self.part), n_columns)
        blocks = [
            table(*self._block(range(n_rows), columns), words=[1], room=room)
            for columns in _split(n_rows, n_columns)
        ]
        notes, n_players = self.notes(), len(self.pairs)
        if n_rows < len(self.part):
            notes.append(
                f"shown: the first {n_rows} of {n_players:,}; --top {n_players} shows all in "
                "parts, and the other formats show all"
            )
        return "\n\n".join([*blocks, "\n".join(notes)])

    def _block(self, rows: range, columns: range) -> tuple[list[str], list[list[str]]]:
        header = ["", "player", *(str(column + 1) for column in columns)]
        return header, [
            [str(row + 1), self.part.names[row], *(self._entry(row, column) for column in columns)]
            for row in rows
        ]

    def _entry(self, row: int, column: int) -> str:
        if row == column:
            return "-"
        return self.cell(row, column) if self.part.n_met[row, column] else "."

    def _n_fitting(self, room: int) -> int:
        """How many columns have room beside the names."""
        count = len(self.part)
        fits = min(count, room // 3)
        beside = self.part.names if self.top is not None else self.part.names[:fits]
        shown = Alike.of(beside).shortened(beside, LONGEST_NAME)
        names = len(str(count)) + 2 + max(map(width, shown), default=0)
        while fits > 2:
            cells = max(len(self._entry(i, j)) for i in range(fits) for j in range(fits))
            most = max(1, (room - names) // (max(cells, len(str(fits))) + 2))
            if fits <= most:
                break
            fits = max(2, most, fits // 2)
        return max(fits, min(2, count))


def _split(n: int, size: int) -> Iterator[range]:
    return (range(start, min(start + size, n)) for start in range(0, n, size))


class CrosstableView(PairsView):
    """The points of the row against the column, and their number of matches."""

    def cell(self, row: int, column: int) -> str:
        """Points/matches."""
        return self.part.cell(row, column)

    def document(self) -> Any:
        """Two matrices, rows and columns in the order of `players`."""
        return self.part.document()

    def csv(self) -> str:
        """One line for each ordered pair that met."""
        lines = [csv_line(["player", "opponent", "points", "matches"])]
        for row, column in np.argwhere(self.part.n_met).tolist():
            pair = (self.part.names[row], self.part.names[column])
            points, met = f"{self.part.points[row, column]:.12g}", self.part.n_met[row, column]
            lines.append(csv_line([*pair, points, str(met)]))
        return "".join(lines)

    def notes(self) -> list[str]:
        """How to read the matrix."""
        return ["points of the row against the column / matches; . never met"]


class CoverageView(PairsView):
    """How often two players met, which pairs never did, and who has played least."""

    def cell(self, row: int, column: int) -> str:
        """Matches."""
        return str(self.part.n_met[row, column])

    def document(self) -> Any:
        """The matrix for `players`, how many pairs met, and who has played least."""
        matrix = {"players": list(self.part.names), "matches": self.part.n_met.tolist()}
        return matrix | self.pairs.coverage.document()

    def csv(self) -> str:
        """One line for each pair, including those that never met."""
        lines = [csv_line(["player", "opponent", "matches"])]
        names = self.part.names
        for row in range(len(names)):
            for column in range(row + 1, len(names)):
                met = str(self.part.n_met[row, column])
                lines.append(csv_line([names[row], names[column], met]))
        return "".join(lines)

    def notes(self) -> list[str]:
        """The share of pairs that met, and the players with the fewest matches."""
        found = self.pairs.coverage
        each = counted(found.fewest_matches, "match") + (" each" if len(found.starved) > 1 else "")
        notes = ["matches of the row against the column; . never met"]
        if found.share_met is not None:
            pairs = counted(found.n_pairs, "pair")
            notes.append(f"{found.n_pairs_met:,} of {pairs} met ({tenths(found.share_met)})")
        return [*notes, f"fewest matches: {listed(found.starved)} ({each})"]
