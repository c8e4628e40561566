"""The worker: asks a source for matches, plays them and reports what became of them."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from maxin.core import InvalidInput, MaxinError, check_whole
from maxin.core.retrying import retry_pause
from maxin.runners import MatchFailed, Runner, RunnerLost, Threads
from maxin.storage import StoreLost, caller_waits
from maxin.worker.checked_runner import CheckedRunner
from maxin.worker.events import (
    Asked,
    Blocked,
    Event,
    Failed,
    Interrupted,
    Paused,
    Recovered,
    Refused,
    Returned,
    Told,
    Voided,
    Waiting,
)
from maxin.worker.interrupts import Interrupts
from maxin.worker.match_pool import MatchPool
from maxin.worker.match_source import MatchSource, channel_of
from maxin.worker.report import Report
from maxin.worker.result_checks import check_sent
from maxin.worker.source import (
    Ask,
    Channel,
    Consequence,
    Fail,
    Offers,
    OtherHistory,
    Reason,
    Renew,
    ScoreConflict,
    Tell,
    Ticket,
)
from maxin.worker.spool import LeftBehind, LeftWhileAway, Spool

LEASE = 60.0  # seconds; renewed while a match is being played
WAIT = 2.0  # seconds that an ask may wait for a match if this worker plays none
FAREWELL = 3.0  # seconds that killed games have to end
SILENT = 1  # lost answers in a row of which nothing is said
LOG_KEPT = 4_000  # characters of a failure's log that watchers see
MOST_WORKERS = 10_000  # each is a thread
MOST_AHEAD = 8  # matches that wait for a thread
STUCK = 1.0  # seconds after which they are given back, if no match has ended
Play = Callable[[Any, Any, int], Any]


class Worker:
    """Plays the matches of a source until it has no more, they keep failing, or Ctrl-C.

    Everything here happens in one thread; the pool's threads play.

    Args:
        source: a tournament in this process, the client of a service, or the channel to one.
        play: `play(first, second, seed)`, or a runner.
        workers: matches played at a time.
        retries: how often a game without a score is tried again here.
        backoff: seconds that the first retry waits at most.
        watch: is called with every event.
    """

    def __init__(
        self,
        source: MatchSource | Channel,
        play: Play | Runner,
        *,
        workers: int = 1,
        retries: int = 2,
        backoff: float = 1.0,
        watch: Callable[[Event], None] | None = None,
    ) -> None:
        _check_arguments(workers, retries, backoff)
        self._source, self._runner = channel_of(source), _runner_of(play)
        self._watch = watch or (lambda event: None)
        self._about = self._source.about()
        games = self._about.games_per_match
        self._pool = MatchPool(self._runner, workers, games, retries, backoff)
        self._spool = Spool(self._about.identity)
        self._interrupts = Interrupts(self._is_busy)
        self._unsent: list[tuple[Ticket, Tell | Fail]] = []  # over, and not reported yet
        self._reason: Reason | None = None
        self._message = ""
        self._leave_by = math.inf  # when to stop waiting for games that were killed
        self._ask_at = 0.0
        self._key = _new_key()  # of the next ask; the same until it is answered
        self._retry_at = 0.0  # when to call the source again after it was lost
        self._n_lost = 0  # answers lost in a row
        self._kept = ""  # what watchers know about the results that could not be reported
        self._has_recovered = False  # whether results of earlier runs were looked for
        self._awaited: tuple[int, str] | None = None  # what watchers know of our waiting
        self._renew_at: dict[int, float] = {}  # when the lease of a match must be renewed
        self._ask_seconds = 0.0  # seconds until the last answer came, if others ask too
        self._moved_at = 0.0  # when a match last began or ended
        self._failures = _OwnFailures()
        self._n_new = 0
        self._paused: list[str] = []
        self._set_aside: list[str] = []  # sentences about results of another history

    def run(self) -> Report:
        """Work until there is a reason to stop and no match of ours is pending."""
        started = time.monotonic()
        self._runner.check(self._about.entrants)  # the others are checked as they come
        try:
            with self._source.noticing(self._note_block), self._interrupts.counted(self._pool.wake):
                while self._step():
                    pass
        except BaseException as error:
            self._stop_games()
            kept = self._keep_rest()
            if kept and isinstance(error, MaxinError):
                raise type(error)(f"{error}; {kept}") from error
            if kept:
                self._watch(Blocked(kept))
            raise
        finally:
            self._spool.close()
            self._pool.dismiss()
        assert self._reason is not None
        return Report(
            self._reason,
            self._message,
            self._n_new,
            self._failures.n_times,
            time.monotonic() - started,
            self._failures.last,
            tuple(self._paused),
            kept=tuple(self._set_aside),
        )

    def _stop_games(self) -> None:
        self._runner.kill()
        self._pool.leave()

    def _keep_rest(self) -> str:
        """Keep the results that were not reported; returns a sentence about them."""
        self._unsent += self._pool.finished()
        return self._spool.keep(self._unsent, is_leaving=True)

    def _is_busy(self) -> bool:
        """Whether a sudden end would lose matches, results or an answer."""
        return bool(self._pool.running or self._unsent) or self._about.is_remote

    # One step

    def _step(self) -> bool:
        """Continue, also if the source is away; False when the work is over."""
        self._take_in()
        self._heed_interrupts()
        if self._pool.n_waiting and time.monotonic() >= self._moved_at + STUCK:
            self._return_waiting()  # the one before them takes long after all
        if time.monotonic() >= self._retry_at or self._is_leaving:
            # A service may take its time to answer, and a second Ctrl-C does not wait for it.
            self._interrupts.is_blocked = self._about.is_remote
            try:
                self._exchange()
                self._n_lost, self._kept = 0, ""
            except StoreLost as error:
                self._outlast(error)
            finally:
                self._interrupts.is_blocked = False
        if self._is_leaving and not self._unsent:
            return False
        self._pool.wait(self._next_call() - time.monotonic())
        return True

    @property
    def _is_playing(self) -> bool:
        return bool(self._pool.running) and time.monotonic() < self._leave_by

    @property
    def _is_leaving(self) -> bool:
        return self._reason is not None and not self._is_playing

    def _next_call(self) -> float:
        """The time of the next call that does not wait for a match."""
        if self._unsent:
            return self._retry_at
        times = [self._leave_by, time.monotonic() + LEASE]
        if self._pool.n_waiting:
            times.append(self._moved_at + STUCK)
        if self._pool.running:
            times.append(min(map(self._renew_at.__getitem__, self._pool.running)))
        if self._reason is None and self._pool.n_free:
            times.append(self._ask_at)
        return max(min(times), self._retry_at)

    def _take_in(self) -> None:
        """Matches that are over wait to be reported; stop if they keep failing here."""
        for ticket, item in self._pool.finished():
            self._renew_at.pop(ticket.id, None)
            self._moved_at = time.monotonic()
            self._ask_at = 0.0  # a result may be what the next match waits for
            self._unsent.append((ticket, self._blamed(ticket, item)))

    def _blamed(self, ticket: Ticket, item: Tell | Fail) -> Tell | Fail:
        """What to report of a match; stop if the next one would fail here too."""
        if isinstance(item, Tell):
            item = self._sendable(item)
        if isinstance(item, Tell):
            return item
        if self._reason in ("interrupted", "aborted"):
            return item._replace(blame="nobody")
        self._failures.count(ticket, item.failures[-1])
        reason = self._failures.own_fault(self._players, has_worked=self._pool.has_scored)
        for failure in item.failures:  # a runner may blame somebody who does not play
            if failure.player not in (ticket.first, ticket.second):
                failure.player = None
        if not reason:
            return item
        self._stop("aborted", reason)
        self._kill()
        return item._replace(blame="worker")

    def _sendable(self, item: Tell) -> Tell | Fail:
        """A result, or why the match failed if its source does not take that much."""
        try:
            if self._about.is_remote:
                check_sent(item.outcome)
            return item
        except InvalidInput as error:
            return Fail(item.number, [*item.failures, MatchFailed(str(error))])

    def _players(self) -> Sequence[str]:
        """Those who may play; while the source is away, those of before."""
        with suppress(StoreLost), caller_waits():
            self._about = self._source.about()
        return self._about.players

    def _exchange(self) -> None:
        """Results and failures in, leases renewed, new matches out."""
        if not self._has_recovered:
            for left in self._spool.left_behind():
                self._recover(left)
            self._has_recovered = True
        reported = list(self._unsent)
        commands: list[Any] = [self._report_of(item) for _, item in reported]
        commands += self._renewals()
        ask = self._ask()
        is_due = bool(ask.n or (ask.n_more and reported)) and time.monotonic() >= self._ask_at
        if is_due and self._reason is None:
            commands.append(ask)
        if not commands:
            return
        asked_at = time.monotonic()
        answers = self._apply(commands)
        for answer in answers:
            if isinstance(answer, Exception) and not isinstance(answer, InvalidInput):
                raise answer
        for (ticket, item), answer in zip(reported, answers, strict=False):
            self._note(ticket, item, answer)
        self._keep_foreign(reported, answers)
        del self._unsent[: len(reported)]
        self._spool.clear()
        for command, answer in zip(commands, answers, strict=True):
            if isinstance(command, Renew) and command.lease:
                self._note_renewal(answer[1])
            elif isinstance(command, Ask):
                self._key = _new_key()
                if isinstance(answer, InvalidInput):  # of the scheduler
                    raise answer
                self._ask_seconds = (time.monotonic() - asked_at) * answer.is_shared
                self._note_offers(answer)

    def _apply(self, commands: Sequence[Any]) -> list[Any]:
        """The answers of the source; if it is away, we wait, since matches end meanwhile."""
        with caller_waits():
            return self._source.apply(commands)

    def _outlast(self, error: StoreLost) -> None:
        """The source is away: keep the results on this machine, and try again later."""
        self._n_lost += 1
        self._retry_at = time.monotonic() + retry_pause(self._n_lost, asked=error.pause)
        kept = self._spool.keep(self._unsent, is_leaving=self._is_leaving)
        if self._is_leaving:
            raise LeftWhileAway(str(error)) from error
        if self._n_lost == SILENT + 1:
            self._watch(Blocked(f"{error}; trying again"))
        if self._n_lost > SILENT and kept not in ("", self._kept):
            self._watch(Blocked(kept))
            self._kept = kept

    def _note_block(self, reason: str) -> None:
        self._watch(Blocked(reason))
        self._interrupts.block()

    # Results and failures

    def _report_of(self, item: Tell | Fail) -> Tell | Fail | Renew:
        """The command that reports a match; one whose game was killed is given back."""
        is_killed = self._leave_by < math.inf and isinstance(item, Fail) and item.blame == "nobody"
        return Renew((item.number,), 0.0, fences=(item.fence,)) if is_killed else item

    def _note(self, ticket: Ticket, item: Tell | Fail, answer: Any) -> None:
        """Tell watchers what became of a match.

        A result that was already recorded is not an event, unless an answer may have been lost:
        then it may be our own.
        """
        if isinstance(answer, InvalidInput):  # its lease lapsed, and somebody else was quicker
            self._watch(Refused(ticket, str(answer)))
        elif isinstance(item, Tell) and (answer is True or self._about.is_remote):
            self._note_attempts(ticket, item, len(item.failures))
            self._n_new += 1
            self._watch(Told(ticket, item.outcome))
        elif isinstance(item, Fail) and isinstance(answer, Consequence):
            self._note_failure(ticket, item, answer)
            if item.blame == "worker" and answer.again:
                self._paused.clear()  # it was not their fault, and the source lets them play again

    def _keep_foreign(
        self, reported: Sequence[tuple[Ticket, Tell | Fail]], answers: Sequence[Any]
    ) -> None:
        """Keep the results that are of another history: the store may be put back."""
        foreign = [
            (ticket, item)
            for (ticket, item), answer in zip(reported, answers, strict=False)
            if isinstance(item, Tell) and isinstance(answer, OtherHistory)
        ]
        if foreign:
            self._set_aside.append(self._spool.set_aside(foreign))

    def _note_attempts(self, ticket: Ticket, item: Tell | Fail, n_attempts: int) -> None:
        """Tell watchers of the attempts that failed; the last one is number `n_attempts`."""
        first = max(1, n_attempts - len(item.failures) + 1)
        for attempt, failure in enumerate(item.failures, start=first):
            self._watch(Failed(ticket, attempt, failure.reason, failure.log[-LOG_KEPT:]))

    def _note_failure(self, ticket: Ticket, item: Fail, answer: Consequence) -> None:
        self._note_attempts(ticket, item, answer.attempt)
        if answer.is_void:
            self._watch(Voided(ticket, item.failures[-1].reason))
        for name, reason in answer.paused:
            self._paused.append(name)
            self._watch(Paused(name, reason))
        if answer.stop:
            self._stop("aborted", answer.stop)

    def _recover(self, left: LeftBehind) -> None:
        """Report the results that an earlier run on this machine had to keep."""
        answers = self._apply(left.results) if left.results else []
        n_refused = sum(isinstance(answer, ScoreConflict) for answer in answers)
        problems = [answer for answer in answers if isinstance(answer, Exception)]
        problems = [error for error in problems if not isinstance(error, ScoreConflict)]
        problem = f"{problems[0]}; see {left.reject()}" if problems else ""
        left.remove()
        if problem:
            self._set_aside.append(problem)
        self._watch(Recovered(len(answers) - n_refused - len(problems), n_refused, problem))

    # Matches

    def _ask(self) -> Ask:
        """Matches for the free workers, and where others ask too, those that end while we ask.

        Else the next match is chosen by all results, when one ends.
        """
        is_busy = bool(self._pool.running)
        key = self._key if self._about.is_remote else None
        n_ended = int(self._ask_seconds / self._pool.seconds) if self._pool.seconds else 0
        n_more = max(min(n_ended, MOST_AHEAD) - self._pool.n_waiting, 0)
        wait = 0.0 if is_busy else WAIT
        return Ask(self._pool.n_free, LEASE, key, wait, is_busy, n_more=n_more)

    def _note_offers(self, offers: Offers) -> None:
        """Start the matches; the source says when it has none, or no more at all.

        If the same answer said that we should stop, they are given back.
        """
        if self._reason is not None:
            self._give_back(offers.tickets)
            return
        for ticket in offers.tickets:
            self._moved_at = time.monotonic()
            self._start(ticket, offers)
        self._ask_at = time.monotonic() + offers.pause
        idle = offers.idle
        if idle is None:
            self._awaited = None
        elif idle.is_over and self._pool.running:
            self._ask_at = math.inf  # our own results may still undo a decision
        elif idle.is_over:
            self._stop(idle.kind, idle.reason if self._about.is_remote else idle.message)
        elif not self._pool.running:
            self._announce_waiting(idle.n_pending, idle.reason)
        elif not self._about.is_remote:
            self._ask_at = math.inf  # until a match of ours ends

    def _give_back(self, tickets: Sequence[Ticket]) -> None:
        """Let others have these matches at once; if the source is away, their leases lapse."""
        if tickets:
            with suppress(StoreLost):
                self._apply([Renew.of(tickets, 0.0)])

    def _return_waiting(self) -> None:
        """Give back the matches that wait for a thread."""
        tickets = self._pool.take_back()
        self._give_back(tickets)
        for ticket in tickets:
            self._watch(Returned(ticket))

    def _announce_waiting(self, n_pending: int, reason: str) -> None:
        if (n_pending, reason) != self._awaited:
            self._awaited = n_pending, reason
            self._watch(Waiting(n_pending) if n_pending else Blocked(f"{reason}; waiting"))

    def _start(self, ticket: Ticket, offers: Offers) -> None:
        if ticket.id in self._pool.running:
            # Our lease lapsed, and nobody else took the match; or the store was restored, and this
            # is another match: then its lease lapses, as we can play only one of this number.
            return
        self._renew_at[ticket.id] = time.monotonic() + LEASE / 3
        seats = [offers.entrants[ticket.first], offers.entrants[ticket.second]]
        for seat in seats:
            try:
                self._runner.check([seat])
            except InvalidInput as error:  # a player joined whom this runner cannot play
                failure = MatchFailed(str(error), is_hopeless=True, player=seat.name)
                self._pool.fail(ticket, failure)
                return
        self._pool.start(ticket, *seats)
        self._watch(Asked(ticket))

    def _renewals(self) -> list[Renew]:
        """Renew the leases of all running matches if one of them has lost a third of its time."""
        now, running = time.monotonic(), sorted(self._pool.running.values())
        if not any(self._renew_at[ticket.id] <= now for ticket in running):
            return []
        return [Renew.of(running, LEASE)]

    def _note_renewal(self, lost: Sequence[int]) -> None:
        for number in self._pool.running:
            is_lost = number in lost
            self._renew_at[number] = math.inf if is_lost else time.monotonic() + LEASE / 3

    # When to stop

    def _stop(self, reason: Reason, message: str) -> None:
        if self._reason is None:
            self._reason, self._message = reason, message

    def _heed_interrupts(self) -> None:
        """The first interrupt asks for no more matches, the second kills the running ones."""
        if self._interrupts.are_new():
            self._stop("interrupted", "")
            self._pool.leave()
            self._return_waiting()
            self._watch(Interrupted(self._interrupts.times, len(self._pool.running)))
            if self._interrupts.times > 1:
                self._kill()

    def _kill(self) -> None:
        """Kill the running matches; a game that does not end is not waited for."""
        self._stop_games()
        self._leave_by = min(self._leave_by, time.monotonic() + FAREWELL)


class _OwnFailures:
    """Matches that failed here, for finding out that it is this worker's fault."""

    def __init__(self) -> None:
        self.n_times = 0  # how often one gave no score
        self.last: MatchFailed | None = None
        self._suspects: set[str] | None = None  # who was in every one of them

    def count(self, ticket: Ticket, failure: MatchFailed) -> None:
        """Count a match without a score, and the players who may be to blame."""
        self.last = failure
        seats = [ticket.first, ticket.second]
        blamed = {name for name in seats if name == failure.player} or set(seats)
        self.n_times += 1
        self._suspects = blamed if self._suspects is None else self._suspects & blamed

    def own_fault(self, players: Callable[[], Sequence[str]], *, has_worked: bool) -> str:
        """Why this worker is to blame for the last failure; empty if it may not be.

        It is if the runner is lost, or if no match has worked here: after a hopeless failure, and
        after a second one, unless one player was in all of them and two others have yet to try.
        """
        last, suspects = self.last, self._suspects
        assert last is not None
        text = "\n".join(filter(None, [last.reason, last.log.strip()]))
        if isinstance(last, RunnerLost):
            return text
        if has_worked or not (self.n_times > 1 or last.is_hopeless):
            return ""
        is_certain = not suspects or (last.is_hopeless and last.player is None)
        if is_certain or len(set(players()) - (suspects or set())) < 2:
            return f"no match of this run has worked; the last failure: {text}"
        return ""


def _new_key() -> str:
    """A key of an ask that nobody else has."""
    return uuid.uuid4().hex


def _check_arguments(workers: int, retries: int, backoff: float) -> None:
    for value, name, least in ((workers, "workers", 1), (retries, "retries", 0)):
        if check_whole(value, name) < least:
            raise InvalidInput(f"{name} must be at least {least}; got {value}")
    if workers > MOST_WORKERS:
        raise InvalidInput(f"workers must be at most {MOST_WORKERS:,}; got {workers:,}")
    if not (isinstance(backoff, int | float) and 0.0 <= backoff < math.inf):
        raise InvalidInput(f"backoff must be a number of seconds, at least 0; got {backoff!r}")


def _runner_of(play: Play | Runner) -> CheckedRunner:
    """The runner itself, or one that calls a plain function in threads."""
    if isinstance(play, CheckedRunner):
        return play
    if not callable(play) and not hasattr(play, "play"):
        raise InvalidInput(
            f"play must be a function play(first, second, seed) or a runner such as "
            f"maxin.runners.Command('play.py {{a}} {{b}}'); got {play!r}"
        )
    return CheckedRunner(Threads(play) if callable(play) else play)
