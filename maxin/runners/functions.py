"""Call the function that plays a match, and read what it returns.

A function gets the players' names, or their `Entrant`s if it asks for them, and the seed. It may be
a coroutine function, or return anything else that can be awaited.
"""

from __future__ import annotations

import inspect
import os
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from maxin.core import Entrant, InvalidInput
from maxin.runners.base import Job, MatchFailed, Outcome
from maxin.runners.scores import LONGEST, read_value, shown

Play = Callable[[Any, Any, int], object]
Wait = Callable[[Awaitable[object]], object]


def takes_entrants(play: Play) -> bool:
    """Whether a function gets `Entrant`s: one of its first two parameters is annotated so.

    All other functions get names.

    >>> def play(first: Entrant, second: Entrant, seed: int): ...
    >>> takes_entrants(play), takes_entrants(lambda first, second, seed: 0.5)
    (True, False)
    """
    try:
        parameters = list(inspect.signature(play).parameters.values())[:2]
    except (TypeError, ValueError):  # a builtin without a signature
        return False
    return any(_is_entrant(parameter.annotation) for parameter in parameters)


def check_play(play: Any) -> None:
    """Raise unless `play` can be called with two players and a seed.

    >>> check_play(lambda first, second: 0.5)
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: play must take (first, second, seed); got (first, second)
    """
    if not callable(play):
        raise InvalidInput(f"play must be a callable (first, second, seed); got {shown(play)}")
    try:
        signature = inspect.signature(play)
    except (TypeError, ValueError):  # a builtin without a signature
        return
    try:
        signature.bind("first", "second", 0)
    except TypeError:
        own = signature.replace(return_annotation=inspect.Signature.empty)
        raise InvalidInput(f"play must take (first, second, seed); got {own}") from None


def _is_entrant(annotation: object) -> bool:
    if isinstance(annotation, str):  # as `from __future__ import annotations` leaves it
        return annotation.strip("\"' ").rpartition(".")[2] == Entrant.__name__
    return annotation is Entrant


def call_play(play: Play, first: Entrant, second: Entrant, seed: int, wait: Wait) -> Outcome:
    """The outcome that `play` returns; an exception becomes `MatchFailed` with its traceback.

    Args:
        play: the function.
        first: the player in the first seat.
        second: the other player.
        seed: of the match.
        wait: returns the value of an awaitable, if `play` returns one.

    >>> anna, bo = Entrant("anna"), Entrant("bo")
    >>> call_play(lambda first, second, seed: first < second, anna, bo, 7, wait=print).score
    1.0
    """
    pid = os.getpid()
    one, two = (first, second) if takes_entrants(play) else (first.name, second.name)
    try:
        value = play(one, two, seed)
        if inspect.isawaitable(value):
            value = wait(value)
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
    where = "".join(
        f" ({Path(frame.filename).name}, line {frame.lineno})"
        for frame in place
        if not frame.filename.startswith("<frozen")  # Python itself, say a module is missing
    )
    log = "".join(traceback.format_exception(error))
    return MatchFailed(f"{what}{words[:LONGEST]}{where}", log=log, is_hopeless=is_hopeless)


def sent(job: Job) -> Job:
    """A job as it can be pickled: the options of its players may be read-only mappings."""
    first, second = (
        Entrant(player.name, dict(player.options)) for player in (job.first, job.second)
    )
    return job._replace(first=first, second=second)


def answer(play: Play, job: Job) -> Outcome | MatchFailed:
    """The outcome of a game, or its failure, as a worker elsewhere sends it back.

    >>> answer(lambda first, second, seed: seed / 10, Job(1, Entrant("anna"), Entrant("bo"), 5))
    Outcome(score=0.5, errors=(), data={}, games=None)
    """
    try:
        outcome = call_play(play, job.first, job.second, job.seed, _wait)
    except MatchFailed as failure:
        return failure
    return outcome._replace(data=dict(outcome.data))  # a read-only mapping cannot be sent


def _wait(awaitable: Awaitable[object]) -> object:
    from maxin.runners.threads import Awaiter  # most functions do not need a loop

    return Awaiter().wait(awaitable)


def read_answer(answer: object, log: str = "") -> Outcome:
    """The answer of a worker if it is an outcome; raise a failure, with `log` before its own."""
    if isinstance(answer, MatchFailed):
        whole = "\n".join(filter(None, (log.rstrip(), answer.log)))
        raise MatchFailed(
            answer.reason, log=whole, is_hopeless=answer.is_hopeless, player=answer.player
        )
    if not isinstance(answer, Outcome):
        raise MatchFailed(f"the worker must answer with an outcome; got {shown(answer)}")
    return answer
