"""Run a program as the leader of its own process group, read its output, and kill the group.

POSIX only. A process that leaves its group is killed too, on Linux: see
`maxin.runners.programs.strays`. On other systems it may outlive its game.
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

from maxin.runners.base import STOPPED, MatchFailed
from maxin.runners.programs import reaper, strays

OUTPUT = 1 << 20  # bytes kept of standard output; a score may come with a lot of data
LOG = 1 << 16  # bytes kept of standard error, and of the log of a failure
CHUNK = 1 << 16  # bytes read at a time: the usual capacity of a pipe
LAST_CHUNKS = 16  # read after the end; a stray process that holds the pipe may write forever
TICK = 0.01  # seconds between checks, on systems without a descriptor for process exits
LONGEST_WAIT = 3600.0  # seconds per call of poll


class Group:
    """A running process, the leader of its group.

    Args:
        arguments: the program and its arguments; no shell reads them.
        environment: the environment of the process.
        link: a descriptor of ours; `wait` returns when it becomes readable.
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
        self._environment = strays.marked(environment)
        self._process = subprocess.Popen(
            arguments,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            pass_fds=() if theirs is None else (theirs,),
        )
        self._register()
        self.output, self.log = Tail(OUTPUT), Tail(LOG)
        self._streams = self._tails()
        self._exit = _exit_descriptor(self._process.pid)
        self._poll = select.poll()
        for descriptor in (*self._streams, self._exit, link):
            if descriptor is not None:
                self._poll.register(descriptor, select.POLLIN)

    def wait(self, until: float) -> bool:
        """Read the output until the process ends or the link is readable; False on a timeout.

        Args:
            until: when to give up, on the monotonic clock; infinity to wait forever.
        """
        while (patience := until - time.monotonic()) > 0.0:
            if self._has_event(patience) or (self._exit is None and self.has_ended()):
                return True
        return False

    def has_ended(self) -> bool:
        """Whether the process is dead. Where possible, its number is not reused before `end`."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, how) is not None

    def log_text(self) -> str:
        """The end of standard error, or of standard output if standard error is blank."""
        log = self.log.text()
        return log if log.strip() else self.output.text(LOG)

    def kill(self) -> None:
        """Kill the whole group. Never call it after `end`: the number may be reused by then."""
        kill_group(self._process.pid)

    def end(self) -> int:
        """Kill all that is left of the game, read the last output, and return the exit code."""
        self.kill()
        reaper.forget(self._process.pid)
        code = self._process.wait()
        strays.end(self._environment, self._process.pid)
        for descriptor, tail in self._streams.items():
            _read_the_rest(descriptor, tail)
        self._close()
        return code

    def _register(self) -> None:
        """Register the group with the reaper. A group that cannot be registered must not run."""
        try:
            reaper.watch(self._process.pid)
        except OSError:
            with self._process:  # waits for the process and closes its pipes
                self.kill()
            raise

    def _tails(self) -> dict[int, Tail]:
        """Where to keep the output of each descriptor."""
        stdout, stderr = self._process.stdout, self._process.stderr
        assert stdout is not None
        assert stderr is not None
        return {stdout.fileno(): self.output, stderr.fileno(): self.log}

    def _has_event(self, patience: float) -> bool:
        """Wait and keep the output; True if the process ended or the link is readable."""
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
    """The running process groups of a runner. After `kill`, no new group starts."""

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
        """Start a group. Raise `MatchFailed` after `kill`, `OSError` if the program cannot run."""
        self.check_running()
        # Start without the lock: threads that wait for it start only a third as many processes.
        group = Group(arguments, environment, link=link, theirs=theirs)
        with self._lock:
            self._running.add(group)
        if self.is_killed:  # `kill` came in between and may have missed this group
            self.end(group)
            self.check_running()
        return group

    def end(self, group: Group) -> int:
        """End the group and return its exit code, in the convention of `subprocess`."""
        with self._lock:
            self._running.discard(group)
        return group.end()

    def kill(self) -> None:
        """Kill all groups, from any thread. Threads that wait for a group see it end."""
        with self._lock:
            self.is_killed = True
            for group in self._running:
                group.kill()

    def check_running(self) -> None:
        """Raise `MatchFailed` after `kill`."""
        if self.is_killed:
            raise MatchFailed(STOPPED)


def kill_group(pid: int) -> None:
    """Send `SIGKILL` to every process of the group `pid`; a group with no process left is fine."""
    # Some systems report "not permitted" for a group whose members are all dead.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def exit_text(code: int) -> str:
    """A description of how a process ended.

    >>> exit_text(3), exit_text(-11)
    ('exited with code 3', 'was killed by SIGSEGV')
    """
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def deadline(timeout: float | None) -> float:
    """The time `timeout` seconds from now, on the monotonic clock.

    >>> deadline(None)
    inf
    """
    return math.inf if timeout is None else time.monotonic() + timeout


def _exit_descriptor(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None if there is no support."""
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


class Tail:
    r"""The last `size` bytes of all that was added.

    >>> tail = Tail(size=8)
    >>> tail.add(b"thinking\n0.5\n\n")
    >>> tail.text(), tail.last_line()
    ('ng\n0.5\n\n', '0.5')
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._kept, self._is_cut = b"", False

    def add(self, data: bytes) -> None:
        """Append `data`, and keep only the end."""
        joined = self._kept + data
        self._kept = joined[-self._size :]
        self._is_cut = self._is_cut or len(joined) > self._size

    def text(self, size: int | None = None) -> str:
        """The kept bytes, or the last `size` of them, as text; invalid UTF-8 is replaced."""
        return self._kept[-(size or self._size) :].decode("utf-8", "replace")

    @property
    def is_endless(self) -> bool:
        """Whether the last line is longer than what is kept."""
        return self._is_cut and b"\n" not in self._kept.rstrip()

    def last_line(self) -> str:
        """The last line that is not blank; empty if there is none or its start was dropped."""
        if self.is_endless:
            return ""
        line = self._kept.rstrip().rpartition(b"\n")[2]
        return line.decode("utf-8", "replace").strip()
