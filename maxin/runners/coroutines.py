"""Play matches by awaiting a function, within the limits of the service that it calls.

These are calls at a time, calls per second, retries, and a time limit per call.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, NamedTuple

from maxin.core import InvalidInput, check_positive, check_whole
from maxin.core.retrying import LONGEST_BACKOFF, retry_pause
from maxin.runners.base import MatchFailed
from maxin.runners.functions import Play, check_play
from maxin.runners.scores import shown
from maxin.runners.threads import Threads

Errors = type[BaseException] | tuple[type[BaseException], ...]


class EventLoop(Threads):
    """Awaits `play(first, second, seed)` on one event loop, as `Threads` does, within limits.

    The limits hold for all runs that use this runner. `workers` of a run is how many matches it
    has pending; of these, `in_flight` are calling. An exception of `retry_on` does not fail the
    match: the call is repeated, and the failure counts only if the last attempt fails too.

    Args:
        play: an `async def` function, or any other that returns an awaitable.
        in_flight: calls at a time; None for no limit.
        rate: calls per second, evenly spaced, retries included; None for no limit.
        retry_on: the exceptions that are worth another call, such as "too many requests". With
            `TimeoutError`, calls that timed out are repeated.
        retries: how often such a call is repeated.
        backoff: seconds that the first retry waits at most; the limit doubles with every further
            one, up to a minute. The wait is random below its limit.
        timeout: seconds that a call may take; None for no limit. The waits before it are free.

    >>> async def judge(first, second, seed):
    ...     return first < second
    >>> runner = EventLoop(judge, in_flight=500, rate=1000.0, timeout=60.0)
    >>> from maxin.runners import Job
    >>> from maxin.core import Entrant
    >>> runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=7)).score
    1.0
    """

    def __init__(
        self,
        play: Play,
        *,
        in_flight: int | None = None,
        rate: float | None = None,
        retry_on: Errors = (),
        retries: int = 5,
        backoff: float = 1.0,
        timeout: float | None = None,
    ) -> None:
        check_play(play)
        limits = Limits(in_flight, rate, checked_retry(retry_on, retries, backoff), timeout)
        super().__init__(limits.around(play))


class Retry(NamedTuple):
    """Which exceptions are worth another call, how many, and how long to wait.

    Args:
        on: the exceptions.
        times: how often a call is repeated.
        backoff: seconds that the first retry waits at most; see `maxin.core.retrying`.
    """

    on: tuple[type[BaseException], ...]
    times: int
    backoff: float

    def is_due(self, error: BaseException, attempt: int) -> bool:
        """Whether to call again after the attempt number `attempt`, from 1 on.

        >>> Retry((OSError,), times=2, backoff=1.0).is_due(ConnectionError(), attempt=2)
        True
        """
        return isinstance(error, self.on) and attempt <= self.times


class Pace:
    """Spaces calls evenly: two of them start at least 1 / rate seconds apart.

    Args:
        rate: calls per second; None for no limit.

    >>> pace = Pace(rate=4.0)
    >>> [pace.reserve(now) for now in (10.0, 10.0, 10.125, 20.0)]
    [0.0, 0.25, 0.375, 0.0]
    """

    def __init__(self, rate: float | None) -> None:
        self._apart = 0.0 if rate is None else 1.0 / check_positive(rate, "rate")
        self._next = 0.0  # when the next call may start

    def reserve(self, now: float) -> float:
        """Reserve the next start; returns how many seconds to wait for it."""
        start = max(now, self._next)
        self._next = start + self._apart
        return start - now


class Limits:
    """Calls an async function within limits.

    A call holds one of the `in_flight` places while it waits for its pace and while it runs, but
    not while it waits for a retry.

    Args:
        in_flight: calls at a time; None for no limit.
        rate: calls per second; None for no limit.
        retry: when to call again.
        timeout: seconds that a call may take; None for no limit.
    """

    def __init__(
        self, in_flight: int | None, rate: float | None, retry: Retry, timeout: float | None
    ) -> None:
        self._places: AbstractAsyncContextManager[Any] = nullcontext()
        if in_flight is not None:
            self._places = asyncio.Semaphore(_at_least(1, in_flight, "in_flight"))
        self._pace, self._retry = Pace(rate), retry
        self._timeout = None if timeout is None else check_positive(timeout, "timeout")

    def around(self, play: Play) -> Callable[[Any, Any, int], Awaitable[object]]:
        """The same function within the limits; it takes names or entrants as `play` does."""

        @functools.wraps(play)
        async def limited(first: Any, second: Any, seed: int) -> object:
            attempt = 1
            while True:
                try:
                    return await self._call(play, first, second, seed)
                except BaseException as error:
                    if not self._retry.is_due(error, attempt):
                        raise
                backoff = self._retry.backoff
                await asyncio.sleep(retry_pause(attempt, backoff, LONGEST_BACKOFF, seed=seed))
                attempt += 1

        return limited

    async def _call(self, play: Play, first: Any, second: Any, seed: int) -> object:
        async with self._places:
            await asyncio.sleep(self._pace.reserve(asyncio.get_running_loop().time()))
            try:
                async with asyncio.timeout(self._timeout) as limit:
                    return await _awaitable(play(first, second, seed))
            except TimeoutError as error:
                if limit.expired():
                    raise TimedOut(f"the call timed out after {self._timeout:g} s") from error
                raise


class TimedOut(MatchFailed, TimeoutError):
    """A call took longer than its limit. It is a `TimeoutError`, which may be retried."""


def _awaitable(value: Any) -> Awaitable[object]:
    """The value, if it can be awaited; a function that cannot would block all other calls."""
    if inspect.isawaitable(value):
        return value
    raise MatchFailed(
        f"play must be an async function; it returned {shown(value)}, which cannot be awaited",
        is_hopeless=True,
    )


def checked_retry(on: Errors, times: int, backoff: float) -> Retry:
    """The retries, or an error that names the value and the rule."""
    errors = on if isinstance(on, tuple) else (on,)
    for error in errors:
        if not (isinstance(error, type) and issubclass(error, Exception)):
            raise InvalidInput(f"retry_on must be exceptions, such as OSError; got {error!r}")
    if not (isinstance(backoff, int | float) and 0.0 <= backoff < float("inf")):
        raise InvalidInput(f"backoff must be a number of seconds, at least 0; got {backoff!r}")
    return Retry(errors, _at_least(0, times, "retries"), float(backoff))


def _at_least(least: int, value: int, what: str) -> int:
    if check_whole(value, what) < least:
        raise InvalidInput(f"{what} must be at least {least}; got {value}")
    return value
