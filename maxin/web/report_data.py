"""Everything a report shows, as data, from one posterior and one pass over the matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from maxin.core import InvalidInput
from maxin.ratings import Tally
from maxin.views.crosstable import Crosstable
from maxin.views.failures import Failure
from maxin.views.history import GameLog, History

if TYPE_CHECKING:
    from maxin.tournament import Tournament
    from maxin.views.overview import Overview

CHECKPOINTS = 61  # of the history; fewer if there are many players, since a fit takes O(n^3)
FEWEST_CHECKPOINTS = 25


class Seats(NamedTuple):
    """How often each player sat first and second, and the share of the points taken by the first.

    `names`, `first` and `second` are in the leaderboard's order.
    """

    names: tuple[str, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    first_share: float | None  # None if nothing was played

    @classmethod
    def of(cls, names: list[str], tally: Tally, ranked: list[str]) -> Seats:
        """The seats of a tally; `names` are all players in its order.

        >>> tally = Tally(2)
        >>> tally.add_many([0, 0, 1], [1, 1, 0], [1.0, 1.0, 0.5])
        >>> Seats.of(["anna", "bo"], tally, ["anna", "bo"])
        Seats(names=('anna', 'bo'), first=(2.0, 1.0), second=(1.0, 2.0), first_share=0.833)
        """
        order = [names.index(name) for name in ranked]
        first, second = (tally.games.sum(axis=axis)[order].tolist() for axis in (1, 0))
        played = float(tally.games.sum())
        share = float(tally.points.sum()) / played if played else None
        return cls(tuple(ranked), tuple(first), tuple(second), share)

    def per_player(self) -> Iterator[tuple[str, float, float]]:
        """Each player with the number of its matches in the first and in the second seat."""
        return zip(self.names, self.first, self.second, strict=True)


@dataclass(frozen=True)
class ReportData:
    """A tournament at one moment.

    Args:
        overview: the leaderboard, the leaders and the verdict.
        crosstable: the results of every pair, in the leaderboard's order.
        history: what was known after earlier numbers of matches.
        seats: who sat where, and what the first player scored.
        failures: attempts without a score, and what followed from them.
        fingerprint: a short name of the tournament's settings.
        times: when the first and the last result were recorded, in seconds since 1970.
    """

    overview: Overview
    crosstable: Crosstable
    history: History
    seats: Seats
    failures: list[Failure]
    fingerprint: str
    times: tuple[float, float] | None

    @property
    def ranked(self) -> list[str]:
        """The names in the leaderboard's order."""
        return [row.player for row in self.overview.leaderboard]

    @property
    def failure_counts(self) -> dict[str, int]:
        """How many failures there are of each kind."""
        return Counter(failure.kind for failure in self.failures)


def read_report(tournament: Tournament, *, confidence: float = 0.95) -> ReportData:
    """Read a tournament once.

    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo", "cy"])
    >>> tournament.add_results([("anna", "bo", 1.0), ("bo", "cy", 0.5)])
    2
    >>> data = read_report(tournament)
    >>> data.overview.n_matches, data.crosstable.coverage.share_met, data.history.after
    (2, 0.667, [0, 1, 2])
    """
    overview = tournament.overview(confidence=confidence)
    belief, top = overview.belief, overview.top
    if top is None:
        raise InvalidInput(
            f"a report needs a player who is not retired; all {len(belief.names)} are"
        )
    names, ranked = belief.names, [row.player for row in overview.leaderboard]
    numbers = {name: number for number, name in enumerate(names)}
    # Another process may record matches meanwhile: those after the belief's are left out.
    n_matches = round(float(belief.tally.games.sum()))
    log = GameLog.of(islice(tournament.matches(), n_matches), numbers)
    return ReportData(
        overview=overview,
        crosstable=Crosstable.of(names, belief.tally, ranked),
        history=History.of(
            log,
            belief,
            top,
            confidence=confidence,
            n_checkpoints=min(CHECKPOINTS, max(FEWEST_CHECKPOINTS, 6000 // len(names))),
        ),
        seats=Seats.of(names, belief.tally, ranked),
        failures=tournament.failures(),
        fingerprint=tournament.settings.fingerprint,
        times=(float(log.times.min()), float(log.times.max())) if len(log) else None,
    )
