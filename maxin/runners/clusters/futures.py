"""Play matches on any executor of `concurrent.futures`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from functools import partial
from typing import Any

from maxin.core import Entrant, InvalidInput
from maxin.runners.base import Job, MatchFailed, Outcome, RunnerLost
from maxin.runners.clusters.pending import Pending, PendingGame
from maxin.runners.functions import Play, answer, check_play, failure_of
from maxin.runners.scores import shown


class Futures:
    """Calls `play(first, second, seed)` on an executor: in a pool of processes, on Dask, loky, MPI.

    At most `workers` games of a run are on the executor at a time. A worker that dies fails the
    game that it played, which the run repeats. If the executor itself is broken or shut down, the
    run ends with `RunnerLost` as its reason; every result is kept, and the games that were on the
    executor are played when the run is resumed with a new one.

    The executor is yours: `kill` and `close` do not shut it down. After `kill`, games that have
    started elsewhere play to their end, and their scores are dropped.

    Args:
        play: a function that the executor can send: for processes, one at the top level of a
            module; Dask and loky send any. It may be an `async def` function.
        executor: any `concurrent.futures.Executor`: `dask.distributed.Client(...).get_executor()`,
            `loky.get_reusable_executor()`, `mpi4py.futures.MPIPoolExecutor()`.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as executor:
    ...     runner = Futures(lambda first, second, seed: first < second, executor)
    ...     runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=7)).score
    1.0
    """

    def __init__(self, play: Play, executor: Executor) -> None:
        check_play(play)
        if not callable(getattr(executor, "submit", None)):
            raise InvalidInput(
                f"executor must be a concurrent.futures.Executor, with a method submit; "
                f"got {shown(executor)}"
            )
        self._play, self._executor = play, executor
        self._pending = Pending()
        self._serial = itertools.count()

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless the executor works and can send `play`."""
        try:
            self._submit(check_play, self._play).result()
        except Exception as error:
            raise InvalidInput(
                f"the executor cannot play {shown(self._play)}: {_words(error)}"
            ) from error

    def play(self, job: Job) -> Outcome:
        """Play one game on the executor."""
        with self._pending.opened(job) as game:
            # Dask takes two equal calls for one: no two games have the same number.
            future = self._submit(_answer, self._play, game.job, next(self._serial))
            future.add_done_callback(partial(_hand_over, game))
            try:
                return game.wait()
            finally:
                future.cancel()  # after a kill; one that is over stays as it is

    def kill(self) -> None:
        """Fail every game that has not ended yet; those that have not started never will."""
        self._pending.kill()

    def close(self) -> None:
        """Do nothing: the executor is the caller's."""

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        try:
            return self._executor.submit(function, *arguments)
        except BrokenExecutor as error:
            raise _broken(error) from error
        except Exception as error:
            raise RunnerLost(f"the executor takes no games: {_words(error)}") from error


def _answer(play: Play, job: Job, serial: int) -> Outcome | MatchFailed:
    """Play a game; its serial number only makes the call unique."""
    return answer(play, job)


def _hand_over(game: PendingGame, future: Future[object]) -> None:
    """Give a game the answer that its future has, or the reason why there is none."""
    try:
        game.give(future.result())
    except CancelledError:
        game.give(RunnerLost("the executor was shut down, and cancelled the game"))
    except BrokenExecutor as error:
        game.give(_broken(error))
    except BaseException as error:
        game.give(failure_of(error, "the executor gave no score: "))


def _broken(error: BrokenExecutor) -> RunnerLost:
    return RunnerLost(f"the executor is broken: {_words(error)}")


def _words(error: BaseException) -> str:
    """An exception in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
