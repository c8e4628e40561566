"""The reaper's own program: waits until the process that started it is gone, then kills the rest.

It is run by its path with a bare interpreter, so it imports nothing but a few built-in modules.
`maxin.runners.programs.reaper` talks to it.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable

ROUNDS = 100  # of looking for strays: five seconds
QUIET = 6  # rounds in a row that must find none
PAUSE = 0.05  # seconds between rounds


def main(mark: str) -> None:
    """Follow orders from standard input until it closes; then nothing that is listed may live."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if os.fork():
        os._exit(0)  # whoever started us need not wait for us later
    with open(0, "rb") as orders:
        left = still_running(orders)
    for group in left:
        _kill(-group)
    sweep(mark)


def still_running(orders: Iterable[bytes]) -> set[int]:
    r"""The groups that were begun, `number`, and not ended, `-number`.

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
    """Kill what carries `mark` in its environment, until a while has passed without finding any.

    For a process that was just being started shows its environment only a moment later.
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
    """The processes that carry `mark`; none where there is no `/proc` to look into.

    >>> marked("a mark that nobody has")
    []
    """
    numbers = os.listdir("/proc") if os.path.isdir("/proc") else []
    return [int(number) for number in numbers if number.isdigit() and _carries(number, mark)]


def _carries(number: str, mark: str) -> bool:
    try:
        with open(f"/proc/{number}/environ", "rb") as environment:
            return mark.encode() in environment.read()
    except OSError:
        return False  # gone, or somebody else's


def _kill(process: int) -> None:
    """Kill a process, or with a minus sign a group."""
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1])
