"""The leaders of a large field: the players that a view shows when there are too many for all."""

from __future__ import annotations

from typing import NamedTuple

from maxin.core.text import counted
from maxin.views.overview import Overview
from maxin.views.standings import Standing

MANY = 50  # players; of more, the best are shown, and the candidates rated below them
MOST_OTHERS = 25  # candidates below the best


class Leaders(NamedTuple):
    """The best players, and the candidates rated below them, both in the leaderboard's order.

    Args:
        best: the first rows of the leaderboard; all of them if there are few.
        others: the most likely candidates among the other rows.
        n_hidden: how many candidates are not shown.
        n_players: how many rows the leaderboard has.
    """

    best: tuple[Standing, ...]
    others: tuple[Standing, ...]
    n_hidden: int
    n_players: int

    @classmethod
    def of(cls, overview: Overview, count: int = MANY) -> Leaders:
        """The leaders among all players; before the first match there are no candidates.

        Args:
            overview: the leaderboard and the candidates.
            count: how many of the best to show.

        >>> from maxin.ratings import Tally
        >>> from maxin.views import Belief
        >>> tally = Tally(4)
        >>> tally.add_many([0, 0, 1, 2] * 9, [1, 2, 3, 3] * 9, [0.6, 0.5, 1.0, 1.0] * 9)
        >>> belief = Belief(["anna", "bo", "cy", "dee"], tally)
        >>> found = Leaders.of(Overview(belief, n_matches=36), count=2)
        >>> found.names, found.sentence
        (['cy', 'anna', 'bo'], 'the best 2 of 4 players, and 1 candidate rated below them')
        """
        rows, top = overview.leaderboard, overview.top
        candidates = top.candidates if top is not None and overview.n_matches else ()
        best, below = tuple(rows[:count]), {row.player: row for row in rows[count:]}
        wanted = [name for name in candidates if name in below]
        chosen = set(wanted[:MOST_OTHERS])
        others = tuple(row for row in below.values() if row.player in chosen)
        if len(others) == len(below):
            best, others = best + others, ()
        return cls(best, others, len(wanted) - len(chosen), len(rows))

    @property
    def rows(self) -> tuple[Standing, ...]:
        """All rows that are shown."""
        return self.best + self.others

    @property
    def names(self) -> list[str]:
        """The names of the players that are shown."""
        return [row.player for row in self.rows]

    @property
    def is_all(self) -> bool:
        """Whether everyone is shown."""
        return len(self.rows) == self.n_players

    @property
    def sentence(self) -> str:
        """Who is shown, as a noun."""
        if self.is_all:
            return f"all {counted(self.n_players, 'player')}"
        best = f"the best {len(self.best)} of {counted(self.n_players, 'player')}"
        if not self.others:
            return best
        which = f"the {len(self.others)} likeliest of " if self.n_hidden else ""
        n_candidates = counted(len(self.others) + self.n_hidden, "candidate")
        return f"{best}, and {which}{n_candidates} rated below them"
