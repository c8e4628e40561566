"""The loop of a run: ask, play and tell, until there is a reason to stop."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from contextlib import suppress

from maxin.core import InvalidInput
from maxin.runners import MatchFailed, Runner, RunnerLost
from maxin.storage import StoreFailed, StoreLost, Writer, caller_waits, outlast
from maxin.tournament.events import (
    Asked,
    Blocked,
    Event,
    Failed,
    Interrupted,
    Paused,
    Refused,
    Told,
    Voided,
    Waiting,
)
from maxin.tournament.run.interrupts import Interrupts
from maxin.tournament.run.match_pool import Finished, MatchPool
from maxin.tournament.run.progress import Progress, RunEnd
from maxin.tournament.run.roster import Roster
from maxin.tournament.run.spool import LeftWhileAway, Spool, recover
from maxin.tournament.run.stopping import Reason, StopRule
from maxin.tournament.tickets.ledger import Moved
from maxin.tournament.tickets.tickets import ScoreConflict, Ticket, Tickets

LEASE = 60.0  # seconds; renewed while a match is being played
PATIENCE = 0.5  # seconds between two looks at what other processes do
MOST_VOID = 10  # void matches in a row that abort a run
MOST_VOID_OF_A_PLAYER = 3  # void matches in a row that pause a player
FAREWELL = 3.0  # seconds that killed games have to end
LOG_KEPT = 4000  # characters of a failure's log that are stored
Exchanged = tuple[list[Event], list[Ticket]]


class Loop:
    """One run. Everything here happens in one thread; the pool's threads play the matches.

    Args:
        tickets: hands out matches and takes results.
        runner: plays a game.
        stop_rule: says when the goal is reached, and has the budget.
        workers: matches played at a time.
        retries: how often a game without a score is tried again.
        backoff: seconds that the first retry waits at most.
        watch: is called with every event.
    """

    def __init__(
        self,
        tickets: Tickets,
        runner: Runner,
        stop_rule: StopRule,
        *,
        workers: int,
        retries: int,
        backoff: float,
        watch: Callable[[Event], None] | None,
    ) -> None:
        self.tickets, self.runner, self.stop_rule = tickets, runner, stop_rule
        self.roster = Roster(tickets, runner)
        self.budget = stop_rule.stop.budget
        self.watch = watch or (lambda event: None)
        self.interrupts = Interrupts(lambda: bool(self.pool.running or self.finished))
        games = tickets.settings.games_per_match
        self.pool = MatchPool(runner, workers, games, retries, backoff)
        self.started = time.monotonic()
        self.next_renewal = self.started + LEASE / 3
        self.leave_by = math.inf  # when to stop waiting for games that were killed
        self.n_awaited = 0  # matches of other processes that watchers know about
        self.finished: list[Finished] = []  # matches that are over and not recorded yet
        self.spool = Spool(tickets.store)
        self.is_away = False  # whether watchers know that the store is away
        self.kept = ""  # what watchers know about the results that it cannot take
        self.progress = Progress()
        self.failure: MatchFailed | None = None  # the last one

    def run(self) -> RunEnd:
        """Play until there is a reason to stop and no match of this run is pending."""
        self.roster.check()
        store = self.tickets.store
        notice_before, store.notice = store.notice, self._note_block
        try:
            outlast(lambda: recover(self.spool, self.tickets, self.watch), self._note_block)
            with self.interrupts.counted(self.pool.wake), caller_waits():
                while self._step():
                    pass
                return self._end()
        except BaseException:
            self.runner.kill()
            self.pool.leave()
            raise
        finally:
            store.notice = notice_before
            self.spool.close()
            self.pool.dismiss()

    def _end(self) -> RunEnd:
        reason, message = self.progress.reason, self.progress.message
        assert reason is not None
        seconds, paused = time.monotonic() - self.started, tuple(self.progress.paused)
        return RunEnd(reason, message, self.progress.n_new, seconds, self.failure, paused)

    def _step(self) -> bool:
        """Go on, also if the store is away; False when the run is over."""
        self.finished += self.pool.finished()
        self._heed_interrupts()
        try:
            return self._advance()
        except StoreLost as error:
            return self._outlast(error)

    def _advance(self) -> bool:
        """Take in finished matches, hand out new ones, and wait; False when the run is over."""
        for ticket in self._exchange():
            self._start(ticket)
        if self.pool.running and time.monotonic() < self.leave_by:
            self.pool.wait(min(self._time_to_renewal(), self.leave_by - time.monotonic()))
            return True
        if self.progress.reason is not None:
            return self._is_undone()
        return self._wait_for_others()

    def _outlast(self, error: StoreLost) -> bool:
        """The store is away: keep the results on this machine, and try again.

        The matches that are being played go on. Whoever was interrupted does not wait.
        """
        self.tickets.lost_at = time.monotonic()
        is_playing = self.pool.running and time.monotonic() < self.leave_by
        is_leaving = self.progress.reason == "interrupted" and not is_playing
        kept = self.spool.keep(self.finished, is_leaving=is_leaving)
        if is_leaving:
            raise LeftWhileAway("; ".join(filter(None, [str(error), kept]))) from error
        if not self.is_away:
            self.watch(Blocked(f"{error}; trying again"))
        if kept not in ("", self.kept):
            self.watch(Blocked(kept))
        self.is_away, self.kept = True, kept or self.kept
        self.pool.wait(PATIENCE)
        return True

    def _is_undone(self) -> bool:
        """Whether results that came after the decision have undone it, so that we continue."""
        if self.progress.reason != "decided":
            return False
        if self.stop_rule.still_holds(self.tickets.state):
            return False
        self.progress.reason = None
        return True

    def _start(self, ticket: Ticket) -> None:
        try:
            seats = self.roster.entrant(ticket.first), self.roster.entrant(ticket.second)
        except InvalidInput as error:  # a player joined whom this runner cannot play
            self.pool.fail(ticket, MatchFailed(str(error)))
        else:
            self.pool.start(ticket, *seats)
            self.watch(Asked(ticket))

    def _wait_for_others(self) -> bool:
        """No match of ours is pending: other processes may report more, or this is the end."""
        state = self.tickets.state
        found = self.progress.idle_end(state, self.budget)
        if found is not None and not (state.pending and self.tickets.may_come_back()):
            self._stop(*found)
            return False
        self._announce_waiting(len(state.pending))
        self.pool.wait(PATIENCE)
        return True

    def _announce_waiting(self, n_pending: int) -> None:
        if n_pending != self.n_awaited:
            self.n_awaited = n_pending
            self.watch(Waiting(n_pending))

    # Results in, tickets out

    def _exchange(self) -> list[Ticket]:
        """Results and failures in, new tickets for free workers out.

        A process that is alone does both in one transaction. Among others, each ticket is a
        transaction of its own, so that nobody waits while we choose.
        """
        try:
            is_plain = all(not item.failures for item in self.finished)
            if is_plain and self.tickets.is_alone and self.tickets.lapsed(self._held()) is None:
                with suppress(Moved):
                    return self._take_in(self.tickets.exactly, self._hand_out)
            self._take_in(self.tickets.transact, lambda writer: [])
            return self._ask()
        finally:
            self.interrupts.is_blocked = False

    def _take_in(
        self,
        transact: Callable[[Callable[[Writer], Exchanged]], Exchanged],
        hand_out: Callable[[Writer], list[Ticket]],
    ) -> list[Ticket]:
        """One transaction; the progress follows only if it succeeds."""
        before = self.progress

        def work(writer: Writer) -> Exchanged:
            self.progress = copy.deepcopy(before)  # the work may be done again
            events = [event for item in self.finished for event in self._note(writer, item)]
            self._renew(writer)
            return events, hand_out(writer)

        try:
            events, tickets = transact(work)
        except BaseException as error:
            self.progress = before
            if isinstance(error, StoreFailed) and not isinstance(error, StoreLost):
                kept = self.spool.keep(self.finished, is_leaving=True)
                raise StoreFailed("; ".join(filter(None, [str(error), kept]))) from error
            raise
        self.finished.clear()
        self.spool.clear()
        self.is_away, self.kept = False, ""
        for event in events:
            self.watch(event)
        return tickets

    def _held(self) -> set[int]:
        """The numbers of the matches that this run is playing."""
        return set(self.pool.running)

    def _note_block(self, reason: str) -> None:
        self.watch(Blocked(reason))
        self.interrupts.block()

    def _note(self, writer: Writer, item: Finished) -> list[Event]:
        if item.outcome is None and self.leave_by < math.inf:
            self.tickets.release(writer, item.ticket.id)  # we killed it: another run plays it
            return []
        self.progress.has_worked |= item.has_scored
        events: list[Event] = [
            self._note_failure(writer, item.ticket, attempt, failure)
            for attempt, failure in enumerate(item.failures, start=1)
        ]
        if item.outcome is not None:
            events += self._note_result(writer, item)
        elif self.progress.reason not in ("aborted", "interrupted"):
            events += self._give_up(writer, item)
        else:
            self.tickets.release(writer, item.ticket.id)
        return events

    def _note_result(self, writer: Writer, item: Finished) -> list[Event]:
        """Record a result; the same one, recorded before, is no event."""
        ticket, outcome = item.ticket, item.outcome
        assert outcome is not None
        self.progress.void_in_a_row = 0
        for name in (ticket.first, ticket.second):  # only failures are kept: they are copied often
            self.progress.void_of.pop(name, None)
        told = self.tickets.tell(writer, ticket.id, outcome, ticket.fence)
        if isinstance(told, ScoreConflict):  # its lease lapsed, and another process was quicker
            return [Refused(ticket, str(told))]
        self.progress.n_new += told
        return [Told(ticket, outcome.score, outcome.errors)] if told else []

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
        self.failure, self.progress.last_failure = failure, f"{failure.reason}{words}"
        if failure.is_hopeless and failure.player is None:
            self._give_it_all_up(failure)
        return Failed(ticket, attempt, failure.reason, log)

    def _give_it_all_up(self, failure: MatchFailed) -> None:
        """Stop at once if the runner is lost, or if no match of this run has worked."""
        is_lost = isinstance(failure, RunnerLost)
        if is_lost or not self.progress.has_worked:
            words = "" if is_lost else "no match of this run has worked; the last failure: "
            self._stop("aborted", f"{words}{self.progress.last_failure}")
            self._kill()

    def _give_up(self, writer: Writer, item: Finished) -> list[Event]:
        """Void a match that failed every time, and pause a player who is in too many of them.

        When a second match fails before any has worked, stop, unless one player is to blame.
        """
        state, failure = self.tickets.state, item.failures[-1]
        blamed = self.progress.blamed(item.ticket, failure)
        if self.progress.is_hopeless(failure, [state.names[player] for player in state.active()]):
            self._give_it_all_up(failure)
            for name in self.progress.paused:  # it was not their fault
                writer.player(state.numbers[name], name, "active")
            self.progress.paused.clear()
            return []
        reason = failure.reason
        self.tickets.void(writer, item.ticket.id, reason)
        events: list[Event] = [Voided(item.ticket, reason)]
        self.progress.void_in_a_row += 1
        for name in blamed:
            self.progress.void_of[name] = self.progress.void_of.get(name, 0) + 1
            if self.progress.void_of[name] == MOST_VOID_OF_A_PLAYER:
                events.append(self._pause(writer, name, reason))
        if self.progress.void_in_a_row >= MOST_VOID:
            self._stop(
                "aborted", f"{MOST_VOID} matches in a row gave no score; the last reason: {reason}"
            )
        return events

    def _pause(self, writer: Writer, name: str, reason: str) -> Event:
        number = self.tickets.state.numbers[name]
        writer.player(number, name, "paused")
        self.progress.paused.append(name)
        words = f"its last {MOST_VOID_OF_A_PLAYER} matches gave no score; the last reason: {reason}"
        writer.event("paused", player=number, reason=words)
        return Paused(name, words)

    def _hand_out(self, writer: Writer) -> list[Ticket]:
        """Tickets for free workers, one by one, since each may be the last."""
        return self._tickets_for_free_workers(
            lambda held: self.tickets.hand_out(LEASE, self.budget, writer)
        )

    def _ask(self) -> list[Ticket]:
        """The same, one transaction each."""
        return self._tickets_for_free_workers(
            lambda held: self.tickets.ask(lease=LEASE, held=held, budget=self.budget)
        )

    def _tickets_for_free_workers(self, ask: Callable[[set[int]], Ticket | None]) -> list[Ticket]:
        tickets: list[Ticket] = []
        while self.pool.n_free > len(tickets) and not self._is_over():
            ticket = ask(self._held() | {ticket.id for ticket in tickets})
            if ticket is None:
                break
            tickets.append(ticket)
        return tickets

    # When to stop

    def _is_over(self) -> bool:
        """Whether there is a reason to stop; asks the stop rule when a check is due."""
        state = self.tickets.state
        if self.progress.reason is None and self.stop_rule.is_due(state, self.progress.checked_at):
            self.progress.checked_at = state.known()[0]
            found = self.stop_rule.check(state)
            if found is not None:
                self._stop(*found)
        return self.progress.reason is not None

    def _stop(self, reason: Reason, message: str) -> None:
        if self.progress.reason is None:
            self.progress.reason, self.progress.message = reason, message

    def _heed_interrupts(self) -> None:
        """The first interrupt asks for no more matches, the second kills the running ones."""
        if self.interrupts.are_new():
            self._stop("interrupted", "")
            self.pool.leave()
            self.watch(Interrupted(self.interrupts.times, len(self.pool.running)))
            if self.interrupts.times > 1:
                self._kill()

    def _kill(self) -> None:
        """Kill the running matches; a game that does not end is not waited for."""
        self.runner.kill()
        self.pool.leave()
        self.leave_by = min(self.leave_by, time.monotonic() + FAREWELL)

    # Leases

    def _time_to_renewal(self) -> float:
        return max(0.0, self.next_renewal - time.monotonic())

    def _renew(self, writer: Writer) -> None:
        if self.pool.running and time.monotonic() >= self.next_renewal:
            self.next_renewal = time.monotonic() + LEASE / 3
            ours = self.pool.running.keys() & self.tickets.state.pending.keys()
            writer.lease(ours, self.tickets.worker, LEASE)
