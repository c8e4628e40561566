"""The leaderboard on the command line, whole or in part, and the sentences below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from maxin.core.text import table, width
from maxin.views import Leaderboard, Standing
from maxin.views.standings import word_places


class LeaderboardView:
    """A leaderboard, or some of its rows.

    Args:
        leaderboard: the standings.
        rows: the rows to show; all by default.
        facts: what else a program wants to know.
        notes: what else a reader wants to know, one line each.
    """

    def __init__(
        self,
        leaderboard: Leaderboard,
        rows: Iterable[Standing] | None = None,
        *,
        facts: Mapping[str, Any] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        shown = list(leaderboard if rows is None else rows)
        self.leaderboard = leaderboard.with_rows(shown)
        self.facts, self.notes = dict(facts or {}), list(notes)

    def document(self) -> Any:
        """The facts, the standings and the first seat's advantage."""
        return {**self.facts, **self.leaderboard.document()}

    def csv(self) -> str:
        """One line per player."""
        return self.leaderboard.to_csv()

    def markdown(self) -> str:
        """One row per player."""
        return self.leaderboard.to_markdown()

    def _table(self, room: int) -> str:
        """The table; the columns that are missed least are left out until it fits."""
        for without in ((), ("W/D/L",), ("W/D/L", "LOS")):
            header, rows = self.leaderboard.table(without)
            drawn = table(header, rows, words=word_places(header), room=room)
            if max(map(width, drawn.split("\n"))) <= room:
                break
        return drawn

    def text(self, room: int) -> str:
        """The table, and the notes below it."""
        parts = []
        if len(self.leaderboard):
            parts.append(self._table(room))
            if self.leaderboard.advantage is not None:
                parts[0] += f"\nsitting first: {self.leaderboard.advantage}"
        return "\n\n".join([*parts, "\n".join(self.notes)] if self.notes else parts)
