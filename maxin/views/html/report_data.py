"""Everything a report shows, as data, from one posterior and one pass over the matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypedDict

from maxin.core import Entrant, InvalidInput, Stop
from maxin.core.text import shortened, visible
from maxin.ratings import Tally
from maxin.storage import PlayedMatch
from maxin.views import Overview, TotalCost
from maxin.views.crosstable import Crosstable, n_pairs_met
from maxin.views.formats import words_of
from maxin.views.history import GameLog, History
from maxin.views.overview import Leaders
from maxin.views.recorded.failures import Failure
from maxin.views.recorded.games import GameEnds
from maxin.views.recorded.judges import Judges
from maxin.views.slices import USUAL, NoSlices, Slices

LONGEST_OPTIONS = 300  # characters of a player's options


class Reported(Protocol):
    """What a report is about: a tournament."""

    @property
    def settings(self) -> Any:
        """The settings, which have a `fingerprint`."""

    def overview(
        self, stop: Stop = ..., *, controls: Sequence[str] = ..., ignore_judges: bool = ...
    ) -> Overview:
        """The standings and the verdict."""

    def matches(self) -> Iterator[PlayedMatch[str]]:
        """Every result, in the order they were recorded."""

    def entrants(self) -> list[Entrant]:
        """All players with their options."""

    def failures(self) -> list[Failure]:
        """What went wrong, oldest first."""

    def game_ends(self) -> GameEnds | None:
        """How games of chess ended."""

    def last_stop(self) -> Stop:
        """When the last run was to stop."""

    def cost(self) -> TotalCost | None:
        """What all matches cost."""

    def slices(self, by: str, *, ignore_judges: bool = ...) -> Slices:
        """A leaderboard for each value of a field of the results."""


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
        numbers = {name: number for number, name in enumerate(names)}
        order = [numbers[name] for name in ranked]
        first, second = (seat[order].tolist() for seat in (tally.n_first, tally.n_second))
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
        leaders: the players that tables and charts show: all of a few, the best of many.
        crosstable: the results of every pair of them, in the leaderboard's order.
        n_pairs_met: how many pairs of all players have met.
        history: what was known after earlier numbers of matches.
        seats: who of them sat where, and what the first player scored in all matches.
        judges: what each judge's votes are worth, the busiest first.
        failures: attempts without a score, and what followed from them.
        games: how games of chess ended.
        fingerprint: a short name of the tournament's settings.
        options: of the players who have some, by name, as one line of text.
        ends: the budget and the confidence of the last run.
        cost: what all matches cost, if they report it.
        times: when the first and the last result were recorded, in seconds since 1970.
        slices: a leaderboard per slice; if there is none for a reason, a sentence that gives it.
    """

    overview: Overview
    leaders: Leaders
    crosstable: Crosstable
    n_pairs_met: int
    history: History
    seats: Seats
    judges: Judges
    failures: list[Failure]
    games: GameEnds | None
    fingerprint: str
    options: dict[str, str]
    stop: Stop
    cost: TotalCost | None
    times: tuple[float, float] | None
    slices: Slices | str | None = None

    @property
    def failure_counts(self) -> dict[str, int]:
        """How many failures there are of each kind."""
        return Counter(failure.kind for failure in self.failures)


class ReportTerms(TypedDict, total=False):
    """What a report is about, besides the tournament; see `read_report`."""

    confidence: float | None
    controls: Sequence[str]
    ignore_judges: bool
    by: str | None


def read_report(
    tournament: Reported,
    *,
    confidence: float | None = None,
    controls: Sequence[str] = (),
    ignore_judges: bool = False,
    by: str | None = None,
) -> ReportData:
    """Read a tournament once.

    Args:
        tournament: what is reported.
        confidence: how certain a decision must be; by default as in the last run.
        controls: covariates whose effects are taken out of the ratings.
        ignore_judges: whether all votes count alike, whoever judged.
        by: the field of the results' data that names slices; by default `category`, if any result
            has one.

    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo", "cy"])
    >>> tournament.add_results([("anna", "bo", 1.0), ("bo", "cy", 0.5)])
    2
    >>> data = read_report(tournament)
    >>> data.overview.n_matches, data.n_pairs_met, data.history.after
    (2, 2, [0, 1, 2])
    """
    last = tournament.last_stop()
    stop = last.at(confidence)
    overview = tournament.overview(stop, controls=controls, ignore_judges=ignore_judges)
    belief, top = overview.belief, overview.top
    if top is None:
        raise InvalidInput(
            f"a report needs a player who is not retired; all {len(belief.names)} are"
        )
    names, leaders = belief.names, Leaders.of(overview)
    numbers = {name: number for number, name in enumerate(names)}
    listed = [numbers[row.player] for row in overview.leaderboard]
    log = GameLog.until(tournament.matches(), belief)
    return ReportData(
        overview=overview,
        leaders=leaders,
        crosstable=Crosstable.of(names, belief.tally, leaders.names),
        n_pairs_met=n_pairs_met(belief.tally, listed),
        history=History.of(log, belief, top, stop=stop),
        seats=Seats.of(names, belief.tally, leaders.names),
        judges=Judges.of(belief.judges),
        failures=tournament.failures(),
        games=tournament.game_ends(),
        fingerprint=tournament.settings.fingerprint,
        options={name: options_line(options) for name, options in tournament.entrants() if options},
        stop=last,
        cost=tournament.cost(),
        times=(float(log.times.min()), float(log.times.max())) if len(log) else None,
        slices=usual_slices(tournament, ignore_judges=ignore_judges)
        if by is None
        else tournament.slices(by, ignore_judges=ignore_judges),
    )


def usual_slices(tournament: Reported, *, ignore_judges: bool = False) -> Slices | str | None:
    """The slices by category, or the reason why there are none; None if no result has one."""
    try:
        return tournament.slices(USUAL, ignore_judges=ignore_judges)
    except NoSlices:
        return None
    except InvalidInput as error:  # such as too many values
        return str(error)


def options_line(options: Mapping[str, Any]) -> str:
    """A player's options as one line of limited length; tables in them are written out.

    >>> options_line({"command": "stockfish", "nodes": 100, "options": {"Hash": 16}})
    'command stockfish, nodes 100, Hash 16'
    """
    pairs: list[tuple[str, Any]] = []
    for key, value in options.items():
        pairs += value.items() if isinstance(value, Mapping) else [(key, value)]
    try:
        line = ", ".join(f"{key} {words_of(value)}" for key, value in pairs)
    except RecursionError:  # a value of a thousand levels
        line = ", ".join(key for key, _ in pairs)
    return shortened(visible(line), LONGEST_OPTIONS)
