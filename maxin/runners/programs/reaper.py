"""Kill every process we started when we end, however we end.

A small helper process, in its own session, reads from a pipe which process groups are running. The
pipe closes when we end, even by `SIGKILL`, and the helper kills the groups that are still listed.
Then it searches for strays: every process we start carries a mark in its environment, which its
children inherit. So the helper also finds processes that were just being started, and those that
left their group. POSIX only; the search for strays needs Linux.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

MARK = "MAXIN_MARK"  # the environment variable; the marks of nested runs are joined by colons
PROGRAM = Path(__file__).resolve().with_name("sweeper.py")


def watch(pid: int) -> None:
    """Have the group `pid` killed when we end. Call this as soon as the group has started."""
    _reaper.watch(pid)


def forget(pid: int) -> None:
    """Stop watching a group. Call this before you wait for its leader, which frees its number."""
    _reaper.forget(pid)


def marked(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process we are about to start, with the mark that identifies it.

    >>> mark = marked({"MAXIN_MARK": "outer"})["MAXIN_MARK"]
    >>> mark.startswith("outer:"), mark == marked({"MAXIN_MARK": "outer"})["MAXIN_MARK"]
    (True, True)
    """
    return _reaper.marked(environment)


class Reaper:
    """Our end of the pipe. The helper is started on first use, and again if it was killed."""

    def __init__(self) -> None:
        self._mark = f"{os.getpid()}-{os.urandom(8).hex()}"
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._pipe: int | None = None

    def watch(self, pid: int) -> None:
        """See the function `watch`."""
        with self._lock:
            self._groups.add(pid)
            self._order(f"{pid}\n")

    def forget(self, pid: int) -> None:
        """See the function `forget`."""
        with self._lock:
            self._groups.discard(pid)
            self._order(f"{-pid}\n")

    def marked(self, environment: Mapping[str, str]) -> dict[str, str]:
        """See the function `marked`. Starts the helper first, so that it sees every process."""
        with self._lock:
            if self._pipe is None:
                self._start()
        outer = environment.get(MARK)
        return {**environment, MARK: f"{outer}:{self._mark}" if outer else self._mark}

    def abandon(self) -> None:
        """Close our end of the pipe in a fork: the helper must notice when the original ends."""
        if self._pipe is not None:
            os.close(self._pipe)

    def _order(self, text: str) -> None:
        """Send an order. Short writes to a pipe are atomic, so orders never arrive in pieces."""
        try:
            if self._pipe is None:
                self._start()
            else:
                os.write(self._pipe, text.encode())
        except BrokenPipeError:  # the helper was killed
            self._start()

    def _start(self) -> None:
        """Start a helper and send it every running group."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
        theirs, ours = os.pipe()  # not inherited by what we start, or it would never close
        try:
            _run_helper(theirs, self._mark)
            os.write(ours, "".join(f"{pid}\n" for pid in self._groups).encode())
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        self._pipe = ours


def _run_helper(orders: int, mark: str) -> None:
    """Start the helper and return once it reads orders: it forks, and the fork stays behind."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), mark],
        stdin=orders,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
        check=False,
    )
    if done.returncode:
        problem = f"the helper process that cleans up matches exited with code {done.returncode}"
        raise OSError(errno.EAGAIN, problem)


def _start_afresh() -> None:
    """Give a fork of this process its own groups, helper and mark."""
    global _reaper
    _reaper.abandon()
    _reaper = Reaper()


_reaper = Reaper()
os.register_at_fork(after_in_child=_start_afresh)
