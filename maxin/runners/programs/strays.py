"""End the processes that left the group of their match, such as daemons.

Linux only. We adopt orphans (`PR_SET_CHILD_SUBREAPER`): when the leader of a match ends, each
process that it leaves becomes our child, or stays a descendant of one. All of them carry the mark
of the match in their environment, unless they erase it. We kill those of our children that carry it
or are in the session of the match, and adopt their children in turn, until there are none.

An orphan without a mark, in a session of its own, is left alone: the program around us may start
daemons too, and we adopt those as well.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import signal
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from maxin.runners.programs import reaper, sweeper

PR_SET_CHILD_SUBREAPER = 36  # from linux/prctl.h
ROUNDS = 1_000  # searches at most: a match may start processes faster than they can be killed
TICK = 0.001  # seconds between two looks at a process that is being killed

_numbers = itertools.count(1)


def marked(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process we are about to start, with a mark of its own at the end.

    >>> marked({})["MAXIN_MARK"] == marked({})["MAXIN_MARK"]
    False
    """
    _adopt_orphans(os.getpid())
    found = reaper.marked(environment)
    # The dot at the end keeps number 1 from being found in number 10.
    return {**found, reaper.MARK: f"{found[reaper.MARK]}.{next(_numbers)}."}


def end(environment: Mapping[str, str], group: int) -> None:
    """Kill all that a process left. Call this after it was killed and waited for.

    Args:
        environment: the environment of the process, from `marked`.
        group: its number, and that of its group.
    """
    if not _adopt_orphans(os.getpid()):
        return
    mark = environment[reaper.MARK].rpartition(":")[2]
    for _ in range(ROUNDS):
        if not [child for child in _children() if _has_ended(child, mark, group)]:
            break
    _reap(group)


@cache
def _adopt_orphans(pid: int) -> bool:
    """Become the parent of orphans, once per process; False if the system cannot do it."""
    if not sys.platform.startswith("linux"):
        return False
    prctl = ctypes.CDLL(None).prctl
    return bool(prctl(PR_SET_CHILD_SUBREAPER, *map(ctypes.c_ulong, (1, 0, 0, 0))) == 0)


def _children() -> list[int]:
    """Our children, orphans included: the system gives those to the main thread."""
    pid = os.getpid()
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _has_ended(child: int, mark: str, group: int) -> bool:
    """Kill the child and wait for it, if it is of this match; whether that was done."""
    try:
        session = os.getsid(child)
        if session == os.getsid(0):
            return False  # every match runs in its own sessions
        if _is_reaped(child, session):
            return False
        if session != group and not sweeper.carries(str(child), mark):
            return False
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, PermissionError, ChildProcessError):
        return False
    return True


def _is_reaped(child: int, session: int) -> bool:
    """Wait for the child if it is dead and nobody else will; whether it was.

    A process that was started here is in our session or leads its own, and whoever started it wants
    its exit code. A member of any other session was adopted.
    """
    if session == child:
        return False
    try:
        return os.waitpid(child, os.WNOHANG)[0] == child
    except ChildProcessError:
        return False


def _reap(group: int) -> None:
    """Wait for the orphans of the group, which are dead or being killed, so that none stays."""
    with contextlib.suppress(ChildProcessError):
        for _ in range(ROUNDS):
            if os.waitpid(-group, os.WNOHANG)[0] == 0:
                time.sleep(TICK)
