"""What a tournament shows: its players, its record, ratings, the verdict and the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from maxin import views
from maxin.core import (
    DecisionTerms,
    Entrant,
    InvalidInput,
    Stop,
    check_keywords,
    check_whole,
)
from maxin.storage import PlayedMatch, PlayerState
from maxin.tournament.goals import Goal
from maxin.tournament.record.record import Record
from maxin.tournament.record.transaction import ticket_of
from maxin.tournament.settings import Settings
from maxin.views import html
from maxin.views.recorded.costs import KEY as COST
from maxin.views.recorded.failures import FAILURES, Failure, read_failures
from maxin.worker.source import Ticket, UnknownMatch

if TYPE_CHECKING:  # what only some methods need is loaded there: most programs call few of them
    from maxin.ratings import Tally
    from maxin.storage import Store
    from maxin.views import (
        Belief,
        BeliefCache,
        BestBy,
        Leaderboard,
        Overview,
        Slices,
        Top,
        TotalCost,
    )
    from maxin.views.crosstable import Crosstable
    from maxin.views.fits import RatingMethod
    from maxin.views.history import History
    from maxin.views.plots.pair_chances import PairChances
    from maxin.views.recorded.games import GameEnds
    from maxin.views.recorded.judges import Judges
    from maxin.views.recorded.matches import RecordedMatch


class TournamentViews:
    """The views of a tournament: what its record says, as of the moment of the call."""

    store: Store
    settings: Settings
    _record: Record

    @cached_property
    def _beliefs(self) -> BeliefCache:
        return views.BeliefCache(
            self.settings.anchor, lambda: self._record.state.features_in(self.store)
        )

    @property
    def goal(self) -> Goal:
        """What the tournament is to find out."""
        return self.settings.parsed_goal

    @property
    def names(self) -> list[str]:
        """All players, in the order they joined."""
        with self._record.lock:
            return list(self._record.state.names)

    @property
    def states(self) -> dict[str, PlayerState]:
        """Which players are active, paused or retired."""
        with self._record.lock:
            state = self._record.state
            return dict(zip(state.names, state.states, strict=True))

    @property
    def n_matches(self) -> int:
        """How many results there are."""
        return self._record.state.n_told

    @property
    def n_pending(self) -> int:
        """How many matches were handed out and have no result yet."""
        return len(self._record.state.pending)

    def pending(self) -> list[Ticket]:
        """The tickets without a result: who has each, since when, and how much time is left."""
        with self._record.lock:
            state, holders = self._record.state, self._record.leases.held()
            return [
                ticket_of(state, number, match)._replace(**holders.get(number, {}))
                for number, match in sorted(state.pending.items())
            ]

    def tally(self) -> Tally:
        """Points and games of every pair of players, by seat."""
        with self._record.lock:
            return self._record.state.tally.copy()

    def belief(self) -> Belief:
        """What all results say; fitted again only when results or players have changed."""
        return self._beliefs.get(*self._evidence())

    def _evidence(self) -> tuple[list[str], Tally, dict[str, PlayerState]]:
        """What a belief depends on, as of one moment."""
        with self._record.lock:
            return self.names, self.tally(), self.states

    def overview(
        self,
        stop: Stop | None = None,
        *,
        controls: Sequence[str] = (),
        ignore_judges: bool = False,
    ) -> Overview:
        """The standings, the verdict and the numbers that a front page shows, as of one moment.

        Args:
            stop: when the tournament ends; by default as in the last run.
            controls: covariates whose effects are taken out of the ratings: fields of the data of
                results, such as "length", or pairs of fields, "length_a" and "length_b".
            ignore_judges: whether all votes count alike, whoever judged.
        """
        stop = self.last_stop() if stop is None else stop
        if not isinstance(stop, Stop):
            raise InvalidInput(f"stop must be a Stop, such as Stop(confidence=0.9); got {stop!r}")
        with self._record.lock:
            n_matches, n_pending, evidence = self.n_matches, self.n_pending, self._evidence()
        return views.Overview(
            self._rated("posterior", evidence, controls, ignore_judges=ignore_judges),
            top_size=self.goal.k,
            is_ranking=self.goal.is_ranking,
            stop=stop,
            n_matches=n_matches,
            n_pending=n_pending,
            first_advantage=self.settings.first_advantage,
            has_los=self.settings.is_chess,
            settings=asdict(self.settings),
        )

    def _rated(
        self,
        ratings: str | RatingMethod,
        evidence: tuple[list[str], Tally, dict[str, PlayerState]],
        controls: Sequence[str],
        *,
        ignore_judges: bool,
    ) -> Belief:
        """The belief by a rating method, with controls and without judges if that is asked."""
        log = None
        if controls:
            names, tally, _ = evidence
            numbers = {name: number for number, name in enumerate(names)}
            # Another process may record matches meanwhile: those after the belief's are left out.
            there = islice(self.matches(), round(float(tally.games.sum())))
            log = views.read_controls(there, numbers, controls)
        return self._beliefs.rated(ratings, *evidence, controls=log, ignore_judges=ignore_judges)

    def leaderboard(
        self,
        *,
        ratings: str | RatingMethod = "posterior",
        controls: Sequence[str] = (),
        ignore_judges: bool = False,
    ) -> Leaderboard:
        """Ratings with intervals, the odds of being the best, matches and scores.

        Args:
            ratings: who rates: "posterior", "bradley-terry", or a function of the crosstable that
                returns the ratings, in nats, and their covariance.
            controls: see `overview`.
            ignore_judges: see `overview`.
        """
        settings = self.settings
        return views.Leaderboard.of(
            self._rated(ratings, self._evidence(), controls, ignore_judges=ignore_judges),
            first_advantage=settings.first_advantage,
            has_los=settings.is_chess,
        )

    def slices(self, by: str, *, ignore_judges: bool = False) -> Slices:
        """A leaderboard for each value of a field of the results' data, such as a category.

        Ratings in a slice are shrunk towards the overall ones, as far as the results show that
        players differ between slices. Results without a value count for the overall ratings alone.

        Args:
            by: the name of the field.
            ignore_judges: see `overview`.

        >>> from maxin import Tournament
        >>> tournament = Tournament(["anna", "bo"])
        >>> for category in ["code", "prose"] * 10:
        ...     ticket = tournament.ask()
        ...     is_won = (ticket.first == "anna") == (category == "code")
        ...     _ = tournament.tell(ticket, float(is_won), data={"category": category})
        >>> slices = tournament.slices("category")
        >>> slices["code"][0].player, slices["prose"][0].player
        ('anna', 'bo')
        """
        from maxin.tournament.results.slicing import stored_slices

        with self._record.lock:
            evidence, until = self._evidence(), self._record.state.seq
        n_players, half_life = len(evidence[0]), self.settings.fading
        with self.store.aside() as store:
            results = stored_slices(store, by, until, n_players, half_life)
        belief = self._rated("posterior", evidence, (), ignore_judges=ignore_judges)
        return views.Slices.of(belief, results)

    def top(self, k: int | None = None, **terms: Unpack[DecisionTerms]) -> Top:
        """The leaders, how certain they are, and who may still be among the best k.

        Args:
            k: the size of the top; by default that of the tournament's goal.
            terms: the `confidence` and the `tolerance` of a decision, see `Stop`; by default those
                of the last run.
        """
        check_keywords(self.top, terms, DecisionTerms)
        belief = self.belief()
        size = belief.top_size(self.goal.k) if k is None else k
        return views.Top.of(belief, size, replace(self.last_stop(), **terms))

    def best_by(self) -> BestBy:
        """Who is best by each meaning of the word."""
        return views.BestBy.of(self.belief())

    def crosstable(self) -> Crosstable:
        """The points and matches of every pair, best players first."""
        from maxin.views.crosstable import Crosstable

        belief = self.belief()
        ranked = [row.player for row in views.Leaderboard.of(belief)]
        return Crosstable.of(belief.names, belief.tally, ranked)

    def chances(self) -> PairChances:
        """What each player is expected to score against each other, best players first.

        Players who are retired are left out, and of many the 200 rated highest are compared.

        >>> from maxin import Tournament
        >>> tournament = Tournament(["anna", "bo"], seed=1)
        >>> tournament.add_results([("anna", "bo", 1.0)] * 3)
        3
        >>> print(tournament.chances())
        player     1     2
        1 anna     -  83 %
        2 bo    17 %     -
        """
        from maxin.views.best_by import pair_chances

        return pair_chances(self.belief())

    def history(self) -> History:
        """Ratings, the leader's interval and the number of candidates as matches were played.

        What is decided is judged by the terms of the last run.
        """
        from maxin.views.history import GameLog, History

        stop = self.last_stop()
        overview = self.overview(stop)
        belief, top = overview.belief, overview.top
        if top is None:
            raise InvalidInput("a history needs a player who is not retired; there is none")
        return History.of(GameLog.until(self.matches(), belief), belief, top, stop=stop)

    def entrants(self) -> list[Entrant]:
        """All players with their options, in the order they joined."""
        n_known = len(self.names)  # others may have joined since
        return [Entrant(row.name, row.options) for row in self.store.players()[:n_known]]

    def matches(self, *, retracted: bool = False) -> Iterator[PlayedMatch[str]]:
        """Every result in the order they came; with `retracted`, also those taken back."""
        from maxin.storage.results import recorded_results

        return recorded_results(self.store, self.names, retracted=retracted)

    def match(self, number: int) -> RecordedMatch:
        """One match with its results, those taken back included, and with what failed."""
        from maxin.storage.one_match import last_match, read_match
        from maxin.views.recorded.matches import RecordedMatch

        stored = read_match(self.store, check_whole(number, "the number of a match"))
        if stored is None:
            n_asked = last_match(self.store)
            raise UnknownMatch(f"there is no match {number}; {n_asked} were handed out so far")
        return RecordedMatch.of(stored, [row.name for row in self.store.players()])

    def cost(self) -> TotalCost | None:
        """What all matches cost: the sum of `cost` in their data; None if none has it."""
        return views.TotalCost.of(self.store.result_data(COST))

    def judges(self) -> Judges:
        """What each judge's votes are worth, with 95 % intervals; the busiest judge first.

        A judge has a position bias, in Elo points, and a reliability: 1 sees all of a difference
        between players, 0 flips coins, and a negative one prefers the worse player. Both are
        fitted with the ratings, and the ratings account for them.
        """
        from maxin.views.recorded.judges import Judges

        return Judges.of(self.belief().judges)

    def last_stop(self) -> Stop:
        """When the last run was to stop; the default if there was none."""
        from maxin.tournament.watching import last_stop

        return last_stop(self.store) or Stop()

    def failures(self) -> list[Failure]:
        """Failed attempts, void matches, refused results and paused players, oldest first."""
        events = list(self.store.events(*FAILURES))
        numbers = {event.match for event in events if event.match is not None}
        return read_failures(events, self.names, self.store.seats(numbers))

    def game_ends(self) -> GameEnds | None:
        """How games of chess ended, and who forfeited some; None for other games."""
        if not self.settings.is_chess:
            return None
        from maxin.views.recorded.games import GameEnds

        return GameEnds.of(self.matches())

    def report(
        self,
        path: str | Path,
        *,
        confidence: float | None = None,
        controls: Sequence[str] = (),
        ignore_judges: bool = False,
        by: str | None = None,
    ) -> Path:
        """Write the HTML report, one page that needs nothing else; returns its path.

        Args:
            path: of the page, which must end with .html; an older report is overwritten.
            confidence: how certain a decision must be; by default as in the last run.
            controls: see `overview`.
            ignore_judges: see `overview`.
            by: show ratings by this field of the results' data; by default by `category`, if any
                result has one.
        """
        return html.write_report(
            self,
            path,
            confidence=confidence,
            controls=controls,
            ignore_judges=ignore_judges,
            by=by,
        )
