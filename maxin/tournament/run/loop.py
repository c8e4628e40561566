"""The loop: ask, play, tell; in many threads, until it is known, paid up, or hopeless."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maxin.core import Entrant, InvalidInput, check_confidence, check_whole
from maxin.evaluation.stopping_rule import check_indifference
from maxin.runners import MatchFailed, Runner, Threads
from maxin.storage import StoreFailed, Telling, Writer
from maxin.tournament.events import (
    Asked,
    Event,
    Failed,
    Interrupted,
    Paused,
    Reason,
    Refused,
    Report,
    Told,
    Voided,
    Waiting,
)
from maxin.tournament.run.interrupts import Interrupts
from maxin.tournament.run.match_pool import Crew, Finished
from maxin.tournament.run.stopping import Judge
from maxin.tournament.tickets.tickets import ScoreConflict, Ticket

if TYPE_CHECKING:
    from maxin.tournament.tournament import Tournament

LEASE = 60.0  # seconds; renewed while a match is being played
PATIENCE = 0.5  # seconds between two looks at what other processes do
MOST_VOID = 10  # matches in a row that may be void before a run is aborted
MOST_VOID_OF_A_PLAYER = 3  # in a row, before a player is paused
FAREWELL = 3.0  # seconds that games have to end when they are killed
LOG_KEPT = 4000  # characters of a failure's log that are stored


def run(
    tournament: Tournament,
    play: Callable[[str, str, int], Any] | Runner,
    *,
    budget: int | None,
    confidence: float | None,
    k: int | None,
    indifference: float,
    workers: int,
    retries: int,
    watch: Callable[[Event], None] | None,
) -> Report:
    """See `Tournament.run`."""
    if budget is None and confidence is None:
        raise InvalidInput("a run needs an end: a budget of matches, a confidence, or both")
    for value, name, least in (
        (budget, "budget", 1),
        (workers, "workers", 1),
        (retries, "retries", 0),
    ):
        if value is not None and check_whole(value, name) < least:
            raise InvalidInput(f"{name} must be at least {least}; got {value}")
    if confidence is not None:
        check_confidence(confidence)
    check_indifference(indifference)
    tournament.top(k or 1)  # so many players there must be
    if not callable(play) and not hasattr(play, "play"):
        raise InvalidInput(
            f"play is a function play(first, second, seed) or a runner such as "
            f"maxin.runners.Command('play.py {{a}} {{b}}'); got {play!r}"
        )
    runner = Threads(play) if callable(play) else play
    entrants = {entrant.name: entrant for entrant in tournament.entrants()}
    runner.check(entrants.values())
    judge = Judge(confidence, k, indifference)
    loop = _Loop(tournament, runner, entrants, budget, judge, workers, retries, watch)
    return loop.run()


@dataclass
class _State:
    """How a run is going; a transaction that fails leaves it as it was."""

    n_new: int = 0  # results of this run
    n_given_up: int = 0  # matches that gave no score
    last_failure: str = ""  # in its own words
    set_aside: list[str] = field(default_factory=list)  # players paused by this run
    has_worked: bool = False  # whether any game of this run gave a score
    void_in_a_row: int = 0
    void_of: dict[str, int] = field(default_factory=dict)  # in a row, by player
    checked_at: int = -1  # results when it was last asked whether to stop
    reason: Reason | None = None
    message: str = ""


class _Loop:
    """One run. Everything here happens in one thread; a crew of others plays the matches."""

    def __init__(
        self,
        tournament: Tournament,
        runner: Runner,
        entrants: dict[str, Entrant],
        budget: int | None,
        judge: Judge,
        workers: int,
        retries: int,
        watch: Callable[[Event], None] | None,
    ) -> None:
        self.tournament, self.desk = tournament, tournament.desk
        self.runner = runner
        self.entrants = entrants
        self.budget = math.inf if budget is None else budget
        self.judge = judge
        self.watch = watch or (lambda event: None)
        self.interrupts = Interrupts()
        self.crew = Crew(runner, workers, tournament.settings.games_per_match, retries)
        self.started = time.monotonic()
        self.next_renewal = self.started + LEASE / 3
        self.leave_by = math.inf  # when games were killed, and may have a moment to end
        self.n_awaited = 0  # matches of others that were said to be waited for
        self.state = _State()

    def run(self) -> Report:
        """Play until there is a reason to stop, and no match of ours is out."""
        try:
            with self.interrupts.noticed(self.crew.wake):
                while self._step():
                    pass
                return self._report()
        except BaseException:
            self.runner.kill()
            raise
        finally:
            self.crew.dismiss()

    def _report(self) -> Report:
        assert self.state.reason is not None
        return Report(
            self.state.reason,
            self.state.message,
            self.tournament.n_matches,
            self.state.n_new,
            time.monotonic() - self.started,
            self.tournament.top(self.judge.k or 1, confidence=self.judge.confidence or 0.95),
        )

    def _step(self) -> bool:
        """Take in what is finished, hand out what is free, and wait; False when all is over."""
        finished = self.crew.finished()
        self._heed_interrupts()
        events, tickets = self._transact(finished)
        for event in events:
            self.watch(event)
        for ticket in tickets:
            self._start(ticket)
        if self.crew.running and time.monotonic() < self.leave_by:
            self.crew.wait(min(self._time_to_renewal(), self.leave_by - time.monotonic()))
            return True
        if self.state.reason is not None:
            return self._is_undone()
        return self._wait_for_others()

    def _is_undone(self) -> bool:
        """Whether results that came in after the decision have undone it, so that we go on."""
        reason = self.state.reason
        if reason not in ("decided", "tied") or self.judge.still_says(self.desk.league, reason):
            return False
        self.state.reason = None
        return True

    def _start(self, ticket: Ticket) -> None:
        try:
            seats = self._entrant(ticket.first), self._entrant(ticket.second)
        except InvalidInput as error:  # somebody joined whom this runner cannot play
            self.crew.fail(ticket, MatchFailed(str(error)))
        else:
            self.crew.start(ticket, *seats)
            self.watch(Asked(ticket))

    def _wait_for_others(self) -> bool:
        """Nothing of ours is out: matches of other processes may bring more, or this is the end."""
        league = self.desk.league
        if league.out:
            self._tell_of_waiting(len(league.out))
            self.crew.wait(PATIENCE)
        elif league.n_told >= self.budget:
            self._stop("budget", "")
        elif self.state.set_aside and len(league.active()) < 2:
            words = f"{', '.join(self.state.set_aside)} had to be paused; nobody is left to play"
            self._stop("aborted", f"{words}: {self.state.last_failure}")
        else:
            self._stop("finished", "")
        return self.state.reason is None

    def _tell_of_waiting(self, n_out: int) -> None:
        if n_out != self.n_awaited:
            self.n_awaited = n_out
            self.watch(Waiting(n_out))

    # Results in, tickets out

    def _transact(self, finished: list[Finished]) -> tuple[list[Event], list[Ticket]]:
        """One transaction: results and failures first, then new tickets for whoever is free."""
        before = self.state

        def work(writer: Writer) -> tuple[list[Event], list[Ticket]]:
            self.state = copy.deepcopy(before)  # the work may be done anew
            events = [event for item in finished for event in self._take_in(writer, item)]
            self._renew(writer)
            return events, self._hand_out(writer)

        try:
            return self.tournament.transact(work)
        except StoreFailed as error:
            raise StoreFailed(f"{error}{_unsaved(finished)}") from error

    def _take_in(self, writer: Writer, item: Finished) -> list[Event]:
        if item.outcome is None and self.leave_by < math.inf:
            return []  # killed by us: the ticket will be played when somebody resumes
        self.state.has_worked |= item.has_scored
        events: list[Event] = [
            self._note_failure(writer, item.ticket, attempt, failure)
            for attempt, failure in enumerate(item.failures, start=1)
        ]
        if item.outcome is not None:
            events.append(self._note_result(writer, item))
        elif self.state.reason not in ("aborted", "interrupted"):
            events += self._give_up(writer, item)
        return events

    def _note_result(self, writer: Writer, item: Finished) -> Event:
        ticket, outcome = item.ticket, item.outcome
        assert outcome is not None
        pair = self.desk.match(writer, ticket.id)
        telling = Telling(
            ticket.id, *pair, outcome.score, item.games, outcome.errors, outcome.data or None
        )
        self.state.void_in_a_row = self.state.void_of[ticket.first] = self.state.void_of[
            ticket.second
        ] = 0
        try:
            self.state.n_new += self.desk.tell(writer, telling)
        except ScoreConflict as conflict:  # its lease had lapsed, and somebody else was quicker
            writer.event("refused", match=ticket.id, score=outcome.score, reason=str(conflict))
            return Refused(ticket, str(conflict))
        return Told(ticket, outcome.score, outcome.errors)

    def _note_failure(
        self, writer: Writer, ticket: Ticket, attempt: int, failure: MatchFailed
    ) -> Event:
        log = failure.log[-LOG_KEPT:]
        writer.event(
            "failed",
            match=ticket.id,
            players=[ticket.first, ticket.second],
            attempt=attempt,
            reason=failure.reason,
            log=log,
        )
        words = f"\n{failure.log.strip()}" if failure.log.strip() else ""
        self.state.last_failure = f"{failure.reason}{words}"
        if failure.is_hopeless:
            self._give_it_all_up()
        return Failed(ticket, attempt, failure.reason, log)

    def _give_it_all_up(self) -> None:
        """Stop at once, if nothing has worked so far: another match would not either."""
        if not self.state.has_worked:
            words = f"no match has worked so far; the last one: {self.state.last_failure}"
            self._stop("aborted", words)
            self._kill()

    def _give_up(self, writer: Writer, item: Finished) -> list[Event]:
        """A match that failed every time is void; who is in too many of them is set aside.

        The second one to fail before any has worked is the last: it is not one of its players.
        """
        self.state.n_given_up += 1
        if self.state.n_given_up > 1:
            self._give_it_all_up()
            if self.state.reason == "aborted":
                return []
        reason = item.failures[-1].reason
        self.desk.void(writer, item.ticket.id, reason)
        events: list[Event] = [Voided(item.ticket, reason)]
        self.state.void_in_a_row += 1
        for name in (item.ticket.first, item.ticket.second):
            self.state.void_of[name] = self.state.void_of.get(name, 0) + 1
            if self.state.void_of[name] == MOST_VOID_OF_A_PLAYER:
                events.append(self._set_aside(writer, name, reason))
        if self.state.void_in_a_row >= MOST_VOID:
            self._stop("aborted", f"{MOST_VOID} matches in a row gave no score; the last: {reason}")
        return events

    def _set_aside(self, writer: Writer, name: str, reason: str) -> Event:
        number = self.desk.league.names.index(name)
        row = writer.player(number, name, "paused")
        self.desk.league.take(row)
        self.state.set_aside.append(name)
        words = f"its last {MOST_VOID_OF_A_PLAYER} matches gave no score; the last: {reason}"
        writer.event("paused", player=number, reason=words)
        return Paused(name, words)

    def _hand_out(self, writer: Writer) -> list[Ticket]:
        """Tickets for whoever is free, one by one, for each may be the last."""
        self.desk.prepare(writer)
        tickets: list[Ticket] = []
        while (
            self.state.reason is None and self.crew.n_free > len(tickets) and not self._is_known()
        ):
            held = self.crew.running.keys() | {ticket.id for ticket in tickets}
            ticket = self.desk.ask(writer, lease=LEASE, held=held, only_lapsed=self._is_paid())
            if ticket is None:
                break
            tickets.append(ticket)
        return tickets

    def _is_paid(self) -> bool:
        """Whether the budget is spent, once all that is out is told."""
        league = self.desk.league
        return league.n_told + len(league.out) >= self.budget

    # When to stop

    def _is_known(self) -> bool:
        """Whether there is nothing left to find out."""
        league = self.desk.league
        if self.state.reason is None and self.judge.is_time(league, self.state.checked_at):
            self.state.checked_at = league.known()[0]
            verdict = self.judge.says(league)
            if verdict is not None:
                self._stop(*verdict)
        return self.state.reason is not None

    def _stop(self, reason: Reason, message: str) -> None:
        if self.state.reason is None:
            self.state.reason, self.state.message = reason, message

    def _heed_interrupts(self) -> None:
        """Once: ask for no more. Twice: kill what is running."""
        if self.interrupts.are_new():
            self._stop("interrupted", "")
            self.crew.is_leaving = True
            self.watch(Interrupted(self.interrupts.times, len(self.crew.running)))
            if self.interrupts.times > 1:
                self._kill()

    def _kill(self) -> None:
        """End what is running; a game that cannot be ended is not waited for."""
        self.runner.kill()
        self.leave_by = min(self.leave_by, time.monotonic() + FAREWELL)

    # Leases

    def _time_to_renewal(self) -> float:
        return max(0.0, self.next_renewal - time.monotonic())

    def _renew(self, writer: Writer) -> None:
        if self.crew.running and time.monotonic() >= self.next_renewal:
            self.next_renewal = time.monotonic() + LEASE / 3
            ours = self.crew.running.keys() & self.desk.league.out.keys()
            writer.lease(ours, self.desk.worker, LEASE)

    def _entrant(self, name: str) -> Entrant:
        """A player's options; they joined after the run began if they are not known yet."""
        if name not in self.entrants:
            new = next(entrant for entrant in self.tournament.entrants() if entrant.name == name)
            self.runner.check([new])
            self.entrants[name] = new
        return self.entrants[name]


def _unsaved(finished: list[Finished]) -> str:
    """The results that did not reach the disk, so that somebody can tell them later."""
    lost = [
        f"match {item.ticket.id}, {item.ticket.first} - {item.ticket.second}: "
        f"{item.outcome.score:g}"
        for item in finished
        if item.outcome is not None
    ]
    return "; not saved: " + ", ".join(lost) if lost else ""
