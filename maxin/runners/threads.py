"""Play matches by calling a Python function in the calling thread."""

from __future__ import annotations

from collections.abc import Iterable

from maxin.core import Entrant
from maxin.runners.base import STOPPED, Job, MatchFailed, Outcome
from maxin.runners.event_loop.awaiter import Awaiter
from maxin.runners.functions import Play, call_play, check_play


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
