"""The leaderboard on the command line, and in a sentence what it comes to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from maxin.cli.output.tables import counted, listed, shortened, squeezed

if TYPE_CHECKING:
    from maxin.tournament import Leaderboard, Standing, Top, Tournament


class Board:
    """A leaderboard, or some of its rows.

    Args:
        board: the standings.
        rows: those to show.
        facts: what else a program wants to know.
        notes: what else a reader wants to know, a line each.
    """

    def __init__(
        self,
        board: Leaderboard,
        rows: Iterable[Standing],
        facts: Mapping[str, Any],
        notes: Sequence[str],
    ) -> None:
        self.board = type(board)(list(rows), board.advantage)
        self.facts, self.notes = facts, notes

    def document(self) -> Any:
        """The facts, the standings and the first seat's advantage."""
        advantage = self.board.advantage
        return {
            **self.facts,
            "standings": [row._asdict() for row in self.board],
            "advantage": None if advantage is None else advantage._asdict(),
        }

    def csv(self) -> str:
        """A line a player."""
        return self.board.to_csv()

    def markdown(self) -> str:
        """A row a player."""
        return self.board.to_markdown()

    def text(self, room: int) -> str:
        """The table, and the notes below it."""
        notes = "\n".join(self.notes)
        if not len(self.board):
            return notes
        return f"{squeezed(self._drawn, room)}\n\n{notes}" if notes else squeezed(self._drawn, room)

    def _drawn(self, most: int) -> str:
        rows = [row._replace(player=shortened(row.player, most)) for row in self.board]
        return str(type(self.board)(rows, self.board.advantage))


def state_of(tournament: Tournament, top: Top | None) -> dict[str, Any]:
    """How far a tournament has come, for a program."""
    return {
        "n_matches": tournament.n_matches,
        "n_out": tournament.n_out,
        "settings": asdict(tournament.settings),
        "top": None if top is None else top._asdict(),
    }


def state_lines(tournament: Tournament, top: Top | None, confidence: float) -> list[str]:
    """The same for a reader."""
    states = Counter(tournament.states.values())
    players = [counted(len(tournament.names), "player")]
    players += [f"{states[state]} {state}" for state in ("paused", "retired") if states[state]]
    out = f", {tournament.n_out:,} out" if tournament.n_out else ""
    line = f"{', '.join(players)}; {counted(tournament.n_matches, 'match')} told{out}"
    if top is None or not tournament.n_matches:
        return [line]
    return [
        line,
        *order(tournament, confidence),
        verdict(top, confidence),
        *disagreement(tournament),
    ]


def order(tournament: Tournament, confidence: float) -> list[str]:
    """Where the whole order is looked for, whether it is known."""
    if not tournament.settings.seeks_order:
        return []
    known = known_order(tournament, confidence)
    return ["the whole order is open" if known is None else f"decided: {known}"]


def known_order(tournament: Tournament, confidence: float) -> str | None:
    """That the order of all players is known, in words; None if it is not."""
    from maxin.tournament.run.stopping import Judge

    reason, words = Judge(confidence, None, 0.0).says(tournament.league) or (None, "")
    return words or "there is nobody to order" if reason == "decided" else None


def disagreement(tournament: Tournament) -> list[str]:
    """What a reader should know if it matters what is meant by best."""
    states = list(tournament.states.values())
    if sum(state != "retired" for state in states) < 2:
        return []
    words = tournament.meanings().disagreement
    return [] if words is None else [f"note: {words}"]


def verdict(top: Top, confidence: float) -> str:
    """Who leads, how surely, and who may still be there.

    >>> from maxin.tournament import Top
    >>> verdict(Top(("anna",), 0.97, ("anna",), True), 0.95)
    'decided: anna is the best with 97.0% confidence'
    >>> verdict(Top(("anna",), 0.6, ("anna", "bo"), False), 0.95)
    'undecided: anna leads with 60.0% confidence; with 99% the best is one of these 2: anna and bo'
    """
    leaders, k = listed(top.players), len(top.players)
    place = "the best" if k == 1 else f"the top {k}"
    if top.is_decided:
        verb = "is" if k == 1 else "are"
        return f"decided: {leaders} {verb} {place} with {_floored(top.confidence)} confidence"
    leads = "leads" if k == 1 else "lead"
    among = "the best is one of" if k == 1 else f"{place} are among"
    held = f"{100 - 20 * (1 - confidence):.4g}%"  # as surely as a decision has to be
    return (
        f"undecided: {leaders} {leads} with {_floored(top.confidence)} confidence; with {held} "
        f"{among} these {len(top.candidates)}: {listed(top.candidates)}"
    )


def _floored(confidence: float) -> str:
    """Never more than is known: nobody is 100 % sure.

    >>> _floored(0.97), _floored(0.99937), _floored(0.999963), _floored(1.0)
    ('97.0%', '99.93%', '99.996%', '99.999%')
    """
    digits = 1 + (confidence >= 0.999) + (confidence >= 0.9999)
    scale = 10.0**digits
    return f"{math.floor(100.0 * scale * min(confidence, 0.99999) + 1e-9) / scale:.{digits}f}%"


def top_of(tournament: Tournament, k: int | None, confidence: float) -> Top | None:
    """The top k; None if nobody is in play."""
    if all(state == "retired" for state in tournament.states.values()):
        return None
    return tournament.top(k, confidence=confidence)
