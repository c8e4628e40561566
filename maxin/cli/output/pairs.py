"""Every pair of players at a glance: what they scored, and whether they met at all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from maxin.cli.output.tables import counted, listed, table

if TYPE_CHECKING:
    from maxin.tournament import Tournament

LONGEST_NAME = 20  # columns in front of a matrix, so that some of it is to be seen


class Pairs(ABC):
    """A matrix of players by players, in the leaderboard's order.

    Args:
        tournament: the players and their results.
        names: whom to show, best first.
        top: show so many; None shows as many as fit, and says so.
    """

    def __init__(self, tournament: Tournament, names: Sequence[str], top: int | None) -> None:
        everyone = {name: number for number, name in enumerate(tournament.names)}
        order = np.array([everyone[name] for name in names], dtype=np.int64)
        tally = tournament.tally()
        self.names, self.top = list(names), top
        self.points = tally.crosstable()[np.ix_(order, order)].round(9)
        # All games of a match together weigh 1.
        self.n_met = (tally.games + tally.games.T).round().astype(int)[np.ix_(order, order)]
        self.n_played = tally.n_matches.round().astype(int)[order]

    @property
    def shown(self) -> int:
        """How many players are asked for."""
        return len(self.names) if self.top is None else min(self.top, len(self.names))

    @abstractmethod
    def cell(self, row: int, column: int) -> str:
        """What stands where two players cross."""

    def notes(self) -> list[str]:
        """What there is to say below the matrix."""
        return []

    def markdown(self) -> str:
        """The matrix, whole unless a top is asked for."""
        from maxin.core.text import markdown

        header, rows = self._part(range(self.shown), range(self.shown))
        return "".join(markdown(header, rows, left=[1]))

    def text(self, room: int) -> str:
        """The matrix: as much as fits, or, of a top that was asked for, in parts."""
        if not self.names:
            return "no players"
        n_columns = self._n_fitting(room)
        n_rows = min(self.shown, n_columns) if self.top is None else self.shown
        parts = [
            table(*self._part(range(n_rows), columns), words=[1], room=room)
            for columns in _blocks(n_rows, n_columns)
        ]
        notes = self.notes()
        if n_rows < self.shown:
            notes.append(
                f"shown: the first {n_rows} of {len(self.names)}; "
                f"--top {len(self.names)} shows all in parts, and so do the other formats"
            )
        return "\n\n".join([*parts, "\n".join(notes)] if notes else parts)

    def _part(self, rows: range, columns: range) -> tuple[list[str], list[list[str]]]:
        header = ["", "player", *(str(column + 1) for column in columns)]
        return header, [
            [str(row + 1), self.names[row], *(self._crossing(row, column) for column in columns)]
            for row in rows
        ]

    def _crossing(self, row: int, column: int) -> str:
        if row == column:
            return "-"
        return self.cell(row, column) if self.n_met[row, column] else "."

    def _n_fitting(self, room: int) -> int:
        """How many columns have room beside the names."""
        from maxin.core.text import width

        longest = max(map(width, self.names))
        names = len(str(self.shown)) + 2 + min(LONGEST_NAME, longest)
        fits = min(self.shown, room // 3)
        while fits > 2:
            cells = max(len(self._crossing(i, j)) for i in range(fits) for j in range(fits))
            most = max(1, (room - names) // (max(cells, len(str(fits))) + 2))
            if fits <= most:
                break
            fits = max(2, most, fits // 2)
        return max(fits, min(2, self.shown))


def _blocks(n: int, size: int) -> Iterator[range]:
    return (range(start, min(start + size, n)) for start in range(0, n, size))


class Crosstable(Pairs):
    """What the row scored against the column, of how many matches."""

    def cell(self, row: int, column: int) -> str:
        """Points/matches."""
        return f"{self.points[row, column]:.4g}/{self.n_met[row, column]}"

    def document(self) -> Any:
        """Two matrices, rows and columns in the order of `players`."""
        some = slice(self.shown)
        return {
            "players": self.names[some],
            "points": self.points[some, some].tolist(),
            "matches": self.n_met[some, some].tolist(),
        }

    def csv(self) -> str:
        """A line for each ordered pair that met."""
        from maxin.core.text import csv_line

        lines = [csv_line(["player", "opponent", "points", "matches"])]
        for row, column in np.argwhere(self.n_met[: self.shown, : self.shown]).tolist():
            pair = (self.names[row], self.names[column])
            points, met = f"{self.points[row, column]:.12g}", str(self.n_met[row, column])
            lines.append(csv_line([*pair, points, met]))
        return "".join(lines)

    def notes(self) -> list[str]:
        """How to read it."""
        return ["row's points/matches against column; . never met"]


class Coverage(Pairs):
    """How often two players met; who never did, and who has played least."""

    def cell(self, row: int, column: int) -> str:
        """Matches."""
        return str(self.n_met[row, column])

    def document(self) -> Any:
        """The matrix for `players`, the pairs that met, and who has played least."""
        some = slice(self.shown)
        n_met, n_pairs = self._pairs()
        fewest, starved = self._starved()
        return {
            "players": self.names[some],
            "matches": self.n_met[some, some].tolist(),
            "n_pairs": n_pairs,
            "n_pairs_met": n_met,
            "share_met": n_met / n_pairs if n_pairs else None,
            "fewest_matches": fewest,
            "starved": starved,
        }

    def csv(self) -> str:
        """A line for each pair, those that never met too."""
        from maxin.core.text import csv_line

        lines = [csv_line(["player", "opponent", "matches"])]
        for row in range(self.shown):
            for column in range(row + 1, self.shown):
                pair = (self.names[row], self.names[column])
                lines.append(csv_line([*pair, str(self.n_met[row, column])]))
        return "".join(lines)

    def notes(self) -> list[str]:
        """The share of pairs that met, and the starved."""
        n_met, n_pairs = self._pairs()
        fewest, starved = self._starved()
        each = counted(fewest, "match") + (" each" if len(starved) > 1 else "")
        notes = ["matches of row and column; . never met"]
        if n_pairs:
            notes.append(f"{n_met:,} of {counted(n_pairs, 'pair')} met ({n_met / n_pairs:.1%})")
        return [*notes, f"fewest matches: {listed(starved)} ({each})"]

    def _pairs(self) -> tuple[int, int]:
        """How many pairs met, and how many there are."""
        n = len(self.names)
        return int(np.count_nonzero(np.triu(self.n_met, 1))), n * (n - 1) // 2

    def _starved(self) -> tuple[int, list[str]]:
        """The fewest matches anyone had, and who had so few."""
        if not self.names:
            return 0, []
        fewest = int(self.n_played.min())
        return fewest, [self.names[one] for one in np.flatnonzero(self.n_played == fewest)]
