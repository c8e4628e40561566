"""Play matches by calling a Python function in the calling thread."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

from maxin.core import Entrant, InvalidInput
from maxin.runners.base import Job, MatchFailed, Outcome
from maxin.runners.scores import LONGEST, read_value, shown

STOPPED = "the game was stopped"

Play = Callable[[str, str, int], object]


class Threads:
    """Calls `play(first, second, seed)` with the players' names to get the first's score.

    A game in a thread cannot be ended from outside: after `kill` no game starts, and a game that
    is still running fails when its function returns.

    Args:
        play: returns a number in [0, 1], or a mapping that `maxin.runners.scores` accepts.

    >>> runner = Threads(lambda first, second, seed: float(first < second))
    >>> runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=7)).score
    1.0
    """

    def __init__(self, play: Play) -> None:
        if not callable(play):
            raise InvalidInput(f"play must be a callable (first, second, seed); got {shown(play)}")
        self._play, self._is_killed = play, False

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Accept every player: `play` only gets the name."""

    def play(self, job: Job) -> Outcome:
        """Call the function once."""
        self._check_running()
        outcome = call_play(self._play, job.first.name, job.second.name, job.seed)
        self._check_running()
        return outcome

    def kill(self) -> None:
        """Fail every game that has not ended yet."""
        self._is_killed = True

    def close(self) -> None:
        """Do nothing: there are no processes to end."""

    def _check_running(self) -> None:
        if self._is_killed:
            raise MatchFailed(STOPPED)


def call_play(play: Play, first: str, second: str, seed: int) -> Outcome:
    """The outcome that `play` returns; an exception becomes `MatchFailed` with its traceback.

    >>> call_play(lambda first, second, seed: 0.5, "anna", "bo", 7).score
    0.5
    """
    pid = os.getpid()
    try:
        value = play(first, second, seed)
    except MatchFailed:
        raise
    except (Exception, SystemExit) as error:
        raise failure_of(error) from error
    finally:
        if os.getpid() != pid:
            os._exit(1)  # a fork that left `play`: only one process may continue
    return read_value(value)


def failure_of(error: BaseException, what: str = "", *, is_hopeless: bool = False) -> MatchFailed:
    """An exception as a failure: its message and place as the reason, its traceback as the log."""
    words = " ".join(f"{type(error).__name__}: {error}".split())
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in place)
    log = "".join(traceback.format_exception(error))
    return MatchFailed(f"{what}{words[:LONGEST]}{where}", log=log, is_hopeless=is_hopeless)
