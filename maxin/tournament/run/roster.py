"""The players of a run: their options as the store has them now, checked by the runner."""

from __future__ import annotations

from maxin.core import Entrant
from maxin.runners import Runner
from maxin.tournament.tickets.tickets import Tickets


class Roster:
    """The players with their options; read again when one has joined or was edited.

    Args:
        tickets: keeps the state of the tournament.
        runner: plays the matches.
    """

    def __init__(self, tickets: Tickets, runner: Runner) -> None:
        self._tickets, self._runner = tickets, runner
        self._entrants: dict[str, Entrant] = {}
        self._read_at = -1  # the number of the last entry about a player that was read
        self._checked: dict[str, Entrant] = {}  # whom the runner can play
        self._refresh()  # here, where a run waits for a server that is lost

    def check(self) -> None:
        """Have the runner check the active players; the others cannot stop a run."""
        self._refresh()
        state = self._tickets.state
        playing = [self._entrants[state.names[number]] for number in state.active()]
        self._runner.check(playing)
        self._checked = {entrant.name: entrant for entrant in playing}

    def entrant(self, name: str) -> Entrant:
        """A player; raises `InvalidInput` if it is new or changed and the runner refuses it."""
        self._refresh()
        entrant = self._entrants[name]
        if self._checked.get(name) != entrant:
            self._runner.check([entrant])
            self._checked[name] = entrant
        return entrant

    def _refresh(self) -> None:
        players_at = self._tickets.state.players_at
        if players_at != self._read_at:
            rows = self._tickets.store.players()
            self._entrants = {row.name: Entrant(row.name, row.options) for row in rows}
            self._read_at = players_at
