"""A Python callable, played in the thread that asks for the game."""

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
    """Calls `play(first, second, seed)` with the players' names; it returns the first's score.

    A game in a thread cannot be ended from outside: after `kill` no further one starts, and one
    that is still being played fails when its function returns.

    Args:
        play: returns a number in [0, 1], or a mapping as `maxin.runners.scores` reads it.

    >>> runner = Threads(lambda first, second, seed: float(first < second))
    >>> runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=7)).score
    1.0
    """

    def __init__(self, play: Play) -> None:
        if not callable(play):
            raise InvalidInput(f"play must be a callable (first, second, seed); got {shown(play)}")
        self._play, self._is_killed = play, False

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Any player will do: `play` gets the name."""

    def play(self, job: Job) -> Outcome:
        """Call it."""
        self._go_on()
        outcome = called(self._play, job.first.name, job.second.name, job.seed)
        self._go_on()
        return outcome

    def kill(self) -> None:
        """No game counts from here on."""
        self._is_killed = True

    def close(self) -> None:
        """Nothing is kept."""

    def _go_on(self) -> None:
        if self._is_killed:
            raise MatchFailed(STOPPED)


def called(play: Play, first: str, second: str, seed: int) -> Outcome:
    """What `play` returns, read; `MatchFailed` with the traceback for what it raises.

    >>> called(lambda first, second, seed: 0.5, "anna", "bo", 7).score
    0.5
    """
    us = os.getpid()
    try:
        value = play(first, second, seed)
    except MatchFailed:
        raise
    except (Exception, SystemExit) as error:
        raise failure_of(error) from error
    finally:
        if os.getpid() != us:
            os._exit(1)  # a fork that `play` let go: there must not be two of us
    return read_value(value)


def failure_of(error: BaseException, what: str = "", *, is_hopeless: bool = False) -> MatchFailed:
    """The failure that an exception means: its words and place, and the traceback as log."""
    words = " ".join(f"{type(error).__name__}: {error}".split())
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in place)
    log = "".join(traceback.format_exception(error))
    return MatchFailed(f"{what}{words[:LONGEST]}{where}", log=log, is_hopeless=is_hopeless)
