"""Waiting for the store's lock: as long as it takes, with a message that names its holder."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import NamedTuple

SILENT_SECONDS = 2.0  # how long one process may hold the lock before the others say so
LONGEST_PAUSE = 0.25  # seconds between two attempts

Notice = Callable[[str], None]


class Holder(NamedTuple):
    """Who holds the lock, such as "process 4711", and what is known about it."""

    who: str
    what: str


UNKNOWN = Holder("another process", "which holds the store")


def log_notice(sentence: str) -> None:
    """Log a warning; Python prints it on standard error unless the program handles its logs."""
    logging.getLogger("maxin").warning(sentence)


def wait_for_lock(
    attempt: Callable[[], bool], holder: Callable[[], Holder], notice: Notice
) -> None:
    """Repeat `attempt` until it succeeds, without a limit; Ctrl-C ends it between two attempts.

    A holder that keeps the lock for more than `SILENT_SECONDS` is named once. Where processes
    take turns quickly, nothing is said.

    >>> left = [False, True]
    >>> wait_for_lock(lambda: left.pop(0), lambda: UNKNOWN, print)
    >>> left
    []
    """
    since, pause = time.monotonic(), 0.01
    seen = named = None
    while not attempt():
        found = holder()
        if seen is not None and found.who != seen:
            since = time.monotonic()
        seen = found.who
        if time.monotonic() - since >= SILENT_SECONDS and named != seen:
            named = seen
            notice(f"waiting for {found.who}, {found.what}")
        time.sleep(pause)
        pause = min(2.0 * pause, LONGEST_PAUSE)
