"""A Python callable, played in worker processes that are kept from game to game.

POSIX only: a worker is the leader of a session of its own and is killed with all its kin.
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
from maxin.runners.programs.groups import Groups, deadline, ending
from maxin.runners.scores import shown
from maxin.runners.threads import Play

NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
START = 300.0  # seconds in which a worker must have loaded the callable
FAREWELL = 2.0  # seconds in which an idle worker may leave by itself

# The first thing a worker does: learn where our package is.
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
    """Calls `play(first, second, seed)`, as `Threads` does, in a process per running game.

    A worker that dies, or is killed for taking too long, fails its game and no other. What
    `play` prints is the log of its failure, and is not shown otherwise.

    Args:
        play: `module:function`, looked for in the current directory too; or a callable that can
            be pickled: a function at the top of a module, not one within a function.
        timeout: seconds after which a game is killed and fails; loading the callable is not
            counted.

    >>> runner = Processes("builtins:str.count")  # how often the second is in the first
    >>> runner.play(Job(1, Entrant("anna"), Entrant("nn"), seed=0)).score
    1.0
    >>> runner.close()
    """

    def __init__(self, play: str | Play, timeout: float | None = None) -> None:
        self._timeout = None if timeout is None else check_positive(timeout, "timeout")
        self._setup = _setup(play)
        self._groups = Groups()
        self._idle: deque[_Worker] = deque()  # whose ends are safe to use from any thread

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Any player will do, if a worker can load `play`; the worker is kept for the games."""
        try:
            self._idle.append(self._take())
        except MatchFailed as failure:
            raise InvalidInput(failure.reason) from failure

    def play(self, job: Job) -> Outcome:
        """Play in an idle worker, or in a new one."""
        worker = self._take()
        try:
            answer = worker.ask((job.first.name, job.second.name, job.seed), self._timeout)
        except MatchFailed:
            self._groups.go_on()
            raise
        log = worker.words()
        self._idle.append(worker)
        self._groups.go_on()
        return _outcome(answer, log)

    def kill(self) -> None:
        """Kill every worker and all its kin."""
        self._groups.kill()

    def close(self) -> None:
        """Let the idle workers go."""
        leaving = [self._idle.pop() for _ in range(len(self._idle))]
        for worker in leaving:
            worker.dismiss()
        for worker in leaving:
            worker.leave()

    def _take(self) -> _Worker:
        """An idle worker that is alive, or a new one."""
        self._groups.go_on()
        while self._idle:
            try:
                worker = self._idle.pop()
            except IndexError:  # another thread was faster
                break
            if not worker.has_ended():
                return worker
            worker.end()
        return _Worker(self._groups, self._setup)


class _Worker:
    """Our side of a worker process: a question goes down the link, an answer comes back."""

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
            _outcome(answer, self.words())

    def ask(self, question: object, timeout: float | None) -> object:
        """The answer; or `MatchFailed`, and the worker has ended: it died or was too slow."""
        self._group.output.clear()
        self._group.log.clear()
        is_in_time = True
        try:
            self._link.send(question)
            is_in_time = self._group.wait(deadline(timeout))
            if self._link.poll():
                return self._link.recv()
        except (EOFError, ConnectionError):
            pass  # it died; its exit code says how
        except BaseException:
            self.end()
            raise
        how = ending(self.end())
        reason = f"the worker {how}" if is_in_time else f"no result after {timeout:g} s: killed"
        raise MatchFailed(reason, log=self.words())

    def words(self) -> str:
        """What it wrote since it was last asked."""
        return self._group.words()

    def has_ended(self) -> bool:
        """Whether it died."""
        return self._group.has_ended()

    def dismiss(self) -> None:
        """Tell it to leave."""
        with contextlib.suppress(OSError):
            self._link.send(None)

    def leave(self) -> None:
        """Give it a moment to leave, then end it."""
        self._group.wait(deadline(FAREWELL))
        self.end()

    def end(self) -> int:
        """Kill what is left of it; how it ended."""
        self._link.close()
        return self._groups.end(self._group)


def _outcome(answer: object, log: str) -> Outcome:
    """The answer, raised if it is a failure, with what was printed before it."""
    if isinstance(answer, MatchFailed):
        words = "\n".join(filter(None, (log.rstrip(), answer.log)))
        raise MatchFailed(answer.reason, log=words, is_hopeless=answer.is_hopeless)
    if not isinstance(answer, Outcome):
        raise MatchFailed(f"the worker's answer is not an outcome: {shown(answer)}")
    return answer


def _setup(play: str | Play) -> dict[str, Any]:
    """What a worker must know: of us, so that it can import what we can, and of `play`."""
    parent = multiprocessing.spawn.get_preparation_data("maxin worker")
    del parent["authkey"]  # a secret of multiprocessing's own processes
    if not isinstance(play, str):
        return {"parent": parent, "target": _pickled(play), "what": shown(play)}
    if not NAME.fullmatch(play):
        raise InvalidInput(f"a callable is named module:function; got {play!r}")
    for key in ("init_main_from_name", "init_main_from_path"):
        parent.pop(key, None)  # our main script has nothing to do with it
    parent["sys_path"] = [os.getcwd(), *parent["sys_path"]]
    return {"parent": parent, "target": play, "what": play}


def _pickled(play: Play) -> bytes:
    if not callable(play):
        raise InvalidInput(f"play must be module:function or a callable; got {shown(play)}")
    try:
        return pickle.dumps(play)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidInput(
            f"{shown(play)} cannot be sent to a worker process, {error}; "
            "use a function at the top of a module"
        ) from None
