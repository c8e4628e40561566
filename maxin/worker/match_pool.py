"""The match pool: threads that each play one match at a time."""

from __future__ import annotations

import queue
import threading
import time
import traceback
from contextlib import suppress
from typing import Any

from maxin.core import Entrant
from maxin.core.retrying import LONGEST_BACKOFF, retry_pause
from maxin.core.values import match_seed
from maxin.runners import Job, MatchFailed, Outcome, Runner
from maxin.worker.source import Fail, Tell, Ticket

FADING = 0.9  # of what a slow match took, with every match after it


class MatchPool:
    """Plays matches in threads; the loop waits for the commands that report them.

    Args:
        runner: plays a game.
        size: how many matches are played at a time.
        games: games per match, in pairs: both games of a pair have one seed and swapped seats.
        retries: how often a game without a score is tried again.
        backoff: seconds that the first retry waits at most; see `maxin.core.retrying`.
    """

    def __init__(self, runner: Runner, size: int, games: int, retries: int, backoff: float) -> None:
        self._runner, self._size = runner, size
        self._games, self._retries, self._backoff = games, retries, backoff
        self._jobs: queue.SimpleQueue[tuple[Ticket, Entrant, Entrant] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Tell | Fail | None] = queue.SimpleQueue()
        self._waiting: list[Tell | Fail] = []
        self.running: dict[int, Ticket] = {}  # those that wait for a thread included
        self.seconds = 0.0  # that a slow match takes: the latest one, or a slower one before
        self.has_scored = False  # whether any game gave a score
        self._is_leaving = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def n_free(self) -> int:
        """How many threads have no match."""
        return max(self._size - len(self.running), 0)

    @property
    def n_waiting(self) -> int:
        """How many matches wait for a thread."""
        return max(len(self.running) - self._size, 0)

    def start(self, ticket: Ticket, first: Entrant, second: Entrant) -> None:
        """Give a match to a thread."""
        self.running[ticket.id] = ticket
        if len(self._threads) < min(self._size, len(self.running)):
            # Daemons, so that a game that hangs cannot keep the process alive.
            thread = threading.Thread(target=self._work, name="maxin-player", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._jobs.put((ticket, first, second))

    def take_back(self) -> list[Ticket]:
        """The matches that wait for a thread; they are not played here."""
        tickets = []
        with suppress(queue.Empty):
            while (job := self._jobs.get_nowait()) is not None:
                tickets.append(self.running.pop(job[0].id))
        return tickets

    def fail(self, ticket: Ticket, failure: MatchFailed) -> None:
        """Report a match that cannot even be started."""
        self.running[ticket.id] = ticket
        self._done.put(Fail(ticket.id, [failure], fence=ticket.fence))

    def leave(self) -> None:
        """Try no failed game again, also if it is waiting for its next attempt."""
        self._is_leaving.set()

    def wake(self) -> None:
        """Make `wait` return at once; safe to call from a signal handler."""
        self._done.put(None)

    def wait(self, seconds: float) -> None:
        """Wait until a match is finished, `wake` is called, or the time is over."""
        if self._waiting:
            return
        try:
            item = self._done.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            return
        if item is not None:
            self._waiting.append(item)

    def finished(self) -> list[tuple[Ticket, Tell | Fail]]:
        """The matches that are over by now, and what is to be reported of each."""
        while not self._done.empty():
            item = self._done.get()
            if item is not None:
                self._waiting.append(item)
        items, self._waiting = self._waiting, []
        return [(self.running.pop(item.number), item) for item in items]

    def dismiss(self) -> None:
        """End the threads; one that is still in a game ends after it."""
        for _ in self._threads:
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            started = time.monotonic()
            done = self._play_match(*job)
            self.seconds = max(time.monotonic() - started, FADING * self.seconds)
            self._done.put(done)

    def _play_match(self, ticket: Ticket, first: Entrant, second: Entrant) -> Tell | Fail:
        """Play all games of a match; a game that failed for good ends it."""
        failures: list[MatchFailed] = []
        outcomes: list[Outcome] = []
        for number in range(self._games):
            is_swapped = number % 2 == 1
            seats = (second, first) if is_swapped else (first, second)
            job = Job(ticket.id, *seats, *self._pair(ticket, number // 2))
            outcome = self._play_game(job, failures)
            if outcome is None:
                return Fail(ticket.id, failures, fence=ticket.fence)
            score = 1.0 - outcome.score if is_swapped else outcome.score
            outcomes.append(outcome._replace(score=score))
        return Tell(ticket.id, _joined(outcomes), ticket.fence, failures)

    def _pair(self, ticket: Ticket, place: int) -> tuple[int, int]:
        """The seed of a match's pair of games, and its number among all pairs.

        The first pair has the seed of the match. The others differ, or deterministic players
        would repeat it.
        """
        seed = ticket.seed if place == 0 else match_seed(ticket.seed, place)
        return seed, (ticket.id - 1) * ((self._games + 1) // 2) + place + 1

    def _play_game(self, job: Job, failures: list[MatchFailed]) -> Outcome | None:
        """The outcome of a game, with retries; None if all of them failed."""
        for attempt in range(1 + self._retries):
            if attempt and self._is_leaving.wait(
                retry_pause(attempt, self._backoff, LONGEST_BACKOFF, seed=job.seed)
            ):
                break
            try:
                outcome = self._runner.play(job)
                self.has_scored = True
                return outcome
            except MatchFailed as failure:
                failures.append(failure)
            except BaseException as error:  # the run would wait for a thread that ended
                words = f"{type(error).__name__}: {error}"
                failures.append(MatchFailed(words, log=traceback.format_exc()))
            if failures[-1].is_hopeless:
                break
        return None


def _joined(outcomes: list[Outcome]) -> Outcome:
    """One outcome for a match, with the scores of its games if there are several."""
    if len(outcomes) == 1:
        return outcomes[0]
    scores = tuple(outcome.score for outcome in outcomes)
    errors = tuple(error for outcome in outcomes for error in outcome.errors)
    kept = [dict(outcome.data) for outcome in outcomes]
    data: dict[str, Any] = {"games": kept} if any(kept) else {}
    return Outcome(sum(scores) / len(scores), errors, data, scores)
