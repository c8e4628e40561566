"""The history of a tournament that is being played, kept in memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from maxin.core import Stop
from maxin.ratings.base import Array
from maxin.tournament import Tournament
from maxin.views import Overview
from maxin.views.history import GameLog, History

MOST_POINTS = 120  # beyond, every other point is dropped
EARLIER_POINTS = 25  # at most, of a tournament that was played before; each costs a fit


@dataclass(frozen=True)
class _Point:
    """The ratings after some matches, by player number; players who joined later are missing."""

    after: int
    ratings: Array  # Elo points
    margins: Array  # half the 95 % intervals
    n_candidates: int


class Timeline:
    """A history that grows with each overview, without further fits.

    Args:
        tournament: whose matches so far are rated.
        stop: when it ends, as for the overviews that are added.

    >>> tournament = Tournament(["anna", "bo"], seed=1)
    >>> timeline = Timeline(tournament)
    >>> for _ in range(3):
    ...     _ = tournament.tell(tournament.ask(), 1.0)
    ...     timeline.add(tournament.overview())
    >>> timeline.history(tournament.overview()).after
    [1, 2, 3]
    """

    def __init__(self, tournament: Tournament, stop: Stop = Stop()) -> None:
        self._tournament = tournament
        self._read_earlier(tournament.overview(stop))

    def _read_earlier(self, overview: Overview) -> None:
        """Rate the matches played so far, on the scale of today."""
        self._points: list[_Point] = []
        belief, top = overview.belief, overview.top
        self._anchor = belief.scale.anchor
        if top is None or overview.n_matches < 2:
            return
        numbers = {name: number for number, name in enumerate(belief.names)}
        log = GameLog.of(islice(self._tournament.matches(), overview.n_matches), numbers)
        found = History.of(log, belief, top, stop=overview.stop, n_checkpoints=EARLIER_POINTS)
        for row, after in enumerate(found.after):
            known = found.ratings[row], found.margins[row], int(found.n_candidates[row])
            self._points.append(_Point(after, *known))

    def add(self, overview: Overview) -> None:
        """Add the ratings of an overview; one with fewer matches replaces the later points.

        With another anchor, as when a third player joins two, all points are rated again.
        """
        if overview.top is None or not overview.n_matches:
            return
        belief = overview.belief
        if belief.scale.anchor != self._anchor:
            self._read_earlier(overview)
        ratings = belief.scale.ratings(belief.ratings)
        ratings[belief.tally.n_matches == 0] = np.nan
        margins = belief.margins.copy()
        earlier = [point for point in self._points if point.after < overview.n_matches]
        if len(earlier) >= MOST_POINTS:
            earlier = earlier[::2]
        now = _Point(overview.n_matches, ratings, margins, len(overview.top.candidates))
        self._points = [*earlier, now]

    def history(self, overview: Overview) -> History | None:
        """The history as a report draws it; None before the second point."""
        if overview.top is None or len(self._points) < 2:
            return None
        names, points = tuple(overview.belief.names), self._points
        return History(
            names=names,
            after=[point.after for point in points],
            is_log=False,
            ratings=np.array([_padded(point.ratings, len(names)) for point in points]),
            margins=np.array([_padded(point.margins, len(names)) for point in points]),
            leader=names.index(overview.top.players[0]),
            n_candidates=np.array([point.n_candidates for point in points]),
            k=len(overview.top.players),
            certainty=overview.stop.level,
        )


def _padded(row: Array, n_players: int) -> Array:
    return np.pad(row, (0, n_players - len(row)), constant_values=np.nan)
