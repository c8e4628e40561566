"""Games that are played elsewhere: each waits for its answer, and a kill ends every wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress

from maxin.runners.base import STOPPED, Job, MatchFailed, Outcome
from maxin.runners.functions import read_answer, sent


class PendingGame:
    """A game that is played elsewhere. Only the first answer counts.

    Args:
        job: the game, as it is sent.

    Attributes:
        is_alone: whether no other game may be sent with it, since a worker died of it or of
            another one that was sent along.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.is_alone = job, False
        self._answer: Future[object] = Future()

    def give(self, answer: object) -> None:
        """Answer with an outcome or a failure; safe to call from any thread."""
        with suppress(InvalidStateError):
            self._answer.set_result(answer)

    def wait(self) -> Outcome:
        """The outcome, when it is there; a failure is raised."""
        answer = self._answer.result()
        if isinstance(answer, MatchFailed):
            raise answer
        return read_answer(answer)


class Pending:
    """All games of a runner that have no answer yet."""

    def __init__(self) -> None:
        self._games: set[PendingGame] = set()
        self._is_killed = False
        self._lock = threading.Lock()

    @contextmanager
    def opened(self, job: Job) -> Iterator[PendingGame]:
        """A new game, as long as the block lasts; raises `MatchFailed` after a kill."""
        game = PendingGame(sent(job))
        with self._lock:
            self.check_running()
            self._games.add(game)
        try:
            yield game
        finally:
            with self._lock:
                self._games.discard(game)

    def kill(self) -> None:
        """Fail every game, now and later."""
        with self._lock:
            self._is_killed = True
            games = list(self._games)
        for game in games:
            game.give(MatchFailed(STOPPED))

    def check_running(self) -> None:
        """Raise `MatchFailed` after a kill."""
        if self._is_killed:
            raise MatchFailed(STOPPED)
