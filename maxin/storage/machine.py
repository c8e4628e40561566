"""This machine: which start of it this is, and how long ago that was."""

from __future__ import annotations

from functools import cache
from pathlib import Path

CLOCK_SKEW = 60.0  # seconds that two clocks may differ


@cache
def boot_id() -> str:
    """The identifier of this start of the machine; empty where the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def uptime() -> float:
    """Seconds since the machine was started, the same in every process, whatever its clock says.

    0 where the system does not say.
    """
    try:
        return float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    except OSError:
        return 0.0
