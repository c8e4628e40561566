"""Processes in sessions of their own, whose output is drained and which end with all their kin.

POSIX only. A process that leaves its group outlives its game, but not the run: see
`maxin.runners.programs.reaper`.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence

from maxin.runners.base import MatchFailed
from maxin.runners.programs import reaper
from maxin.runners.programs.tail import Tail
from maxin.runners.threads import STOPPED

OUTPUT = 1 << 20  # bytes of standard output that are kept: a score may come with much data
LOG = 1 << 16  # bytes kept of standard error, and of a failure's log
CHUNK = 1 << 16  # as much as a pipe holds, as a rule
LAST_CHUNKS = 16  # read after the end; a stray that holds the pipe may write for ever
TICK = 0.01  # seconds between looks, where the system cannot tell us of a process's end
LONGEST_WAIT = 3600.0  # seconds at a time


class Group:
    """A running process, the leader of its group.

    Args:
        arguments: the program and its arguments; no shell reads them.
        environment: of the process.
        link: a descriptor of ours; `wait` returns when it can be read.
        theirs: a descriptor that the process inherits.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        *,
        link: int | None = None,
        theirs: int | None = None,
    ) -> None:
        self._process = subprocess.Popen(
            arguments,
            env=reaper.marked(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            pass_fds=() if theirs is None else (theirs,),
        )
        self._have_watched()
        self.output, self.log = Tail(OUTPUT), Tail(LOG)
        self._streams = self._tails()
        self._exit = _exit_descriptor(self._process.pid)
        self._poll = select.poll()
        for descriptor in (*self._streams, self._exit, link):
            if descriptor is not None:
                self._poll.register(descriptor, select.POLLIN)

    def wait(self, until: float) -> bool:
        """Drain the output until the process ends or the link has news; False if time is up.

        Args:
            until: when to give up, on the monotonic clock; infinity for never.
        """
        while (patience := until - time.monotonic()) > 0.0:
            if self._has_news(patience) or (self._exit is None and self.has_ended()):
                return True
        return False

    def has_ended(self) -> bool:
        """Whether the process is dead; its number stays ours until `end`, if the system can."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, how) is not None

    def words(self) -> str:
        """The end of standard error, or of standard output if that is silent."""
        log = self.log.text()
        return log if log.strip() else self.output.text(LOG)

    def kill(self) -> None:
        """Kill the process and its kin; never after `end`."""
        # Some systems say "not permitted" of a group whose members are all dead.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill what is left, keep its last words, and return how the process itself ended."""
        self.kill()
        reaper.forget(self._process.pid)
        code = self._process.wait()
        for descriptor, tail in self._streams.items():
            _read_the_rest(descriptor, tail)
        self._close()
        return code

    def _have_watched(self) -> None:
        """Let the reaper know; nothing runs that it does not know of."""
        try:
            reaper.watch(self._process.pid)
        except OSError:
            with self._process:  # waits for it, and closes its pipes
                self.kill()
            raise

    def _tails(self) -> dict[int, Tail]:
        """Where to keep what comes from each descriptor."""
        stdout, stderr = self._process.stdout, self._process.stderr
        assert stdout is not None
        assert stderr is not None
        return {stdout.fileno(): self.output, stderr.fileno(): self.log}

    def _has_news(self, patience: float) -> bool:
        """Wait a while, keep what was written, and say if anything else happened."""
        longest = TICK if self._exit is None else LONGEST_WAIT
        ready = [descriptor for descriptor, _ in self._poll.poll(1000 * min(patience, longest))]
        written = [descriptor for descriptor in ready if descriptor in self._streams]
        for descriptor in written:
            self._read(descriptor)
        return len(ready) > len(written)

    def _read(self, descriptor: int) -> None:
        data = os.read(descriptor, CHUNK)
        self._streams[descriptor].add(data)
        if not data:
            self._poll.unregister(descriptor)
            del self._streams[descriptor]

    def _close(self) -> None:
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        if self._exit is not None:
            os.close(self._exit)


class Groups:
    """The running processes of a runner. Once they were killed, no other starts."""

    def __init__(self) -> None:
        self.is_killed = False
        self._lock = threading.Lock()
        self._running: set[Group] = set()

    def start(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        *,
        link: int | None = None,
        theirs: int | None = None,
    ) -> Group:
        """A new `Group`; `MatchFailed` after `kill`, `OSError` if the program cannot be run."""
        self.go_on()
        # Without the lock, for threads that queue for it start a third as many processes.
        group = Group(arguments, environment, link=link, theirs=theirs)
        with self._lock:
            self._running.add(group)
        if self.is_killed:  # meanwhile, perhaps without this one
            self.end(group)
            self.go_on()
        return group

    def end(self, group: Group) -> int:
        """End it; how its process ended, as `subprocess` tells it."""
        with self._lock:
            self._running.discard(group)
        return group.end()

    def kill(self) -> None:
        """Kill them all, from whichever thread; those who wait for them see their end."""
        with self._lock:
            self.is_killed = True
            for group in self._running:
                group.kill()

    def go_on(self) -> None:
        """Raise `MatchFailed` after `kill`."""
        if self.is_killed:
            raise MatchFailed(STOPPED)


def ending(code: int) -> str:
    """How a process ended, in words.

    >>> ending(3), ending(-11)
    ('ended with exit code 3', 'was killed by SIGSEGV')
    """
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def deadline(timeout: float | None) -> float:
    """When `timeout` seconds from now are over, on the monotonic clock.

    >>> deadline(None)
    inf
    """
    return math.inf if timeout is None else time.monotonic() + timeout


def _exit_descriptor(pid: int) -> int | None:
    """A descriptor that can be read when the process ends, where the system has such a thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _read_the_rest(descriptor: int, tail: Tail) -> None:
    os.set_blocking(descriptor, False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(LAST_CHUNKS):
            data = os.read(descriptor, CHUNK)
            if not data:
                return
            tail.add(data)
