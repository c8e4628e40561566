"""A database server that goes away: who waits for it, and for how long."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from maxin.storage.database.errors import StoreLost
from maxin.storage.database.waiting import Notice, log_notice

PAUSE = 0.5  # seconds between two attempts
Done = TypeVar("Done")
_caller_waits: ContextVar[bool] = ContextVar("_caller_waits", default=False)


@contextmanager
def caller_waits() -> Iterator[None]:
    """A block in which `outlast` raises at once in this thread: its caller waits for the server.

    >>> with caller_waits():
    ...     outlast(lambda: 3)
    3
    """
    token = _caller_waits.set(True)
    try:
        yield
    finally:
        _caller_waits.reset(token)


def outlast(
    act: Callable[[], Done], notice: Notice = log_notice, seconds: float = math.inf
) -> Done:
    """Do something with a store; if its server is lost, say so once and try until it is back.

    After `seconds` without the server, counted from the loss, the error is raised. Only the
    outermost of nested calls waits.

    >>> outlast(lambda: 3)
    3
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
            if time.monotonic() >= give_up:
                raise
            if attempt == 2:  # after one failure it may be only the session that has ended
                notice(f"{error}; trying again")
            time.sleep(PAUSE)
    raise AssertionError  # it is tried until it succeeds
