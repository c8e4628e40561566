"""Leases: which process holds a ticket, and whether it is still there."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path
from typing import NamedTuple

from maxin.storage import Lease
from maxin.storage.machine import boot_id, uptime

TICK = 0.01  # seconds: the uptime is counted in hundredths
CLOCK_SKEW = 60.0  # seconds that two clocks may differ


class HeldMatch(NamedTuple):
    """A pending match, and who has it.

    Args:
        match: its number.
        first: the player who sits first.
        second: the other one.
        worker: who was given the match: a process or a machine, or the `worker` of a `Tournament`.
        since: when it was handed out, in seconds since 1970; the last time, if there were several.
        remaining: seconds until it may be handed to somebody else; 0 if it may be now.

    >>> HeldMatch(7, "anna", "bo", "shell:office", 0.0, 540.0).remaining
    540.0
    """

    match: int
    first: str
    second: str
    worker: str
    since: float
    remaining: float


def process_name() -> str:
    """A unique name for this process: machine, process number, and a random token."""
    return f"{_here()}|{os.getpid()}|{secrets.token_hex(4)}"


def is_lapsed(lease: Lease, now: float) -> bool:
    """Whether a ticket may be handed out again: its holder has ended, or its time is over."""
    return remaining(lease, now) <= 0.0


def remaining(lease: Lease, now: float) -> float:
    """Seconds until a ticket may be handed out again; 0 if its holder has ended.

    The time of a lease from this machine is counted from when it was started, because clocks are
    set. A lease from elsewhere that begins in the future is from before the clock was set back,
    and no longer counts.

    >>> remaining(Lease(1, "afar", 1000.0, 1060.0), now=1015.0)
    45.0
    """
    if _has_ended(lease.worker):
        return 0.0
    if _is_from_here(lease):
        return max(0.0, lease.until - lease.since - (uptime() - lease.uptime) - TICK)
    return 0.0 if lease.since > now + CLOCK_SKEW else max(0.0, lease.until - now)


def holder(worker: str) -> str:
    """The holder of a ticket, to read: a process by its number and machine, others as they are.

    >>> holder("office/4f1c-99|4242|ab12"), holder("shell:office")
    ('process 4242 on office', 'shell:office')
    """
    place, _, rest = worker.partition("|")
    number, _, token = rest.partition("|")
    is_process = "/" in place and number.isdigit() and token
    return f"process {number} on {place.partition('/')[0]}" if is_process else worker


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
    return _is_zombie(int(number))


def _is_zombie(number: int) -> bool:
    """Whether a process has ended, and only its parent has not asked for its exit code yet."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] in ("Z", "X")  # after a name that may have blanks


def _here() -> str:
    """This machine since it was started, and its process table: containers have their own.

    The name of the machine is not enough, as others may have the same.
    """
    try:
        table = os.readlink("/proc/self/ns/pid")
    except OSError:
        table = ""
    return f"{socket.gethostname()}/{boot_id()}{table}"
