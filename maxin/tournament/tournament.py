"""The tournament: a scheduler, a store and a way to play, joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from maxin.core import Entrant, check_lease, check_whole
from maxin.ratings import Tally
from maxin.runners import Runner
from maxin.storage import PlayedMatch, PlayerState, Store, StoredEvent, Writer
from maxin.tournament import players as roster
from maxin.tournament.backup import Backup, back_up
from maxin.tournament.events import Event
from maxin.tournament.goals import Goal
from maxin.tournament.opening import open_or_start
from maxin.tournament.results.importing import import_results, read_source
from maxin.tournament.results.recorded import recorded_results
from maxin.tournament.run.start import Play, play_run
from maxin.tournament.run_report import Report
from maxin.tournament.settings import Settings
from maxin.tournament.state.verification import Verification, verify
from maxin.tournament.tickets.idle import Idle, idle_reason
from maxin.tournament.tickets.leases import process_name
from maxin.tournament.tickets.result_checks import checked_outcome
from maxin.tournament.tickets.tickets import ScoreConflict, Ticket, Tickets
from maxin.views import Belief, BeliefCache, BestBy, Leaderboard, Overview, Top
from maxin.views.failures import FAILURES, Failure, read_failures

LEASE = 600.0  # seconds until a ticket without a result may be handed to somebody else


class Tournament:
    """Chooses matches, records their results and says who is best; open its store to resume.

    The settings are those of a new tournament (see `Settings`). For a stored tournament they may
    be left out, and must be the same if they are given. Several processes may open one store:
    they share one tournament. All methods may be called from any thread.

    Args:
        players: names, or `Entrant`s with options for the runner; without them the store must
            exist.
        store: a URL, `sqlite:///league.db` or `postgresql://...`, or an open store; by default
            the URL in the environment variable MAXIN_STORE, else memory.
        goal: what to find out: "best", the default; "top-3", the best three; "ranking", the whole
            order; or "regret", the best player while playing few bad matches.
        scheduler: who plays next; the goal's own scheduler by default.
        seed: everything random follows from it.
        games_per_match: 2 plays every match twice, with the seats swapped.
        first_advantage: whether to fit what sitting first is worth.
        lag: L gives the same matches for any number of workers up to L.
        min_matches: how many matches every player gets.
        match: a description of how matches are played.
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
        store: str | Store | None = None,
        *,
        goal: str | Goal | None = None,
        scheduler: str | None = None,
        seed: int | None = None,
        games_per_match: int | None = None,
        first_advantage: bool | None = None,
        lag: int | None = None,
        min_matches: int | None = None,
        match: str | None = None,
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
        }
        opened = open_or_start(store, players, given)
        self.store: Store = opened[0]
        self.settings: Settings = opened[1]
        holder = worker or process_name()
        self._tickets = Tickets(self.store, self.settings, holder, use_snapshots=use_snapshots)
        self._beliefs = BeliefCache()

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

    def idle_reason(self, *, budget: int | None = None, confidence: float | None = None) -> Idle:
        """Why `ask` with the same arguments returned None, and whether that can change."""
        decision = self._decision(confidence)
        if decision is not None:
            return Idle(f"decided: {decision}", is_over=True)
        return idle_reason(self._tickets.state, budget)

    def _decision(self, confidence: float | None) -> str | None:
        """What is decided with this confidence; None if nothing is, or nobody asks."""
        if confidence is None:
            return None
        self._tickets.refresh()
        overview = self.overview(confidence=confidence)
        return overview.finding if overview.status == "decided" else None

    def tell(
        self,
        match: Ticket | int,
        score: float,
        *,
        games: Sequence[float] | None = None,
        errors: Sequence[str] = (),
        data: Mapping[str, Any] | None = None,
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
        """
        number, fence = _number(match), match.fence if isinstance(match, Ticket) else 0
        outcome = checked_outcome(number, score, games, errors, data)
        told = self._tickets.blindly(
            lambda writer: self._tickets.tell(writer, number, outcome, fence)
        )
        if isinstance(told, ScoreConflict):
            raise told
        return told

    def void(self, match: Ticket | int, reason: str) -> bool:
        """Give a match up: it counts for nobody, unless its result comes after all.

        Returns whether the match was pending.
        """
        number = _number(match)

        def work(writer: Writer) -> bool:
            self._tickets.match(writer, number)
            return self._tickets.void(writer, number, str(reason))

        return self._tickets.blindly(work)

    def request(self, first: str, second: str, *, times: int = 1) -> None:
        """Have two players meet before anything else is asked, `first` in the first seat."""
        self._tickets.transact(
            lambda writer: roster.request_match(self._tickets.state, writer, first, second, times)
        )

    def add_results(
        self,
        results: Iterable[tuple[str, str, float]] | str | Path,
        *,
        source: str | None = None,
        add_players: bool = False,
    ) -> int:
        """Add results that were played elsewhere; returns how many were new.

        Args:
            results: (first, second, score) each, or a file (see `read_results`).
            source: where they come from; adding the same source again adds only its new lines.
                A file's source is its path; results without a source are always new.
            add_players: let unknown names join as players, instead of refusing them.
        """
        rows, origin = read_source(results, source)
        return import_results(self._tickets, rows, origin, add_players=add_players)

    def run(
        self,
        play: Play | Runner,
        *,
        budget: int | None = None,
        confidence: float | None = 0.95,
        indifference: float = 0.0,
        workers: int = 1,
        retries: int = 2,
        watch: Callable[[Event], None] | None = None,
    ) -> Report:
        """Play matches until the goal is reached, the budget is spent or nothing is left to ask.

        Args:
            play: `play(first, second, seed)` returns the first player's score; or a runner.
                A plain function is called in threads of this process.
            budget: matches of the whole tournament, including earlier ones.
            confidence: stop at this confidence; None does not stop.
            indifference: stop with a tie when all players whose order is open are within this
                many Elo points.
            workers: matches played at a time.
            retries: how often a match without a score is tried again before it is void.
            watch: is called with every event.

        >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
        >>> report = tournament.run(lambda first, second, seed: float(first < second), budget=60)
        >>> report.reason, report.top.players
        ('decided', ('anna',))
        """
        end = play_run(
            self._tickets,
            self._beliefs,
            play,
            budget=budget,
            confidence=confidence,
            indifference=indifference,
            workers=workers,
            retries=retries,
            watch=watch,
        )
        overview = self.overview(confidence=confidence or 0.95)
        return Report(end.reason, end.message, self.n_matches, end.n_new, end.seconds, overview)

    # Players

    def add(self, *players: str | Entrant) -> None:
        """Let players join."""
        new = roster.entrants(players)
        self._tickets.transact(lambda writer: roster.add_players(self._tickets.state, writer, new))

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

    # What is known

    @property
    def goal(self) -> Goal:
        """What the tournament is to find out."""
        return self.settings.parsed_goal

    @property
    def names(self) -> list[str]:
        """All players, in the order they joined."""
        with self._tickets.lock:
            return list(self._tickets.state.names)

    @property
    def states(self) -> dict[str, PlayerState]:
        """Which players are active, paused or retired."""
        with self._tickets.lock:
            state = self._tickets.state
            return dict(zip(state.names, state.states, strict=True))

    @property
    def n_matches(self) -> int:
        """How many results there are."""
        return self._tickets.state.n_told

    @property
    def n_pending(self) -> int:
        """How many matches were handed out and have no result yet."""
        return len(self._tickets.state.pending)

    def pending(self) -> list[Ticket]:
        """The tickets without a result."""
        with self._tickets.lock:
            return self._tickets.pending()

    def tally(self) -> Tally:
        """Points and games of every pair of players, by seat."""
        with self._tickets.lock:
            return self._tickets.state.tally.copy()

    def belief(self) -> Belief:
        """What all results say; fitted again only when results or players have changed."""
        return self._beliefs.get(*self._evidence())

    def _evidence(self) -> tuple[list[str], Tally, dict[str, PlayerState]]:
        """What a belief depends on, as of one moment."""
        with self._tickets.lock:
            return self.names, self.tally(), self.states

    def overview(self, *, confidence: float = 0.95) -> Overview:
        """The standings, the verdict and the numbers that a front page shows, as of one moment."""
        with self._tickets.lock:
            n_matches, n_pending, evidence = self.n_matches, self.n_pending, self._evidence()
        return Overview(
            self._beliefs.get(*evidence),
            top_size=self.goal.k,
            is_ranking=self.goal.is_ranking,
            confidence=confidence,
            n_matches=n_matches,
            n_pending=n_pending,
            first_advantage=self.settings.first_advantage,
            settings=asdict(self.settings),
        )

    def leaderboard(self) -> Leaderboard:
        """Ratings with intervals, the odds of being the best, matches and scores."""
        return Leaderboard.of(self.belief(), first_advantage=self.settings.first_advantage)

    def top(self, k: int | None = None, *, confidence: float = 0.95) -> Top:
        """The leaders, how certain they are, and who may still be among the best k.

        Args:
            k: the size of the top; by default that of the tournament's goal.
            confidence: how certain a decision must be.
        """
        belief = self.belief()
        size = belief.top_size(self.goal.k) if k is None else k
        return Top.of(belief, size, confidence)

    def best_by(self) -> BestBy:
        """Who is best by each meaning of the word."""
        return BestBy.of(self.belief())

    def entrants(self) -> list[Entrant]:
        """All players with their options, in the order they joined."""
        return [Entrant(row.name, row.options) for row in self.store.players()]

    def matches(self) -> Iterator[PlayedMatch[str]]:
        """Every result, in the order they were recorded."""
        return recorded_results(self.store, self.names)

    def events(self, *kinds: str) -> Iterator[StoredEvent]:
        """What else happened: "failed" attempts, "void" matches, "refused" results, "request"s."""
        return self.store.events(*kinds)

    def failures(self) -> list[Failure]:
        """Failed attempts, void matches, refused results and paused players, oldest first."""
        events = list(self.store.events(*FAILURES))
        numbers = {event.match for event in events if event.match is not None}
        return read_failures(events, self.names, self.store.seats(numbers))

    def verify(self, *, digest: str | None = None) -> Verification:
        """Check that the record is complete and unchanged, derive everything again and compare.

        Args:
            digest: the `digest` of an earlier verification, which some entry must still have.
        """
        with self._tickets.lock:
            return verify(self.store, self._tickets, digest=digest)

    def backup(self, path: str | Path, *, force: bool = False) -> Backup:
        """Copy the store to a SQLite file and check the copy; see `back_up`."""
        return back_up(self.store, Path(path), force=force)


def _number(match: Ticket | int) -> int:
    return match.id if isinstance(match, Ticket) else check_whole(match, "a match's number")
