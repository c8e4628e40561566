"""The tournament: a scheduler, a store and a way to play, joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from maxin.core import Entrant, Stop, StopTerms, check_lease, check_n_matches, check_whole
from maxin.runners import Outcome, Runner
from maxin.tournament import players as roster
from maxin.tournament.goals import Goal
from maxin.tournament.known import Known
from maxin.tournament.opening import open_or_start
from maxin.tournament.settings import Settings
from maxin.tournament.tickets.leases import process_name
from maxin.tournament.tickets.result_checks import checked_outcome, checked_reason, number_of
from maxin.tournament.tickets.tickets import ScoreConflict, Ticket, Tickets

if TYPE_CHECKING:  # what only some methods need is loaded there: most programs call few of them
    from numpy.typing import ArrayLike

    from maxin.ratings import Features
    from maxin.storage import PlayerState, Store, Writer
    from maxin.tournament.events import Event
    from maxin.tournament.results.reading import ResultsFile
    from maxin.tournament.run.run_report import Report
    from maxin.tournament.run.start import Play
    from maxin.tournament.state.state import TournamentState
    from maxin.tournament.tickets.wishes import Wish

Done = TypeVar("Done")
LEASE = 600.0  # seconds until a ticket without a result may be handed to somebody else


class Tournament(Known):
    """Chooses matches, records their results and says who is best; open its store to resume.

    The settings are those of a new tournament (see `Settings`). For a stored tournament they may
    be left out, and must be the same if they are given. Several processes may open one store:
    they share one tournament. All methods may be called from any thread.

    Args:
        players: names, or `Entrant`s with options; without them the store must exist.
        store: a URL, `postgresql://...`, the path of a SQLite file, `league.db`, or an open
            store; by default the URL in the environment variable MAXIN_STORE, else memory.
        goal: what to find out: "best", the default; "top-3"; "ranking", the whole order;
            "ratings", accurate ones of everyone; "regret", the best with few bad matches.
        scheduler: who plays next; the goal's own scheduler by default.
        seed: everything random follows from it.
        games_per_match: 2 plays every match twice, with the seats swapped.
        first_advantage: whether to fit what sitting first is worth.
        lag: L gives the same matches for any number of workers up to L.
        min_matches: how many matches every player gets.
        match: a description of how matches are played.
        anchor: a player and its rating in Elo points, {"stockfish": 3500}; it may change later.
        features: what predicts ratings: names of options that every player has,
            ["step", "size"]; or an array or `Features` with a row per player, which become options.
        half_life: for players whose skill drifts: after how many matches, 1000, or how much time,
            "7d", a result counts half. By default results never fade.
        worker: who holds the tickets asked here; this process by default.
        use_snapshots: whether to start from a snapshot instead of reading the whole record.

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
        goal: str | Goal | None = None,
        scheduler: str | None = None,
        seed: int | None = None,
        games_per_match: int | None = None,
        first_advantage: bool | None = None,
        lag: int | None = None,
        min_matches: int | None = None,
        match: str | None = None,
        anchor: Mapping[str, float] | None = None,
        features: Sequence[str] | Features | ArrayLike | None = None,
        half_life: float | str | None = None,
        worker: str | None = None,
        use_snapshots: bool = True,
    ) -> None:
        given = {
            "goal": goal,
            "scheduler": scheduler,
            "seed": seed,
            "games_per_match": games_per_match,
            "first_advantage": first_advantage,
            "lag": lag,
            "min_matches": min_matches,
            "match": match,
            "anchor": anchor,
            "features": features,
            "half_life": half_life,
        }
        opened = open_or_start(store, players, given)
        self.store: Store = opened[0]
        self.settings: Settings = opened[1]
        holder = worker or process_name()
        self._tickets = Tickets(self.store, self.settings, holder, use_snapshots=use_snapshots)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    # Matches

    def ask(
        self,
        *,
        lease: float = LEASE,
        budget: int | None = None,
        confidence: float | None = None,
    ) -> Ticket | None:
        """The next match to play; None if there is none now (`idle_reason` says why).

        The ticket belongs to this process for `lease` seconds; after that, or when the process has
        ended, it may be handed to somebody else. The first result reported for it counts.

        Args:
            lease: seconds, at most a year.
            budget: hand out no new match once there are this many, pending ones included.
            confidence: hand out no new match once the goal is reached with this confidence.
        """
        check_lease(lease)
        if self._decision(confidence) is not None:
            return None
        return self._tickets.ask(lease=lease, budget=budget)

    def ask_many(
        self,
        n_matches: int,
        *,
        lease: float = LEASE,
        budget: int | None = None,
        confidence: float | None = None,
    ) -> list[Ticket]:
        """The next matches to play, in one transaction; fewer if there are no more now.

        The other arguments are those of `ask`.
        """
        from maxin.tournament.tickets.wishes import AskWish

        wish = AskWish(self._tickets.worker, check_n_matches(n_matches), check_lease(lease))
        is_decided = self._decision(confidence) is not None
        return [] if is_decided else self.batch([wish], budget=budget)[0]

    def tell(
        self,
        match: Ticket | int,
        score: float,
        *,
        games: Sequence[float] | None = None,
        errors: Sequence[str] = (),
        data: Mapping[str, Any] | None = None,
        judge: str | None = None,
    ) -> bool:
        """Record the first player's score of a match, in [0, 1]; False if it is there already.

        It may come late, twice or out of order. A different score than before is refused with a
        `ScoreConflict`. When this returns, the result is on disk.

        Args:
            match: the ticket, or its number.
            score: the first player's share of the win.
            games: the first player's score in each game of the match, if there are several.
            errors: what the game complained about.
            data: anything to keep with the result.
            judge: the person or model that judged the match; kept in the data. See `judges`.
        """
        number, fence = number_of(match)
        outcome = checked_outcome(number, score, games, errors, data, judge)
        told = self._tickets.blindly(lambda it: self._tickets.tell(it, number, outcome, fence))
        if isinstance(told, ScoreConflict):
            raise told
        return told

    def tell_many(self, results: Iterable[tuple[Ticket | int, float | Outcome]]) -> list[bool]:
        """Record many results in one transaction; returns for each whether it was new.

        An invalid result does not keep the others from being recorded: `RefusedResults` is raised
        when they are on disk, and its `answers` tell which were refused, and why.

        Args:
            results: tickets or their numbers, each with the first player's score, or with an
                `Outcome`, which may have games, errors and data.

        >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
        >>> one, two = tournament.ask_many(2)
        >>> tournament.tell_many([(one, 1.0), (two, 0.5), (one, 1.0)]), tournament.n_matches
        ([True, True, False], 2)
        """
        from maxin.tournament.tickets.wishes import record_all

        return record_all(self._tickets, results)

    def batch(self, wishes: Sequence[Wish], *, budget: int | None = None) -> list[Any]:
        """Grant the wishes of many callers in one transaction; see `grant_all`."""
        from maxin.tournament.tickets.wishes import grant_all

        return grant_all(self._tickets, wishes, budget)

    def void(self, match: Ticket | int, reason: str) -> bool:
        """Give a match up: it counts for nobody, unless its result comes after all.

        Returns whether the match was pending. If it has a result, use `retract`.
        """
        number, _ = number_of(match)
        return self._tickets.blindly(
            lambda writer: self._tickets.give_up(writer, number, str(reason))
        )

    def retract(self, match: Ticket | int, reason: str) -> bool:
        """Take back the result of a match: it counts no longer, and the record keeps both.

        From then on the match is like a void one: the next result that is reported for it counts.
        Returns False if it was retracted before.

        Args:
            match: the ticket, or its number.
            reason: why; it is recorded.

        >>> tournament = Tournament(["anna", "bo"], seed=1)
        >>> ticket = tournament.ask()
        >>> tournament.tell(ticket, 1.0)
        True
        >>> tournament.retract(ticket, "the wrong player was credited")
        True
        >>> tournament.tell(ticket, 0.0), tournament.n_matches
        (True, 1)
        """
        number, fence = number_of(match)
        why = checked_reason(reason)
        return self._tickets.blindly(
            lambda writer: self._tickets.retract(writer, number, why, fence)
        )

    def retract_source(self, source: str | Path, reason: str, *, line: int | None = None) -> int:
        """Take back every result of an imported source; returns how many stood.

        Args:
            source: the name it was imported under, or the path of its file.
            reason: why; it is recorded.
            line: take back only the result in this line of the file; `matches` has the lines.
        """
        from maxin.tournament.results.retracting import retract_results

        only = None if line is None else check_whole(line, "a line")
        return retract_results(self._tickets, source, checked_reason(reason), only)

    def request(self, first: str, second: str, *, times: int = 1) -> None:
        """Have two players meet before anything else is asked, `first` in the first seat."""
        self._tickets.transact(
            lambda writer: roster.request_match(self._tickets.state, writer, first, second, times)
        )

    def add_results(
        self,
        results: Iterable[tuple[str, str, float]] | ResultsFile | str | Path,
        *,
        source: str | None = None,
        add_players: bool = False,
        again: bool = False,
    ) -> int:
        """Add results that were played elsewhere; returns how many were new.

        Args:
            results: (first, second, score) each, or a file, or what `read_results` returns.
            source: where they come from; adding the same source again adds only its new lines.
                A file's source is its path; results without a source are always new.
            add_players: let unknown names join as players, instead of refusing them.
            again: add a file that is a copy of another one, instead of refusing it, and what was
                retracted.
        """
        from maxin.tournament.results.importing import import_results, read_source

        rows, origin = read_source(results, source)
        return import_results(self._tickets, rows, origin, add_players=add_players, again=again)

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
            progress: whether to show a live table; by default in a notebook.
            raises: whether to raise `MatchesFailed` if matches keep failing; if not, warn and
                return the report.
            terms: when to stop: `budget`, `confidence` and `tolerance`; see `Stop`.

        >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
        >>> report = tournament.run(lambda first, second, seed: float(first < second), budget=60)
        >>> report.reason, report.top.players
        ('decided', ('anna',))
        """
        from maxin.tournament.run.run_report import Report, checked
        from maxin.tournament.run.start import play_run

        stop = Stop(**terms)
        end = play_run(
            self._tickets,
            self._beliefs,
            play,
            stop=stop,
            workers=workers,
            retries=retries,
            backoff=backoff,
            watch=watch,
            progress=progress,
            overview=lambda: self.overview(stop),
        )
        overview = self.overview(stop)
        report = Report(*end[:2], self.n_matches, *end[2:4], overview, self.cost(), end.paused)
        return checked(report, end.failure, raises=raises)

    # Players

    def add(self, *players: str | Entrant) -> None:
        """Let players join."""
        new = roster.entrants(players)
        self._tickets.transact(lambda writer: roster.add_players(self._tickets.state, writer, new))

    def edit(self, *players: Entrant) -> None:
        """Give players other options, in place of all that they have; their results still count.

        >>> tournament = Tournament([Entrant("anna", {"dept": 3}), "bo"])
        >>> tournament.edit(Entrant("anna", {"depth": 3}))
        >>> tournament.entrants()[0].options
        {'depth': 3}
        """
        changed = roster.entrants(players)
        self._tickets.transact(
            lambda writer: roster.edit_players(self._tickets.state, writer, changed)
        )

    def remove(self, *names: str) -> None:
        """Take out players who have not played; one who has can only retire."""
        self._tickets.transact(
            lambda writer: roster.remove_players(self._tickets.state, writer, names)
        )

    def pause(self, *names: str) -> None:
        """Ask for no more matches of these players until they resume."""
        self._change("paused", names)

    def resume(self, *names: str) -> None:
        """Let paused or retired players play again."""
        self._change("active", names)

    def retire(self, *names: str) -> None:
        """Take players out: their results still count, but they can no longer be the best."""
        self._change("retired", names)

    def _change(self, state: PlayerState, names: Iterable[str]) -> None:
        self._tickets.transact(
            lambda writer: roster.change_players(self._tickets.state, writer, state, names)
        )

    def change(self, work: Callable[[TournamentState, Writer], Done]) -> Done:
        """Change players or requests in one transaction, with what else `work` writes."""
        return self._tickets.transact(lambda writer: work(self._tickets.state, writer))
