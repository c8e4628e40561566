"""Leases: which process holds a match, and whether it is still there."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxin.core.text import duration
from maxin.storage import Lease
from maxin.storage.machine import CLOCK_SKEW, boot_id, uptime

if TYPE_CHECKING:
    from maxin.tournament.record.record import Record

TICK = 0.01  # seconds: the uptime is counted in hundredths
LEASE_CHECK = 1.0  # seconds between two searches for lapsed leases
GRACE = 30.0  # seconds that others have to renew their leases when a lost server is back


class Leases:
    """Who has the matches that were handed out and have no result, and which are free again.

    Args:
        record: of the tournament.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._next_check = 0.0
        self._has_warned = False  # of a clock that is wrong

    def lapsed(self) -> list[Lease]:
        """The leases that have lapsed; while there are none, it looks only once in a while."""
        record = self._record
        if time.monotonic() < max(self._next_check, record.lost_at + GRACE):
            return []
        now, leases = record.store.now(), record.store.leases()
        self._check_clock([time.time() - now, *(clock_skew(lease, now) for lease in leases)])
        pending = record.state.pending
        found = [lease for lease in leases if lease.match in pending and is_lapsed(lease, now)]
        self._next_check = 0.0 if found else time.monotonic() + LEASE_CHECK
        return found

    def look_again(self) -> None:
        """Look for lapsed leases at the next chance: one was ended."""
        self._next_check = 0.0

    def may_come_back(self) -> bool:
        """Whether a pending match of nobody else may be handed out again, now or soon.

        Its lease has lapsed, or it is ours: it was asked for when the server was lost, and nobody
        here knows of it.
        """
        record = self._record
        now, pending = record.store.now(), record.state.pending
        return any(
            lease.match in pending and (lease.worker == record.worker or is_lapsed(lease, now))
            for lease in record.store.leases()
        )

    def held(self) -> dict[int, dict[str, Any]]:
        """By match, who has it, since when, for how long, and its fence, as in a `Ticket`."""
        store = self._record.store
        now, last = store.now(), store.handed_out()
        return {
            lease.match: {
                "worker": holder(lease.worker),
                "since": last[lease.match][0],
                "remaining": remaining(lease, now),
                "fence": last[lease.match][1],
            }
            for lease in store.leases()
            if lease.match in last
        }

    def _check_clock(self, skews: Iterable[float]) -> None:
        """Warn once if a clock is wrong: leases hold, but the times in the record do not."""
        skew = max(skews, key=abs)
        if abs(skew) > CLOCK_SKEW and not self._has_warned:
            self._has_warned = True
            way = "ahead of" if skew > 0 else "behind"
            self._record.store.notice(
                f"the clock of this process is {duration(abs(skew))} {way} that of the store or of "
                "another process; leases do not depend on it, but the times of results do"
            )


def process_name() -> str:
    """A unique name for this process: machine, process number, and a random token."""
    return f"{_here()}|{os.getpid()}|{secrets.token_hex(4)}"


def is_lapsed(lease: Lease, now: float) -> bool:
    """Whether a ticket may be handed out again: its holder has ended, or its time is over."""
    return remaining(lease, now) <= 0.0


def remaining(lease: Lease, now: float) -> float:
    """Seconds until a ticket may be handed out again; 0 if its holder has ended.

    The time of a lease from this machine is measured by uptime, because clocks may be changed. A
    lease from elsewhere that begins in the future is from before the clock was set back, and no
    longer counts.

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
