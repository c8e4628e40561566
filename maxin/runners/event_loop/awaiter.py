"""One event loop for all functions that are coroutines, in a thread of its own.

The loop lasts as long as the process. So a client that a judge opens, with its connections, works
in every run, also in a notebook, whose own loop is busy while a run lasts.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable
from concurrent.futures import Future
from functools import cache

from maxin.runners.base import STOPPED, MatchFailed
from maxin.runners.functions import failure_of


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
