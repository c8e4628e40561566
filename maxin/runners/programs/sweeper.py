"""The reaper's helper program: waits until its parent has ended, then kills what is left.

It runs by its path in a bare interpreter, so it imports only a few built-in modules.
`maxin.runners.programs.reaper` starts it and sends it orders.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable

ROUNDS = 100  # searches for strays at most: five seconds
QUIET = 6  # searches in a row without a stray that end the search
PAUSE = 0.05  # seconds between searches


def main(mark: str) -> None:
    """Read orders from standard input until it closes; then kill every group still listed."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if os.fork():
        os._exit(0)  # so that the process that started us need not wait for us later
    with open(0, "rb") as orders:
        left = still_running(orders)
    for group in left:
        _kill(-group)
    sweep(mark)


def still_running(orders: Iterable[bytes]) -> set[int]:
    r"""The groups that have started (order `number`) and not ended (order `-number`).

    >>> still_running([b"12\n", b"13\n", b"-12\n"])
    {13}
    """
    groups: set[int] = set()
    for order in orders:
        number = int(order)
        if number > 0:
            groups.add(number)
        else:
            groups.discard(-number)
    return groups


def sweep(mark: str) -> None:
    """Kill every process with `mark` in its environment, until none has appeared for a while.

    A process that was just being started shows its environment only a moment later.
    """
    n_quiet = 0
    for _ in range(ROUNDS):
        found = marked(mark)
        for process in found:
            _kill(process)
        n_quiet = 0 if found else n_quiet + 1
        if n_quiet == QUIET:
            return
        time.sleep(PAUSE)


def marked(mark: str) -> list[int]:
    """The processes that carry `mark`; none on systems without `/proc`."""
    numbers = os.listdir("/proc") if os.path.isdir("/proc") else []
    return [int(number) for number in numbers if number.isdigit() and carries(number, mark)]


def carries(number: str, mark: str) -> bool:
    """Whether the process `number` has `mark` in its environment."""
    try:
        with open(f"/proc/{number}/environ", "rb") as environment:
            return mark.encode() in environment.read()
    except OSError:
        return False  # it has ended, or belongs to another user


def _kill(process: int) -> None:
    """Kill a process, or a process group if the number is negative."""
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1])
