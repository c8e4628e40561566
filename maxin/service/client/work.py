"""The loop of a worker: ask a service for matches, play them, and deliver their results."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from maxin.core import Entrant, InvalidInput, MaxinError
from maxin.runners import MatchFailed, Runner, RunnerLost
from maxin.service.client.api import MOST_ASKED, About, Api, Offer
from maxin.service.client.client import new_key, retry_pause
from maxin.service.client.delivery import Delivery
from maxin.service.client.errors import ServiceLost
from maxin.service.client.work_report import WorkEnd, WorkReport
from maxin.tournament.events import Asked, Blocked, Event, Interrupted
from maxin.tournament.run.interrupts import Interrupts
from maxin.tournament.run.match_pool import Finished, MatchPool
from maxin.tournament.run.progress import Progress
from maxin.tournament.run.spool import LeftWhileAway, Spool

LEASE = 60.0  # seconds; renewed while a match is being played
WAIT = 2.0  # seconds that an ask may wait for a match if this worker plays none
MOST_FAILED = 10  # matches in a row without a score that end the work
FAREWELL = 3.0  # seconds that killed games have to end
SILENT = 1  # lost answers in a row of which nothing is said


class WorkLoop:
    """The work of one process. Everything here happens in one thread; the pool's threads play.

    Args:
        api: the service.
        about: its tournament.
        runner: plays a game.
        workers: matches played at a time.
        watch: is called with every event.
    """

    def __init__(
        self,
        api: Api,
        about: About,
        runner: Runner,
        workers: int,
        watch: Callable[[Event], None] | None,
    ) -> None:
        self._api, self._runner = api, runner
        self._watch = watch or (lambda event: None)
        self._pool = MatchPool(runner, workers, about.games_per_match, 0, 0.0)
        self._delivery = Delivery(api, Spool(about.identity), self._watch)
        self._interrupts = Interrupts()
        self._reason: WorkEnd | None = None
        self._message = ""
        self._leave_by = math.inf  # when to stop waiting for games that were killed
        self._key = new_key()  # of the next ask; the same until it is answered
        self._ask_at = 0.0
        self._retry_at = 0.0  # when to call the service again after it was lost
        self._n_lost = 0  # answers lost in a row
        self._kept = ""  # what watchers know about the results that could not be delivered
        self._has_recovered = False  # whether results of earlier runs were looked for
        self._is_idle = False  # whether watchers know that there is nothing to play
        self._renew_at: dict[int, float] = {}  # when the lease of a match must be renewed
        self._checked: dict[str, Entrant] = {}  # whom the runner can play
        self._players = about.players
        self._progress, self._n_failed_in_a_row = Progress(), 0
        self._failure: MatchFailed | None = None  # the last one

    def run(self) -> WorkReport:
        """Work until the service has no more matches, they keep failing, or somebody interrupts."""
        started = time.monotonic()
        self._runner.check([])
        try:
            with self._interrupts.counted(self._pool.wake):
                while self._step():
                    pass
        except MaxinError as error:
            self._stop_games()
            raise type(error)(self._with_kept(str(error))) from error
        except BaseException:
            self._stop_games()
            if kept := self._with_kept(""):
                self._watch(Blocked(kept))
            raise
        finally:
            self._delivery.close()
            self._pool.dismiss()
        assert self._reason is not None
        seconds, n_played = time.monotonic() - started, self._delivery.n_played
        return WorkReport(
            self._reason, self._message, n_played, self._progress.n_given_up, seconds, self._failure
        )

    def _stop_games(self) -> None:
        self._runner.kill()
        self._pool.leave()

    def _with_kept(self, words: str) -> str:
        """A sentence, and where the results are that were not delivered."""
        self._take_in()
        return "; ".join(filter(None, [words, self._delivery.keep(is_leaving=True)]))

    def _step(self) -> bool:
        """Go on, also if the service is away; False when the work is over."""
        self._take_in()
        self._heed_interrupts()
        if time.monotonic() >= self._retry_at or self._is_leaving:
            self._interrupts.is_blocked = True  # a second Ctrl-C does not wait for an answer
            try:
                self._exchange()
                self._n_lost, self._kept = 0, ""
            except ServiceLost as error:
                self._outlast(error)
            finally:
                self._interrupts.is_blocked = False
        if self._reason is not None and not self._is_playing:
            return bool(self._delivery.waiting)
        self._pool.wait(self._next_call() - time.monotonic())
        return True

    @property
    def _is_playing(self) -> bool:
        return bool(self._pool.running) and time.monotonic() < self._leave_by

    @property
    def _is_leaving(self) -> bool:
        return self._reason is not None and not self._is_playing

    def _next_call(self) -> float:
        """When there is something to do for which no match has to end."""
        times = [self._leave_by, time.monotonic() + LEASE]
        if self._pool.running:
            times.append(min(map(self._renew_at.__getitem__, self._pool.running)))
        if self._reason is None and self._pool.n_free:
            times.append(self._ask_at)
        return max(min(times), self._retry_at)

    def _exchange(self) -> None:
        """Results in, leases renewed, new matches out."""
        if not self._has_recovered:
            self._delivery.recover()
            self._has_recovered = True
        if self._delivery.waiting:
            self._delivery.send()
            self._ask_at = 0.0  # a result may be what the next match waits for
        self._renew()
        if self._reason is None and self._pool.n_free and time.monotonic() >= self._ask_at:
            self._ask()

    def _outlast(self, error: ServiceLost) -> None:
        """The service is away: keep the results on this machine, and try again later."""
        self._n_lost += 1
        self._retry_at = time.monotonic() + retry_pause(self._n_lost, error.pause)
        if self._is_leaving:
            raise LeftWhileAway(str(error)) from error
        kept = self._delivery.keep(is_leaving=False)
        if self._n_lost == SILENT + 1:
            self._watch(Blocked(f"{error}; trying again"))
        if self._n_lost > SILENT and kept not in ("", self._kept):
            self._watch(Blocked(kept))
            self._kept = kept

    # Matches

    def _ask(self) -> None:
        """Matches for the free workers; the service says when it has none, or no more at all."""
        n_free = min(self._pool.n_free, MOST_ASKED)
        wait = 0.0 if self._pool.running else WAIT
        offers = self._api.ask(n_free, LEASE, self._key, wait)
        self._key = new_key()
        self._ask_at = time.monotonic() + offers.pause
        for offer in offers.matches:
            self._start(offer)
        if offers.idle is None:
            self._is_idle = False
        elif offers.idle.is_over and not self._pool.running:
            self._stop("over", offers.idle.reason)
        elif offers.idle.is_over:
            self._ask_at = math.inf  # our own results may still undo a decision
        elif not self._is_idle and not self._pool.running:
            self._is_idle = True
            self._watch(Blocked(f"{offers.idle.reason}; waiting"))

    def _start(self, offer: Offer) -> None:
        ticket = offer.ticket
        if ticket.id in self._pool.running:
            return  # our lease lapsed, and nobody else took the match
        self._renew_at[ticket.id] = time.monotonic() + LEASE / 3
        try:
            for seat in (offer.first, offer.second):
                if self._checked.get(seat.name) != seat:
                    self._runner.check([seat])
                    self._checked[seat.name] = seat
        except InvalidInput as error:
            self._pool.fail(ticket, MatchFailed(str(error)))
        else:
            self._pool.start(ticket, offer.first, offer.second)
            self._watch(Asked(ticket))

    def _renew(self) -> None:
        """Renew the leases of all running matches if one of them has lost a third of its time."""
        now, running = time.monotonic(), sorted(self._pool.running)
        if not any(self._renew_at[number] <= now for number in running):
            return
        lost = self._api.renew(running, LEASE)
        for number in running:
            self._renew_at[number] = math.inf if number in lost else now + LEASE / 3

    def _take_in(self) -> None:
        """Matches that are over: their results wait for delivery."""
        for item in self._pool.finished():
            self._renew_at.pop(item.ticket.id, None)
            if item.outcome is None and self._leave_by < math.inf:
                continue  # we killed it: its lease will lapse
            self._delivery.add([item])
            self._count(item)

    # When to stop

    def _count(self, item: Finished) -> None:
        """Stop if matches keep failing, unless one player may be to blame for all of them."""
        self._progress.has_worked |= item.has_scored
        if item.outcome is not None:
            self._n_failed_in_a_row = 0
            return
        self._failure = failure = item.failures[-1]
        self._progress.blamed(item.ticket, failure)
        self._n_failed_in_a_row += 1
        if self._is_hopeless(failure) or self._n_failed_in_a_row >= MOST_FAILED:
            log = f"\n{failure.log.strip()}" if failure.log.strip() else ""
            self._stop("aborted", f"{failure.reason}{log}")
            self._kill()

    def _is_hopeless(self, failure: MatchFailed) -> bool:
        """Whether the next match would fail too, with this machine to blame."""
        if isinstance(failure, RunnerLost):
            return True
        if failure.is_hopeless and failure.player is None and not self._progress.has_worked:
            return True
        return self._progress.is_hopeless(failure, self._players)

    def _stop(self, reason: WorkEnd, message: str) -> None:
        if self._reason is None:
            self._reason, self._message = reason, message

    def _heed_interrupts(self) -> None:
        """The first interrupt asks for no more matches, the second kills the running ones."""
        if self._interrupts.are_new():
            self._stop("interrupted", "")
            self._pool.leave()
            self._watch(Interrupted(self._interrupts.times, len(self._pool.running)))
            if self._interrupts.times > 1:
                self._kill()

    def _kill(self) -> None:
        """Kill the running matches; a game that does not end is not waited for."""
        self._stop_games()
        self._leave_by = min(self._leave_by, time.monotonic() + FAREWELL)
