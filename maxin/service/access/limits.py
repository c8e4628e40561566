"""Limits: on the rate of requests, on failed logins, and on open streams."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from maxin.service.access.refusal import Refusal

MOST_STREAMS = 1_000
MOST_KNOWN = 10_000  # callers or addresses that are remembered
# Requests per second that a token may send for long, by its role; at once it may send twice that.
RATES = {"admin": 5_000.0, "worker": 5_000.0, "viewer": 50.0, "voter": 20.0}
FAILED_LOGINS = 10.0 / 60.0  # per second and address
MOST_FAILED = 10.0  # at once


class Buckets:
    """A bucket per key that drips `rate` times per second and holds `most` drops.

    Args:
        clock: seconds.

    >>> now = [0.0]
    >>> buckets = Buckets(lambda: now[0])
    >>> [buckets.wait("anna", rate=1.0, most=2.0) for _ in range(3)]
    [0.0, 0.0, 1.0]
    >>> now[0] = 1.0
    >>> buckets.wait("anna", rate=1.0, most=2.0)
    0.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._levels: dict[str, tuple[float, float]] = {}  # drops, and when

    def wait(self, key: str, *, rate: float, most: float) -> float:
        """Take a drop and return 0; or return the seconds until there is one."""
        now = self._clock()
        level, since = self._levels.get(key, (most, now))
        level = min(most, level + (now - since) * rate)
        if level < 1.0:
            return (1.0 - level) / rate
        if len(self._levels) >= MOST_KNOWN and key not in self._levels:
            self._levels.clear()  # so that their number is bounded; all start again
        self._levels[key] = level - 1.0, now
        return 0.0


class Streams:
    """Counts open streams.

    Args:
        most: how many there may be.

    >>> streams = Streams(most=1)
    >>> with streams.one():
    ...     len(streams)
    1
    """

    def __init__(self, most: int = MOST_STREAMS) -> None:
        self.most = most
        self._n_open = 0

    def __len__(self) -> int:
        return self._n_open

    def check(self) -> None:
        """Raise `Refusal` if there are as many as there may be."""
        if self._n_open >= self.most:
            detail = f"{self.most:,} streams are open, which is the limit; try again later"
            raise Refusal(503, detail, retry_after=30)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Within it a stream is open."""
        self._n_open += 1
        try:
            yield
        finally:
            self._n_open -= 1
