"""Play matches by calling a Python function in the calling thread.

Coroutines are awaited on one event loop, in a thread of its own, which lasts as long as the
process. So a client that a judge opens, with its connections, works in every run, also in a
notebook, whose own loop is busy while a run lasts.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Iterable
from concurrent.futures import Future
from functools import cache

from maxin.core import Entrant
from maxin.runners.base import STOPPED, Job, MatchFailed, Outcome
from maxin.runners.functions import Play, call_play, check_play, failure_of


class Threads:
    """Calls `play(first, second, seed)` to get the first player's score.

    `play` gets the players' names; if its parameters are annotated as `Entrant`, it gets `Entrant`s
    with their options. An `async def` function, or any other that returns an awaitable, is awaited
    on one event loop, so that many matches wait for a service at the same time.

    `kill` cancels what is awaited. Any other game in a thread cannot be ended from outside: after
    `kill` no game starts, and a game that is still running fails when its function returns.

    Args:
        play: returns a number in [0, 1], True or False, or a mapping that `maxin.runners.scores`
            accepts.

    >>> runner = Threads(lambda first, second, seed: first < second)
    >>> runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=7)).score
    1.0
    """

    def __init__(self, play: Play) -> None:
        check_play(play)
        self._play, self._is_killed = play, False
        self._waiter = Awaiter()

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Accept every player: `play` itself knows what it needs."""

    def play(self, job: Job) -> Outcome:
        """Call the function once."""
        self._check_running()
        outcome = call_play(self._play, job.first, job.second, job.seed, self._waiter.wait)
        self._check_running()
        return outcome

    def kill(self) -> None:
        """Fail every game that has not ended yet."""
        self._is_killed = True
        self._waiter.cancel()

    def close(self) -> None:
        """Do nothing: there are no processes to end."""

    def _check_running(self) -> None:
        if self._is_killed:
            raise MatchFailed(STOPPED)


class Awaiter:
    """Awaits on the loop for the threads that call it, until it is cancelled.

    >>> async def judge():
    ...     return 0.5
    >>> Awaiter().wait(judge())
    0.5
    """

    def __init__(self) -> None:
        self._running: set[Future[object]] = set()
        self._is_cancelled = False
        self._lock = threading.Lock()

    def wait(self, awaitable: Awaitable[object]) -> object:
        """The value of the awaitable. Raise what it raises, or `MatchFailed` if cancelled."""
        future = asyncio.run_coroutine_threadsafe(_awaited(awaitable), _loop(os.getpid()))
        with self._lock:
            self._running.add(future)
            if self._is_cancelled:
                future.cancel()
        try:
            return future.result()
        except BaseException:
            future.cancel()
            if self._is_cancelled:
                raise MatchFailed(STOPPED) from None
            raise
        finally:
            with self._lock:
                self._running.discard(future)

    def cancel(self) -> None:
        """Cancel everything that is awaited, now and later."""
        with self._lock:
            self._is_cancelled = True
            running = list(self._running)
        for future in running:
            future.cancel()


async def _awaited(awaitable: Awaitable[object]) -> object:
    try:
        return await awaitable
    except (SystemExit, KeyboardInterrupt) as error:
        raise failure_of(error) from error  # either would end the loop, for every match


@cache
def _loop(pid: int) -> asyncio.AbstractEventLoop:
    """The loop of this process, started on first use; a fork has no threads, and needs its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="maxin-event-loop", daemon=True).start()
    return loop
