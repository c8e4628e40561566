"""A database server, or a service, that goes away: who waits for it, and for how long."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from maxin.core.retrying import retry_pause
from maxin.storage.database.errors import StoreLost
from maxin.storage.database.waiting import Notice, log_notice

Done = TypeVar("Done")
_caller_waits: ContextVar[bool] = ContextVar("_caller_waits", default=False)


@contextmanager
def caller_waits() -> Iterator[None]:
    """Within it, `outlast` raises at once in this thread: its caller waits for the server."""
    token = _caller_waits.set(True)
    try:
        yield
    finally:
        _caller_waits.reset(token)


def outlast(
    act: Callable[[], Done], notice: Notice = log_notice, seconds: float = math.inf
) -> Done:
    """Do something with a store or a service; if it is lost, say so once and try until it is back.

    After `seconds` without it, counted from the loss, the error is raised, and at once if it was
    never there. Only the outermost of nested calls waits.

    >>> answers = iter([StoreLost("the server went away"), 42])
    >>> def read():
    ...     answer = next(answers)
    ...     if isinstance(answer, StoreLost):
    ...         raise answer
    ...     return answer
    >>> outlast(read, seconds=10.0)
    42
    """
    if _caller_waits.get():
        return act()
    give_up = math.inf
    for attempt in itertools.count(1):
        try:
            with caller_waits():
                return act()
        except StoreLost as error:
            give_up = time.monotonic() + seconds if attempt == 1 else give_up
            pause = retry_pause(attempt, asked=error.pause)
            if not error.was_reached or time.monotonic() + pause > give_up:
                raise
            if attempt == 2:  # after one failure it may be only the session that has ended
                notice(f"{error}; trying again")
            time.sleep(pause)
    raise AssertionError  # it is tried until it succeeds
