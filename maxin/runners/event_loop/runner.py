"""Play matches by awaiting a function, within the limits of the service that it calls."""

from __future__ import annotations

from maxin.runners.event_loop.limits import Errors, Limits, checked_retry
from maxin.runners.functions import Play, check_play
from maxin.runners.threads import Threads


class EventLoop(Threads):
    """Awaits `play(first, second, seed)` on one event loop, as `Threads` does, within limits.

    The limits hold for all runs that use this runner. `workers` of a run is how many matches it
    has pending; of these, `in_flight` are calling. An exception of `retry_on` is no failure of the
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
