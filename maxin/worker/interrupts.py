"""Interrupts: one Ctrl-C finishes running matches, a second one kills them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Counts SIGINT (Ctrl-C) and SIGTERM.

    While `is_blocked`, nobody looks at the count. The first one then ends a run that has nothing
    to lose, and the second one any run, at once.

    Args:
        is_busy: whether there are matches or results that a sudden end would lose.
    """

    def __init__(self, is_busy: Callable[[], bool] = lambda: True) -> None:
        self._is_busy = is_busy
        self.times = 0
        self.is_blocked = False
        self._seen = 0

    def are_new(self) -> bool:
        """Whether a signal came since the last call."""
        is_new = self.times > self._seen
        self._seen = self.times
        return is_new

    def block(self) -> None:
        """Note that nobody looks at the count from now on."""
        self.is_blocked = True
        self._end_if_blocked()

    def _end_if_blocked(self) -> None:
        if self.is_blocked and self.times > self._is_busy():
            raise KeyboardInterrupt

    @contextmanager
    def counted(self, wake: Callable[[], None]) -> Iterator[None]:
        """Count signals instead of ending the process; only the main thread receives them."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def note(number: int, frame: FrameType | None) -> None:
            self.times += 1
            wake()
            self._end_if_blocked()

        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
