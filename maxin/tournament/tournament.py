"""The tournament: a scheduler, a store and a way to play, joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import asdict, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from maxin import views
from maxin.core import (
    AskTerms,
    DecisionTerms,
    Entrant,
    InvalidInput,
    Stop,
    StopTerms,
    check_keywords,
    check_lease,
    check_n_matches,
    check_whole,
)
from maxin.core.checks import MOST_ASKED
from maxin.core.text import counted
from maxin.runners import Runner
from maxin.storage import PlayedMatch, PlayerState, outlast
from maxin.tournament import players as roster
from maxin.tournament.budgets import Budgets
from maxin.tournament.goals import Goal
from maxin.tournament.opening import open_or_start
from maxin.tournament.record import commands
from maxin.tournament.record.failures import ATTEMPTS
from maxin.tournament.record.leases import process_name
from maxin.tournament.record.record import Record
from maxin.tournament.record.session import Session, idle_reason
from maxin.tournament.record.transaction import ticket_of
from maxin.tournament.settings import GivenSettings, Settings
from maxin.views import html
from maxin.views.recorded.costs import KEY as COST
from maxin.views.recorded.failures import FAILURES, Failure, read_failures
from maxin.worker.match_source import MatchSource
from maxin.worker.result_checks import checked_reason
from maxin.worker.source import LEASE, Ask, Idle, Ticket, UnknownMatch

if TYPE_CHECKING:  # what only some methods need is loaded there: most programs call few of them
    from maxin.ratings import Tally
    from maxin.storage import Store
    from maxin.storage.backup import Backup
    from maxin.tournament.results.reading import ReadingTerms
    from maxin.tournament.state.verification import Verification
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
    from maxin.worker.events import Event
    from maxin.worker.report import Report
    from maxin.worker.worker import Play

ENDLESS = Stop(confidence=None)


class Tournament(MatchSource):
    """Chooses matches, records their results and says who is best; open its store to resume.

    The settings are those of a new tournament (see `Settings`). For a stored tournament they may
    be left out, and must be the same if they are given. Several processes may open one store:
    they share one tournament. All methods may be called from any thread.

    Args:
        players: names, or `Entrant`s with options; without them the store must exist.
        store: a URL, `postgresql://...`, the path of a SQLite file, `league.db`, or an open
            store; by default the URL in the environment variable MAXIN_STORE, else memory.
        worker: who holds the tickets asked here; this process by default.
        settings: goal, scheduler, seed and so on; `help(maxin.tournament.Settings)` explains them.

    >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
    >>> ticket = tournament.ask()
    >>> tournament.tell(ticket, 1.0)
    True
    >>> tournament.n_matches
    1
    """

    def __init__(
        self,
        players: Iterable[str | Entrant] | None = None,
        store: str | Path | Store | None = None,
        *,
        worker: str | None = None,
        **settings: Unpack[GivenSettings],
    ) -> None:
        check_keywords(type(self), settings, GivenSettings)
        opened = open_or_start(store, players, settings)
        self.store: Store = opened[0]
        self.settings: Settings = opened[1]
        holder = worker or process_name()
        self._record = Record(self.store, self.settings, holder)
        self._channel: Session = self._session()

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __repr__(self) -> str:
        present = sum(state != "removed" for state in self.states.values())
        players, matches = counted(present, "player"), counted(self.n_matches, "match")
        return f"<Tournament of {players} with {matches}, {self.store}>"

    def _repr_html_(self) -> str:
        cost = self.cost()
        return self.overview()._repr_html_() + ("" if cost is None else f"<p>{cost}</p>")

    def _session(
        self, stop: Stop = ENDLESS, *, attempts: int = ATTEMPTS, serves: bool = False
    ) -> Session:
        self._check_sprt(stop)
        return Session(
            self._record, lambda: self._beliefs, stop, attempts=attempts, is_service=serves
        )

    def _check_sprt(self, stop: Stop) -> None:
        """Raise unless the tournament can end by the sequential test of a stop."""
        if stop.sprt is not None:
            from maxin.tournament.stopping import check_sprt  # it needs NumPy

            check_sprt(stop, self.settings, len(self._record.state.in_play()))

    def _until(self, stop: Stop, *, attempts: int = ATTEMPTS) -> Tournament:
        """The same tournament, which hands out matches until this stop."""
        same = copy(self)
        same._channel = self._session(stop, attempts=attempts)
        return same

    # Matches

    def ask(self, *, lease: float = LEASE, **terms: Unpack[AskTerms]) -> Ticket | None:
        """The next match to play; None if there is none now (`idle_reason` says why).

        The ticket belongs to this process for `lease` seconds; after that, or when the process has
        ended, it may be handed to somebody else. The first result reported for it counts.

        Args:
            lease: seconds, at most a year.
            terms: hand out no new match once results and pending matches use up the `budget` or
                the `budget_cost`, or the goal is reached with this `confidence` and `tolerance`, or
                by this `sprt`; by default none of them.
        """
        return next(iter(self.ask_many(1, lease=lease, **terms)), None)

    def ask_many(
        self, n_matches: int, *, lease: float = LEASE, **terms: Unpack[AskTerms]
    ) -> list[Ticket]:
        """The next matches to play, in one transaction; fewer if there are no more now.

        The other arguments are those of `ask`.
        """
        check_keywords(Tournament.ask, terms, AskTerms)
        ask = Ask(check_n_matches(n_matches, MOST_ASKED), check_lease(lease))
        stop = replace(ENDLESS, **terms)
        if self._decision(stop) is not None:
            return []
        source = self._until(replace(stop, confidence=None)) if stop.budgets else self
        return source._tickets(ask)

    def retract_source(self, source: str | Path, reason: str, *, line: int | None = None) -> int:
        """Take back every result of an imported source; returns how many stood.

        Args:
            source: the name it was imported under, or the path of its file.
            reason: why; it is recorded.
            line: take back only the result in this line of the file; `matches` has the lines.
        """
        from maxin.tournament.results.importing import retract_results

        only = None if line is None else check_whole(line, "a line")
        return retract_results(self._channel, source, checked_reason(reason), only)

    def request(self, first: str, second: str, *, times: int = 1) -> None:
        """Have two players meet before anything else is asked, `first` in the first seat."""
        self._answer(commands.Request(first, second, times))

    def add_results(
        self,
        results: Any,
        *,
        source: str | None = None,
        add_players: bool = False,
        again: bool = False,
        **how: Unpack[ReadingTerms],
    ) -> int:
        """Add results that were played elsewhere; returns how many were new.

        Args:
            results: a file, a data frame, a list of dictionaries or of (first, second, score), or
                what `read_results` returns.
            source: where they come from; adding the same source again adds only its new lines.
                A file's source is its path; results without a source are always new.
            add_players: let unknown names join as players, instead of refusing them.
            again: add a file that is a copy of another one, instead of refusing it, and what was
                retracted.
            how: `format`, `columns`, `delimiter` and `skip_invalid`; see
                `maxin.tournament.results.read_results`.

        >>> tournament = Tournament(["anna", "bo"])
        >>> tournament.add_results([{"winner": "bo", "loser": "anna", "round": 1}])
        1
        """
        from maxin.tournament.results.importing import import_results, read_source
        from maxin.tournament.results.reading import ReadingTerms

        check_keywords(Tournament.add_results, how, ReadingTerms)
        rows, origin = read_source(results, source, **how)
        return import_results(self._channel, rows, origin, add_players=add_players, again=again)

    def run(
        self,
        play: Play | Runner,
        *,
        workers: int = 1,
        retries: int = 2,
        backoff: float = 1.0,
        watch: Callable[[Event], None] | None = None,
        progress: bool | None = None,
        raises: bool = True,
        **terms: Unpack[StopTerms],
    ) -> Report:
        """Play matches until the goal is reached, the budget is spent or nothing is left to ask.

        Args:
            play: `play(first, second, seed)` returns the first player's score; or a runner.
                A plain function is called in threads of this process, an `async def` function is
                awaited on one event loop. Parameters annotated as `Entrant` get players with their
                options, all others get names.
            workers: matches played at a time.
            retries: how often a match without a score is tried again before it is void.
            backoff: seconds that the first retry waits at most; the limit doubles with every
                further one, up to a minute. The wait is random below its limit.
            watch: is called with every event; `Rated` carries the ratings.
            progress: whether to show the progress: a live table in a notebook, which is the
                default there, and otherwise a line on the terminal, if there is one.
            raises: whether to raise `MatchesFailed` if matches keep failing; if not, warn and
                return the report.
            terms: when to stop: `budget`, `budget_cost`, `budget_time`, `confidence` and
                `tolerance`, or `sprt`; see `Stop`.

        >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
        >>> report = tournament.run(lambda first, second, seed: float(first < second), budget=60)
        >>> report.reason, report.top.players
        ('decided', ('anna',))
        """
        from maxin.tournament.watching import run_watchers
        from maxin.worker.events import Blocked
        from maxin.worker.report import checked
        from maxin.worker.worker import Worker

        check_keywords(Tournament.run, terms, StopTerms)
        stop = Stop(**terms)
        stop.check_end()
        source = self._until(stop, attempts=1 + check_whole(retries, "retries"))
        see = run_watchers(source._channel, stop, lambda: self.overview(stop), watch, progress)

        def make() -> Worker:
            if not self._record.state.in_play():
                raise InvalidInput("a run needs a player who is not retired; there is none")
            return Worker(
                source, play, workers=workers, retries=retries, backoff=backoff, watch=see
            )

        report = outlast(make, lambda reason: see(Blocked(reason))).run()
        see.end()
        report = replace(
            report,
            paused=tuple(source._channel.paused_by_failures()),
            n_matches=self.n_matches,
            known=self.overview(stop),
            cost=self.cost(),
        )
        return checked(report, raises=raises)

    # Players

    def add(self, *players: str | Entrant) -> None:
        """Let players join."""
        self._answer(commands.AddPlayers(roster.entrants(players)))

    def edit(self, *players: Entrant) -> None:
        """Give players other options, in place of all that they have; their results still count.

        >>> tournament = Tournament([Entrant("anna", {"dept": 3}), "bo"])
        >>> tournament.edit(Entrant("anna", {"depth": 3}))
        >>> tournament.entrants()[0].options
        {'depth': 3}
        """
        self._answer(commands.EditPlayers(roster.entrants(players)))

    def remove(self, *names: str) -> None:
        """Take out players who have not played; one who has can only retire."""
        self._answer(commands.RemovePlayers(names))

    def pause(self, *names: str) -> None:
        """Ask for no more matches of these players until they resume."""
        self._answer(commands.ChangePlayers("paused", names))

    def resume(self, *names: str) -> None:
        """Let paused or retired players play again."""
        self._answer(commands.ChangePlayers("active", names))

    def retire(self, *names: str) -> None:
        """Take players out: their results still count, but they can no longer be the best."""
        self._answer(commands.ChangePlayers("retired", names))

    # What is known

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

    def idle_reason(self, **terms: Unpack[AskTerms]) -> Idle:
        """Why `ask` with the same terms returned None, and whether that can change."""
        check_keywords(Tournament.idle_reason, terms, AskTerms)
        stop = replace(ENDLESS, **terms)
        decision = self._decision(stop)
        if decision is not None:
            return Idle(f"decided: {decision}", True, "decided")
        budgets = Budgets(stop, self.store)
        budgets.note()
        return idle_reason(self._record.state, budgets.spent(self._record.state))

    def _decision(self, stop: Stop) -> str | None:
        """What is decided; None if nothing is, or nobody asks."""
        if not stop.seeks_decision:
            return None
        self._record.refresh()
        self._check_sprt(stop)
        overview = self.overview(stop)
        return overview.finding if overview.status == "decided" else None

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

    def slices(self, by: str) -> Slices:
        """A leaderboard for each value of a field of the results' data, such as a category.

        Ratings in a slice are shrunk towards the overall ones, as far as the results show that
        players differ between slices. Results without a value count for the overall ratings alone.

        Args:
            by: the name of the field.

        >>> tournament = Tournament(["anna", "bo"])
        >>> for category in ["code", "prose"] * 10:
        ...     ticket = tournament.ask()
        ...     is_won = (ticket.first == "anna") == (category == "code")
        ...     _ = tournament.tell(ticket, float(is_won), data={"category": category})
        >>> slices = tournament.slices("category")
        >>> slices["code"][0].player, slices["prose"][0].player
        ('anna', 'bo')
        """
        from maxin.tournament.slicing import stored_slices

        with self._record.lock:
            names, tally, states = self._evidence()
            until = self._record.state.seq
        results = stored_slices(self.store, by, until, len(names), self.settings.fading)
        return views.Slices.of(self._beliefs.get(names, tally, states), results)

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

        >>> tournament = Tournament(["anna", "bo"], seed=1)
        >>> tournament.add_results([("anna", "bo", 1.0)] * 3)
        3
        >>> print(tournament.chances())
        player   1    2
        1 anna    -  83%
        2 bo    17%    -
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
        return [Entrant(row.name, row.options) for row in self.store.players()]

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

        found = self.belief().judges
        return Judges([] if found is None else found.rows())

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

    def verify(self, *, digest: str | None = None) -> Verification:
        """Check that the record is complete and unchanged, derive everything again and compare.

        Args:
            digest: the `digest` of an earlier verification, which some entry must still have.
        """
        from maxin.tournament.state.verification import verify

        with self._record.lock:
            return verify(self.store, self._record, digest=digest)

    def backup(self, path: str | Path, *, force: bool = False) -> Backup:
        """Copy the store to a SQLite file and check the copy; see `back_up`."""
        from maxin.storage.backup import back_up

        return back_up(self.store, Path(path), force=force)


def session_of(tournament: Tournament, stop: Stop = ENDLESS, *, serves: bool = False) -> Session:
    """A session of a tournament, for those who apply commands that are not a worker's.

    Args:
        tournament: what is changed.
        stop: when it hands out no more matches.
        serves: whether many workers share the session; see `Session`.
    """
    return tournament._session(stop, serves=serves)
