"""The program of a worker process: load a callable once, then play each game it is sent.

The callable and the games come as pickles, as always in `multiprocessing`, over a pipe from the
program that started this process. This is the only place where pickles are loaded; no pickle comes
from a file or a store.
"""

from __future__ import annotations

import contextlib
import multiprocessing.process
import multiprocessing.spawn
import pickle
import pkgutil
import sys
from multiprocessing.connection import Connection
from typing import Any

from maxin.core import InvalidInput
from maxin.runners.base import Job, MatchFailed, Outcome
from maxin.runners.functions import Play, answer, check_play, failure_of


def serve(link: Connection, setup: dict[str, Any]) -> None:
    """Answer None when ready, then answer each game with its outcome or failure.

    Args:
        link: the connection to the runner, which sends None at the end; it closes if the runner
            dies.
        setup: what `multiprocessing.spawn` needs to know about the parent, and our `target`.
    """
    try:
        play = _load(setup)
    except InvalidInput as error:
        link.send(MatchFailed(f"cannot use {setup['what']}: {error}", is_hopeless=True))
        return
    except BaseException as error:
        link.send(failure_of(error, f"cannot load {setup['what']}: ", is_hopeless=True))
        return
    link.send(None)
    with contextlib.suppress(EOFError, ConnectionError):
        while (game := link.recv()) is not None:
            link.send(_answer(play, game))


def _answer(play: Play, job: Job) -> Outcome | MatchFailed:
    try:
        return answer(play, job)
    finally:
        _flush()


def _flush() -> None:
    """Flush the output before the answer is sent, so that it belongs to this game's log."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _load(setup: dict[str, Any]) -> Play:
    """The callable, imported by name, or unpickled after importing the parent's main script."""
    # As in multiprocessing: a script that starts workers while it is imported gets an error.
    this = multiprocessing.process.current_process()
    this._inheriting = True  # type: ignore[attr-defined]
    try:
        multiprocessing.spawn.prepare(setup["parent"])
        target = setup["target"]
        play = pkgutil.resolve_name(target) if isinstance(target, str) else pickle.loads(target)
    finally:
        del this._inheriting  # type: ignore[attr-defined]
    check_play(play)
    return play  # type: ignore[no-any-return]
