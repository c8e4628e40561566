"""A worker on a Ray cluster: an actor that keeps what plays its games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from maxin.core import Entrant, InvalidInput
from maxin.runners.base import Job, MatchFailed, Outcome, Runner
from maxin.runners.functions import Play, failure_of
from maxin.runners.threads import Threads

Make = Callable[[], Play | Runner]


class RayWorker:
    """Makes a function or a runner once, and plays every game with it. Ray makes an actor of it.

    Args:
        make: returns what plays: a function `play(first, second, seed)`, or a runner.

    >>> worker = RayWorker(lambda: lambda first, second, seed: first < second)
    >>> worker.ready([]), worker.play([Job(1, Entrant("anna"), Entrant("bo"), seed=7)])[0].score
    (None, 1.0)
    """

    def __init__(self, make: Make) -> None:
        self._failure: MatchFailed | None = None
        try:
            self._runner = _runner(make())
        except InvalidInput as error:
            self._failure = MatchFailed(str(error), is_hopeless=True)
        except BaseException as error:
            self._failure = failure_of(error, "a Ray worker cannot start: ", is_hopeless=True)

    def ready(self, entrants: Sequence[Entrant]) -> MatchFailed | None:
        """None if it can play these players; otherwise why not."""
        if self._failure is None:
            try:
                self._runner.check(entrants)
            except InvalidInput as error:
                return MatchFailed(str(error), is_hopeless=True)
        return self._failure

    def play(self, jobs: Sequence[Job]) -> list[Outcome | MatchFailed]:
        """The outcomes or the failures of these games, played one after the other."""
        return [self._answer(job) for job in jobs]

    def close(self) -> None:
        """End what the runner keeps for later games."""
        if self._failure is None:
            self._runner.close()

    def _answer(self, job: Job) -> Outcome | MatchFailed:
        if self._failure is not None:
            return self._failure
        try:
            outcome = self._runner.play(job)
        except MatchFailed as failure:
            return failure
        return outcome._replace(data=dict(outcome.data))  # a read-only mapping cannot be sent


def _runner(made: Any) -> Runner:
    return made if hasattr(made, "play") else Threads(made)
