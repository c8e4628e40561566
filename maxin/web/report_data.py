"""Everything a report tells, read from the tournament once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maxin.core import InvalidInput
from maxin.ratings.seats import Tally
from maxin.views.history import Array, History, Log, read_history, read_log

if TYPE_CHECKING:
    from maxin.storage import Event
    from maxin.tournament import Leaderboard, Settings, Top, Tournament

READINGS = 61  # of the history; with many players fewer, since their fits take longer
FEWEST_READINGS = 25


@dataclass(frozen=True)
class Story:
    """A tournament as its report tells it; `order` is the board's, by the players' numbers."""

    names: list[str]
    board: Leaderboard
    order: list[int]
    top: Top
    n_in_play: int  # players who are not retired
    log: Log
    tally: Tally
    history: History
    failures: list[Event]
    settings: Settings
    n_out: int
    disagreement: str | None  # if it matters what is meant by best

    @property
    def n_players(self) -> int:
        """How many there are, the retired too."""
        return len(self.names)

    @property
    def ranked(self) -> list[str]:
        """The names in the board's order."""
        return [self.names[player] for player in self.order]

    def crosstable(self) -> tuple[Array, Array]:
        """Points and matches of each player, the row, against each other, in the board's order."""
        by_rank = np.ix_(self.order, self.order)
        met = self.tally.games + self.tally.games.T
        return self.tally.crosstable()[by_rank], met[by_rank]


def read_story(tournament: Tournament) -> Story:
    """Read the record, and replay it."""
    names, states = tournament.names, tournament.states
    numbers = {name: number for number, name in enumerate(names)}
    in_play = [numbers[name] for name in names if states[name] != "retired"]
    if not in_play:
        raise InvalidInput(f"a report needs a player who is not retired; there are {len(names)}")
    board = tournament.leaderboard()
    order = [numbers[row.player] for row in board]
    log, top = read_log(tournament.matches(), numbers), tournament.top()
    history = read_history(
        log,
        len(names),
        in_play=in_play,
        leader=order[0],
        n_readings=min(READINGS, max(FEWEST_READINGS, 6000 // len(names))),
    )
    history.n_candidates[-1] = len(tournament.top(1).candidates)  # which took more draws
    return Story(
        names=names,
        board=board,
        order=order,
        top=top,
        n_in_play=len(in_play),
        log=log,
        tally=log.tally(len(names)),
        history=history,
        failures=list(tournament.events("failed")),
        settings=tournament.settings,
        n_out=tournament.n_out,
        disagreement=_disagreement(tournament, len(in_play)),
    )


def _disagreement(tournament: Tournament, n_in_play: int) -> str | None:
    is_open = n_in_play > 1 and tournament.n_matches > 0
    return tournament.meanings().disagreement if is_open else None
