"""Leases: which process holds a ticket, and whether it is still there."""

from __future__ import annotations

import os
import secrets
import socket

from maxin.storage import Lease

CLOCK_SKEW = 60.0  # seconds that the clocks of different machines may differ


def process_name() -> str:
    """A unique name for this process: machine, process number, and a random token."""
    return f"{_here()}|{os.getpid()}|{secrets.token_hex(4)}"


def is_lapsed(lease: Lease, now: float) -> bool:
    """Whether a ticket may be handed out again.

    Its time is over, or its holder was a process of this machine that has ended. A lease that
    begins in the future was written before the clock was set back, and no longer counts.
    """
    is_over = lease.until <= now
    is_from_the_future = lease.since > now + CLOCK_SKEW
    return is_over or is_from_the_future or _has_ended(lease.worker)


def _has_ended(worker: str) -> bool:
    """Whether `worker` was a process of this machine that has ended; others are not known."""
    place, _, rest = worker.partition("|")
    number = rest.partition("|")[0]
    if place != _here() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _here() -> str:
    """This machine and its process table: containers have their own."""
    try:
        table = os.readlink("/proc/self/ns/pid")
    except OSError:
        table = ""
    return f"{socket.gethostname()}{table}"
