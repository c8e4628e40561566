"""Interrupts: one Ctrl-C finishes running matches, a second one kills them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Counts SIGINT (Ctrl-C) and SIGTERM.

    While `is_blocked`, nobody looks at the count, so the second one ends the run at once.
    """

    def __init__(self) -> None:
        self.times = 0
        self.is_blocked = False
        self._seen = 0

    def are_new(self) -> bool:
        """Whether there was one since the last call."""
        is_new = self.times > self._seen
        self._seen = self.times
        return is_new

    @contextmanager
    def counted(self, wake: Callable[[], None]) -> Iterator[None]:
        """Count signals instead of ending the process; only the main thread receives them."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def note(number: int, frame: FrameType | None) -> None:
            self.times += 1
            wake()
            if self.is_blocked and self.times > 1:
                raise KeyboardInterrupt

        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
