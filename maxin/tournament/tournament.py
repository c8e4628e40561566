"""The tournament: a scheduler, a store and a way to play, joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from maxin.core import (
    AskTerms,
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
from maxin.storage import outlast
from maxin.tournament import players as roster
from maxin.tournament.budgets import Budgets
from maxin.tournament.opening import open_or_start
from maxin.tournament.record import commands
from maxin.tournament.record.failures import ATTEMPTS
from maxin.tournament.record.leases import process_name
from maxin.tournament.record.record import Record
from maxin.tournament.record.session import Session, idle_reason
from maxin.tournament.settings import GivenSettings, Settings
from maxin.tournament.tournament_views import TournamentViews
from maxin.worker.match_source import MatchSource
from maxin.worker.result_checks import checked_reason
from maxin.worker.source import LEASE, Ask, Idle, Ticket

if TYPE_CHECKING:  # what only some methods need is loaded there: most programs call few of them
    from maxin.storage import Store
    from maxin.storage.backup import Backup
    from maxin.tournament.results.reading import ReadingTerms
    from maxin.tournament.state.verification import Verification
    from maxin.worker.events import Event
    from maxin.worker.report import Report
    from maxin.worker.worker import Play

ENDLESS = Stop(confidence=None)


class Tournament(TournamentViews, MatchSource):
    """Chooses matches, records their results and says who is best; open its store to resume.

    The settings are those of a new tournament (see `Settings`). For a stored tournament they may
    be left out, and must be the same if they are given. Several processes may open one store:
    they share one tournament. All methods may be called from any thread.

    Args:
        players: names, or `Entrant` objects with options; without them the store must exist.
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
