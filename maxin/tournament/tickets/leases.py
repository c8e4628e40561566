"""Who holds a ticket, and whether they are still there."""

from __future__ import annotations

import os
import secrets
import socket

from maxin.storage import Lease

SLACK = 60.0  # seconds that clocks of different machines may differ


def our_name() -> str:
    """A name for this process: its machine, its number there, and a token of its own."""
    return f"{_here()}|{os.getpid()}|{secrets.token_hex(4)}"


def is_lapsed(lease: Lease, now: float) -> bool:
    """Whether a ticket may be handed out again.

    Its time is over, or its holder was a process of this machine that is gone. A lease that
    begins in the future was written before the clock was set back: it says nothing any more.
    """
    is_over = lease.until <= now
    is_from_the_future = lease.since > now + SLACK
    return is_over or is_from_the_future or _is_dead(lease.worker)


def _is_dead(worker: str) -> bool:
    """Whether `worker` was here and is no more; of other machines nothing is known."""
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
    """This machine, and which of its process tables: containers number their own."""
    try:
        table = os.readlink("/proc/self/ns/pid")
    except OSError:
        table = ""
    return f"{socket.gethostname()}{table}"
