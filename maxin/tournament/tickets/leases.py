"""Leases: which process holds a ticket, and whether it is still there."""

from __future__ import annotations

import os
import secrets
import socket

from maxin.storage import Lease
from maxin.storage.machine import boot_id, uptime

TICK = 0.01  # seconds: the uptime is counted in hundredths
CLOCK_SKEW = 60.0  # seconds that two clocks may differ


def process_name() -> str:
    """A unique name for this process: machine, process number, and a random token."""
    return f"{_here()}|{os.getpid()}|{secrets.token_hex(4)}"


def is_lapsed(lease: Lease, now: float) -> bool:
    """Whether a ticket may be handed out again: its holder has ended, or its time is over.

    The time of a lease from this machine is counted from when it was started, because clocks are
    set. A lease from elsewhere that begins in the future is from before the clock was set back,
    and no longer counts.
    """
    if _has_ended(lease.worker):
        return True
    if _is_from_here(lease):
        return uptime() - lease.uptime + TICK >= lease.until - lease.since
    return lease.until <= now or lease.since > now + CLOCK_SKEW


def clock_skew(lease: Lease, now: float) -> float:
    """By how many seconds our clock is ahead of the one that dated this lease, as far as we know.

    >>> clock_skew(Lease(1, "afar", 1000.0, 1060.0), now=7000.0)
    0.0
    """
    return now - lease.since - (uptime() - lease.uptime) if _is_from_here(lease) else 0.0


def _is_from_here(lease: Lease) -> bool:
    """Whether a lease was written on this machine since it was started, by the same count.

    A container may count from its own start.
    """
    return bool(lease.boot) and lease.boot == boot_id() and lease.uptime <= uptime()


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
    except (PermissionError, OverflowError):
        return False
    return False


def _here() -> str:
    """This machine since it was started, and its process table: containers have their own.

    The name of the machine is not enough, as others may have the same.
    """
    try:
        table = os.readlink("/proc/self/ns/pid")
    except OSError:
        table = ""
    return f"{socket.gethostname()}/{boot_id()}{table}"
