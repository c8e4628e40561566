"""The tournament: a scheduler, a store and a way to play, joined."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from maxin.core import Entrant, check_positive, check_whole
from maxin.ratings import Tally
from maxin.runners import Runner
from maxin.storage import Event as Happening
from maxin.storage import Store, Writer, open_store
from maxin.storage.records import State
from maxin.tournament import roster
from maxin.tournament.enrolment import enrol, entrants
from maxin.tournament.events import Event, Report
from maxin.tournament.results import Played, read_log
from maxin.tournament.results.importing import Result, add_results
from maxin.tournament.run import loop
from maxin.tournament.settings import Goal, Settings, scheduler_of
from maxin.tournament.state.state import League
from maxin.tournament.state.verification import Verification, verify
from maxin.tournament.tickets.checks import checked_telling
from maxin.tournament.tickets.leases import our_name
from maxin.tournament.tickets.tickets import Desk, Ticket
from maxin.views.best_by import Meanings, meanings
from maxin.views.standings import Leaderboard, Top, leaderboard, top

LEASE = 600.0  # seconds a ticket may be out before somebody else gets it
Play = Callable[[str, str, int], Any]
Done = TypeVar("Done")


class Tournament:
    """Matches chosen, kept and counted; open its store again and it goes on.

    The settings are those of a new tournament (see `Settings`). When a stored one is opened they
    need not be given, and must be the same if they are. Several processes may open one store:
    they share one tournament. All methods may be called from any thread.

    Args:
        players: names, or `Entrant`s with options for the runner; left out, the store must exist.
        store: a URL, `sqlite:///league.db` or `postgresql://...`, or an open store; by default
            the URL in the environment's MAXIN_STORE, else memory.
        scheduler: who plays next; see `Settings` for this and the following.
        seed: everything random follows from it.
        games_per_match: 2 for every match twice, with the seats swapped.
        first_advantage: whether to fit what sitting first is worth.
        lag: L for the same matches whatever the number of workers, up to L.
        min_matches: how many matches everyone gets.
        match: how matches are played, in words.
        worker: who holds the tickets asked here; this process by default.
        goal: in place of a scheduler: "best", the default; "top-k"; "ranking"; or "regret", the
            best player while playing few bad matches.
        k: the size of the top, for the goal "top-k".

    >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
    >>> match = tournament.ask()
    >>> tournament.tell(match, 1.0)
    True
    >>> tournament.n_matches
    1
    """

    def __init__(
        self,
        players: Iterable[str | Entrant] | None = None,
        store: str | Store | None = None,
        *,
        scheduler: str | None = None,
        seed: int | None = None,
        games_per_match: int | None = None,
        first_advantage: bool | None = None,
        lag: int | None = None,
        min_matches: int | None = None,
        match: str | None = None,
        worker: str | None = None,
        goal: Goal | None = None,
        k: int | None = None,
    ) -> None:
        given = {
            "scheduler": scheduler_of(scheduler, goal, k),
            "seed": seed,
            "games_per_match": games_per_match,
            "first_advantage": first_advantage,
            "lag": lag,
            "min_matches": min_matches,
            "match": match,
        }
        self.store = _opened(store, create=players is not None)
        self.settings: Settings = enrol(self.store, players or (), given)
        self.desk = Desk(self.store, self.settings, worker or our_name())
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    # Matches

    def ask(self, *, lease: float = LEASE) -> Ticket | None:
        """The next match to play; None when there is nothing to ask until a result comes, if ever.

        The ticket is this process's for `lease` seconds; then, or when the process has ended, it
        may be handed to somebody else. Whoever brings its result first is believed.
        """
        check_positive(lease, "lease")
        return self.transact(lambda writer: self.desk.ask(writer, lease=lease))

    def tell(
        self,
        match: Ticket | int,
        score: float,
        *,
        games: Sequence[float] | None = None,
        errors: Sequence[str] = (),
        data: Mapping[str, Any] | None = None,
    ) -> bool:
        """Take in the first player's score of a match, in [0, 1]; False if it was told already.

        It may come late, twice or out of order. A different score than before is refused with a
        `ScoreConflict`. When this returns, the result is on disk.

        Args:
            match: the ticket, or its number.
            score: the first player's share of the win.
            games: the first player's score in each game of the match, if there are several.
            errors: what the game complained of.
            data: anything to be kept with the result.
        """
        number = _number(match)

        def work(writer: Writer) -> bool:
            pair = self.desk.match(writer, number)
            telling = checked_telling(number, pair, score, games, errors, data)
            return self.desk.tell(writer, telling)

        return self.transact(work)

    def void(self, match: Ticket | int, reason: str) -> None:
        """Give a match up: it counts for nobody, unless its result comes after all."""
        number = _number(match)

        def work(writer: Writer) -> None:
            self.desk.match(writer, number)
            self.desk.void(writer, number, str(reason))

        self.transact(work)

    def demand(self, first: str, second: str, *, times: int = 1) -> None:
        """Have two players meet before anything else is asked, `first` sitting first."""
        self.transact(lambda writer: roster.demand(self.league, writer, first, second, times))

    def add_results(
        self,
        results: Iterable[Result] | str | Path,
        *,
        source: str | None = None,
        add_players: bool = False,
    ) -> int:
        """Add results that were played elsewhere; returns how many were new.

        Args:
            results: (first, second, score) each, or a file (see `read_log`).
            source: where they come from; adding the same source again adds only its new lines.
                A file's is its path; results without one are always new.
            add_players: let unknown names join as players, instead of refusing them.
        """
        if isinstance(results, str | Path):
            rows = [(row.line, (row.first, row.second, row.score)) for row in read_log(results)]
            source = source or str(Path(results).resolve())
        else:
            rows = list(enumerate(results, start=1))
        origin = source or f"results-{secrets.token_hex(6)}"
        return self.transact(
            lambda writer: add_results(self.desk, writer, rows, origin, add_players=add_players)
        )

    def run(
        self,
        play: Play | Runner,
        *,
        budget: int | None = None,
        confidence: float | None = 0.95,
        k: int | None = None,
        indifference: float = 0.0,
        workers: int = 1,
        retries: int = 2,
        watch: Callable[[Event], None] | None = None,
    ) -> Report:
        """Play matches until the top is known, the budget is spent or nothing is left to ask.

        Args:
            play: `play(first, second, seed)` returns the first player's score; or a runner.
                A plain function is called in threads of this process.
            budget: matches of the whole tournament, those told before included.
            confidence: stop when the top k are known so surely; None to go on.
            k: the size of the top; by default what the tournament's goal is, which for "ranking"
                is the whole order.
            indifference: stop with a tie when all that is open lies within so many Elo points.
            workers: matches played at a time.
            retries: how often a match that gave no score is tried again before it is void.
            watch: is told what happens.

        >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
        >>> report = tournament.run(lambda first, second, seed: float(first < second), budget=60)
        >>> report.reason, report.top.players
        ('decided', ('anna',))
        """
        return loop.run(
            self,
            play,
            budget=budget,
            confidence=confidence,
            k=k or (None if self.settings.seeks_order else self._sought()),
            indifference=indifference,
            workers=workers,
            retries=retries,
            watch=watch,
        )

    # Players

    def add(self, *players: str | Entrant) -> None:
        """Let players join."""
        new = entrants(players)
        self.transact(lambda writer: roster.add(self.league, writer, new))

    def pause(self, *names: str) -> None:
        """Ask for no more matches of these players until they resume."""
        self.transact(lambda writer: roster.change(self.league, writer, "paused", names))

    def resume(self, *names: str) -> None:
        """Let paused or retired players play again."""
        self.transact(lambda writer: roster.change(self.league, writer, "active", names))

    def retire(self, *names: str) -> None:
        """Take players out: they keep their results, and can no longer be the best."""
        self.transact(lambda writer: roster.change(self.league, writer, "retired", names))

    # What is known

    @property
    def league(self) -> League:
        """The league as it was last read; only to be looked at."""
        with self._lock:
            return self.desk.league

    @property
    def names(self) -> list[str]:
        """All players, in the order they joined."""
        with self._lock:
            return list(self.league.names)

    @property
    def states(self) -> dict[str, State]:
        """Who is active, paused or retired."""
        with self._lock:
            return dict(zip(self.league.names, self.league.states, strict=True))

    @property
    def n_matches(self) -> int:
        """How many results there are."""
        return self.league.n_told

    @property
    def n_out(self) -> int:
        """How many matches are out."""
        return len(self.league.out)

    def refresh(self) -> None:
        """Read what other processes wrote; asking and telling do so anyway."""
        with self._lock:
            self.desk.refresh()

    def tally(self) -> Tally:
        """Points and games of every pair, by seat, of all players."""
        with self._lock:
            return self.league.tally.copy()

    def leaderboard(self) -> Leaderboard:
        """Ratings with intervals, the odds of being best, matches and scores."""
        names, states, tally = self._standing()
        return leaderboard(
            names, tally, states=states, first_advantage=self.settings.first_advantage
        )

    def top(self, k: int | None = None, *, confidence: float = 0.95) -> Top:
        """The leaders, how sure they are, and who may still be among the best k.

        Args:
            k: the size of the top; by default that of the tournament's goal.
            confidence: how surely it is to be known.
        """
        k = self._sought() if k is None else k
        names, states, tally = self._standing()
        return top(
            names,
            tally,
            k=k,
            confidence=confidence,
            states=states,
        )

    def _sought(self) -> int:
        """The size of the top: the goal's, or as many as are left to play."""
        n_in_play = sum(state != "retired" for state in self.states.values())
        return max(1, min(self.settings.k, n_in_play))

    def _standing(self) -> tuple[list[str], dict[str, State], Tally]:
        """Who is there, and their points, as of one moment."""
        with self._lock:
            return self.names, self.states, self.tally()

    def meanings(self) -> Meanings:
        """Who is best by each meaning of the word."""
        names, states, tally = self._standing()
        in_play = [player for player, name in enumerate(names) if states[name] != "retired"]
        return meanings(names, tally, in_play)

    def entrants(self) -> list[Entrant]:
        """All players with their options, in the order they joined."""
        return [Entrant(row.name, row.options) for row in self.store.players()]

    def matches(self) -> Iterator[Played]:
        """Every result, in the order they came."""
        names = self.names
        for row in self.store.told():
            told = row.telling
            if max(told.first, told.second) >= len(names):  # they joined since
                names = [player.name for player in self.store.players()]
            yield Played(
                told.match,
                names[told.first],
                names[told.second],
                told.score,
                told.games,
                row.seed,
                row.time,
                told.source,
                told.errors,
                told.data,
            )

    def out(self) -> list[Ticket]:
        """The tickets that are out."""
        with self._lock:
            league = self.league
            return [
                Ticket(number, league.names[first], league.names[second], league.seed(number))
                for number, (first, second) in sorted(league.out.items())
            ]

    def events(self, *kinds: str) -> Iterator[Happening]:
        """What else happened: "failed" attempts, "void" matches, "refused" results, "demand"s."""
        return self.store.events(*kinds)

    def verify(self) -> Verification:
        """Recompute everything from the record and compare."""
        with self._lock:
            self.desk.refresh()
            return verify(self.desk)

    # Within

    def transact(self, work: Callable[[Writer], Done]) -> Done:
        """What `work` returns, done in turn on the league as it is now, and on disk."""
        with self._lock:
            return self.desk.transact(work)


def _opened(store: str | Store | None, *, create: bool) -> Store:
    if isinstance(store, Store):
        return store
    url = store or os.environ.get("MAXIN_STORE") or "sqlite://"
    return open_store(url, create=create or url == "sqlite://")


def _number(match: Ticket | int) -> int:
    return match.id if isinstance(match, Ticket) else check_whole(match, "a match's number")
