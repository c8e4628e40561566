"""Nothing survives us: whatever we started is killed when we are gone, however we went.

A small helper process in a session of its own reads from a pipe which groups of processes are
running. The pipe closes when we end, by `SIGKILL` too, and the helper kills the groups still
listed. Then it looks for strays: every process we start carries a mark in its environment, which
its children inherit, so it finds what was being started at that very moment and what left its
group. POSIX only; the search for strays needs Linux.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

MARK = "MAXIN_MARK"  # the environment variable; marks of a run within a run are joined by colons
PROGRAM = Path(__file__).resolve().with_name("sweeper.py")


def watch(pid: int) -> None:
    """Kill the process group `pid` when we are gone. Call it as soon as the group has started."""
    _reaper.watch(pid)


def forget(pid: int) -> None:
    """The group has ended. Call it before its leader is waited for, while its number is ours."""
    _reaper.forget(pid)


def marked(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` for a process we are about to start, with the mark by which it is found.

    >>> mark = marked({"MAXIN_MARK": "outer"})["MAXIN_MARK"]
    >>> mark.startswith("outer:"), mark == marked({"MAXIN_MARK": "outer"})["MAXIN_MARK"]
    (True, True)
    """
    return _reaper.marked(environment)


class Reaper:
    """Our end of the pipe. The helper is started when first needed, and again if it was killed."""

    def __init__(self) -> None:
        self._mark = f"{os.getpid()}-{os.urandom(8).hex()}"
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._pipe: int | None = None

    def watch(self, pid: int) -> None:
        """See the function of this name."""
        with self._lock:
            self._groups.add(pid)
            self._order(f"{pid}\n")

    def forget(self, pid: int) -> None:
        """See the function of this name."""
        with self._lock:
            self._groups.discard(pid)
            self._order(f"{-pid}\n")

    def marked(self, environment: Mapping[str, str]) -> dict[str, str]:
        """See the function of this name. From here on the helper runs: no start goes unseen."""
        with self._lock:
            if self._pipe is None:
                self._start()
        outer = environment.get(MARK)
        return {**environment, MARK: f"{outer}:{self._mark}" if outer else self._mark}

    def abandon(self) -> None:
        """Close our end, in a fork of us: only the original's death is the helper's sign."""
        if self._pipe is not None:
            os.close(self._pipe)

    def _order(self, text: str) -> None:
        """A short write to a pipe is whole or not at all, so orders never arrive in pieces."""
        try:
            if self._pipe is None:
                self._start()
            else:
                os.write(self._pipe, text.encode())
        except BrokenPipeError:  # somebody killed the helper
            self._start()

    def _start(self) -> None:
        """Start a helper and tell it of every running group."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
        theirs, ours = os.pipe()  # closed in whatever we start; else the helper would never know
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
    """Returns once the helper listens: it leaves a fork of itself behind."""
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
        problem = f"the process that looks after matches ended with {done.returncode}"
        raise OSError(errno.EAGAIN, problem)


def _start_afresh() -> None:
    """A fork of us has groups, a helper and a mark of its own."""
    global _reaper
    _reaper.abandon()
    _reaper = Reaper()


_reaper = Reaper()
os.register_at_fork(after_in_child=_start_afresh)
