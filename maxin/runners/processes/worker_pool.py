"""Play matches by calling a Python function in worker processes, which are kept between games.

POSIX only: a worker leads its own session and is killed together with every process it started.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.spawn
import os
import pickle
import re
import sys
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from maxin.core import Entrant, InvalidInput, check_positive
from maxin.runners.base import Job, MatchFailed, Outcome
from maxin.runners.functions import Play, read_answer, sent
from maxin.runners.programs.groups import Groups, deadline, exit_text
from maxin.runners.scores import shown

NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
MAIN = ("init_main_from_name", "init_main_from_path")  # how a worker loads our main script
START = 300.0  # seconds a worker may take to load the callable
FAREWELL = 2.0  # seconds an idle worker may take to exit by itself

# A worker first needs to know where our package is.
BOOT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from multiprocessing.connection import Connection
os.set_inheritable(int(sys.argv[1]), False)
link = Connection(int(sys.argv[1]))
setup = link.recv()
sys.path[:] = setup["parent"]["sys_path"]
from maxin.runners.processes.worker import serve
serve(link, setup)
"""


class Processes:
    """Calls `play(first, second, seed)`, as `Threads` does, in one process per running game.

    If a worker dies or times out, only its own game fails. What `play` prints becomes the log if
    the game fails, and is dropped otherwise.

    Args:
        play: `module:function`, also searched for in the current directory; or a callable that can
            be pickled, such as a function at the top level of a module.
        timeout: seconds after which a game is killed and fails, not counting the time to load the
            callable; None for no limit.

    >>> runner = Processes("builtins:str.count")  # counts the second name in the first
    >>> runner.play(Job(1, Entrant("anna"), Entrant("nn"), seed=0)).score
    1.0
    >>> runner.close()
    """

    def __init__(self, play: str | Play, timeout: float | None = None) -> None:
        self._timeout = None if timeout is None else check_positive(timeout, "timeout")
        self._setup = _setup(play)
        self._groups = Groups()
        self._idle: deque[_Worker] = deque()  # both ends of a deque are thread-safe

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless a worker can load `play`; the worker is kept for the games."""
        try:
            self._idle.append(self._take())
        except MatchFailed as failure:
            raise InvalidInput(failure.reason) from failure

    def play(self, job: Job) -> Outcome:
        """Play one game in an idle worker, or in a new one."""
        worker = self._take()
        try:
            answer = worker.ask(sent(job), self._timeout)
        except MatchFailed:
            self._groups.check_running()
            raise
        log = worker.log_text()
        self._idle.append(worker)
        self._groups.check_running()
        return read_answer(answer, log)

    def kill(self) -> None:
        """Kill every worker and all the processes it started."""
        self._groups.kill()

    def close(self) -> None:
        """End the idle workers."""
        leaving = [self._idle.pop() for _ in range(len(self._idle))]
        for worker in leaving:
            worker.dismiss()
        for worker in leaving:
            worker.leave()

    def _take(self) -> _Worker:
        """Take an idle worker that is alive, or start a new one."""
        self._groups.check_running()
        while self._idle:
            try:
                worker = self._idle.pop()
            except IndexError:  # another thread took it
                break
            if not worker.has_ended():
                return worker
            worker.end()
        return _Worker(self._groups, self._setup)


class _Worker:
    """Our side of a worker process: send a question down the link and wait for the answer."""

    def __init__(self, groups: Groups, setup: Mapping[str, Any]) -> None:
        self._groups = groups
        self._link, theirs = multiprocessing.Pipe()
        with theirs:
            arguments = [sys.executable, "-P", "-c", BOOT, str(theirs.fileno())]
            try:
                self._group = groups.start(
                    arguments, os.environ, link=self._link.fileno(), theirs=theirs.fileno()
                )
            except OSError as error:
                raise MatchFailed(f"cannot start a worker process: {error}") from None
        answer = self.ask(setup, START)
        if answer is not None:
            self.end()
            read_answer(answer, self.log_text())

    def ask(self, question: object, timeout: float | None) -> object:
        """The answer. Raise `MatchFailed`, and end the worker, if it died or timed out."""
        self._group.output.clear()
        self._group.log.clear()
        is_in_time = True
        try:
            self._link.send(question)
            is_in_time = self._group.wait(deadline(timeout))
            if self._link.poll():
                return self._link.recv()
        except (EOFError, ConnectionError):
            pass  # it died; the exit code below gives the reason
        except BaseException:
            self.end()
            raise
        code = self.end()
        how = exit_text(code) if is_in_time else f"timed out after {timeout:g} s"
        raise MatchFailed(f"the worker {how}", log=self.log_text())

    def log_text(self) -> str:
        """What the worker printed since the last question."""
        return self._group.log_text()

    def has_ended(self) -> bool:
        """Whether the worker has died."""
        return self._group.has_ended()

    def dismiss(self) -> None:
        """Ask the worker to exit."""
        with contextlib.suppress(OSError):
            self._link.send(None)

    def leave(self) -> None:
        """Give the worker a moment to exit, then end it."""
        self._group.wait(deadline(FAREWELL))
        self.end()

    def end(self) -> int:
        """Kill what is left of the worker and return its exit code."""
        self._link.close()
        return self._groups.end(self._group)


def _setup(play: str | Play) -> dict[str, Any]:
    """What a worker needs: our import settings, so that it finds the same modules, and `play`."""
    parent = multiprocessing.spawn.get_preparation_data("maxin worker")
    del parent["authkey"]  # a secret of multiprocessing's own processes
    if not isinstance(play, str):
        target = _pickled(play)
        if b"__main__" in target and not _has_script(parent):
            raise InvalidInput(
                f"{shown(play)} was defined in a notebook or at a prompt, where a worker process "
                "cannot load it. Write it to a file, say judge.py (in a notebook, begin the cell "
                "with %%writefile judge.py), and give Processes('judge:play'); or give the "
                "function itself to run, which calls it in threads"
            )
        return {"parent": parent, "target": target, "what": shown(play)}
    if not NAME.fullmatch(play):
        raise InvalidInput(f"a callable must be named as module:function; got {play!r}")
    for key in MAIN:
        parent.pop(key, None)  # a named function does not need our main script
    parent["sys_path"] = [os.getcwd(), *parent["sys_path"]]
    return {"parent": parent, "target": play, "what": play}


def _has_script(parent: Mapping[str, Any]) -> bool:
    """Whether our main module is a file, which a worker can load."""
    return MAIN[0] in parent or os.path.isfile(parent.get(MAIN[1], ""))


def _pickled(play: Play) -> bytes:
    if not callable(play):
        raise InvalidInput(f"play must be module:function or a callable; got {shown(play)}")
    try:
        return pickle.dumps(play)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidInput(
            f"{shown(play)} cannot be sent to a worker process, {error}; "
            "use a function at the top level of a module"
        ) from None
