"""A leaderboard per slice on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from maxin.core.text import counted, visible
from maxin.views.columns import DataTable
from maxin.views.slices import Slice, Slices, SliceStanding

ROWS = 10  # of each slice, for a reader who asks for no number


@dataclass(frozen=True)
class SlicesView:
    """The best player of each slice, and the first rows of each leaderboard.

    CSV and Markdown have all rows in one table, after a column for the slice.

    Args:
        slices: the leaderboards.
        top: how many rows of each slice are shown; 10 in text by default, all otherwise.
        hint: what shows all rows of a slice that has so many.
        remarks: what else a reader wants to know, one line each.
        facts: the same for programs.
    """

    slices: Slices
    top: int | None = None
    hint: str = "--top {} shows all"
    remarks: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """All slices, with the rows that were asked for."""
        document = self.slices.document()
        for part in document["slices"]:
            part["standings"] = part["standings"][: self.top]
        return {**document, **self.facts}

    def csv(self) -> str:
        """One line per slice and player."""
        return self._rows.csv()

    def markdown(self) -> str:
        """The same as a Markdown table."""
        return self._rows.markdown()

    def text(self, room: int) -> str:
        """A table of the slices, one for each of them, and the notes."""
        parts = [self.slices.summary.text(room)]
        parts += [self._board(part, room) for part in self.slices.parts]
        return "\n\n".join([*parts, "\n".join(self.notes)])

    @property
    def notes(self) -> list[str]:
        """What is said once about all slices."""
        return [*self.slices.notes, *self.remarks]

    @property
    def _rows(self) -> DataTable[SliceStanding]:
        """The rows that were asked for."""
        table, top = self.slices.table, self.top
        if top is None:
            return table
        n_rows = len(self.slices.overall)
        return replace(
            table, rows=[row for place, row in enumerate(table.rows) if place % n_rows < top]
        )

    def _board(self, part: Slice, room: int) -> str:
        board = part.leaderboard
        table = board.with_rows(board[: self.top or ROWS]).table
        drawn = replace(table, below=()).text(room)  # the notes of all slices have it
        n_hidden = len(board) - (self.top or ROWS)
        hint = self.hint.format(len(board))
        more = "" if n_hidden <= 0 else f"\n... and {n_hidden:,} more; {hint}"
        return f"{visible(part.name)} ({counted(part.n_matches, 'match')})\n{drawn}{more}"
