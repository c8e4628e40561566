"""The players of a tournament: their states, matches and options."""

from __future__ import annotations

import json
from typing import Any

from maxin.core.text import counted, csv_line, markdown, table
from maxin.tournament import Tournament

HEADER = ("player", "state", "matches", "options")


class PlayerList:
    """All players, in the order they joined."""

    def __init__(self, tournament: Tournament) -> None:
        n_matches = tournament.tally().n_matches.round().astype(int).tolist()
        self.rows = [
            {
                "player": entrant.name,
                "state": tournament.states[entrant.name],
                "matches": count,
                "options": dict(entrant.options),
            }
            for entrant, count in zip(tournament.entrants(), n_matches, strict=True)
            if tournament.states[entrant.name] != "removed"
        ]
        self._count = player_count(tournament)

    def document(self) -> Any:
        """An object per player."""
        return {"players": self.rows}

    def csv(self) -> str:
        """A line per player; the options are JSON."""
        return "".join(map(csv_line, [HEADER, *self._cells()]))

    def markdown(self) -> str:
        """A row per player."""
        return "".join(markdown(HEADER, self._cells(), left=[0, 1, 3]))

    def text(self, room: int) -> str:
        """The table, and how many play."""
        drawn = table(HEADER, self._cells(), words=[0, 1, 3], room=room)
        return f"{drawn}\n\n{self._count}" if self.rows else self._count

    def _cells(self) -> list[list[str]]:
        return [
            [row["player"], row["state"], str(row["matches"]), _options(row["options"])]
            for row in self.rows
        ]


def _options(options: dict[str, Any]) -> str:
    return json.dumps(options, ensure_ascii=False) if options else ""


def player_count(tournament: Tournament) -> str:
    """How many players there are, and how many of them are active."""
    states = [state for state in tournament.states.values() if state != "removed"]
    return f"{counted(len(states), 'player')}, {states.count('active')} active"
