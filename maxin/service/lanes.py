"""Lanes: threads for what requests need, so that what is cheap waits for nothing that is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from maxin.service.access.refusal import Refusal

MOST_WAITING = 64  # in a lane
RETRY_AFTER = 2  # seconds, for those who come after them
Done = TypeVar("Done")


class Lane:
    """A thread that does what requests need, one thing after the other, while few enough wait.

    Args:
        name: of the thread.
        most: how many things may wait, the one that is being done included.
    """

    def __init__(self, name: str, most: int = MOST_WAITING) -> None:
        self._name, self._most, self._n_waiting = name, most, 0
        self._thread = ThreadPoolExecutor(1, f"maxin {name}")

    async def run(self, make: Callable[[], Done]) -> Done:
        """What `make` returns, in our turn; raises `Refusal` if too many wait."""
        if self._n_waiting >= self._most:
            detail = f"{self._most} requests for {self._name} wait, which is the limit; try again"
            raise Refusal(503, detail, retry_after=RETRY_AFTER)
        self._n_waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, make)
        finally:
            self._n_waiting -= 1

    def close(self) -> None:
        """Drop what waits; a thing that is being done is finished."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class Lanes:
    """The lanes of a service, by what their things cost and by who waits for them."""

    def __init__(self) -> None:
        self.board = Lane("standings")  # made of the board, which is in memory
        self.record = Lane("matches")  # reads some rows of the record
        self.match = Lane("a match")  # makes pages of long texts, which programs wrote
        self.whole = Lane("slices", 8)  # reads all rows, and fits them
        self.outputs = Lane("outputs", 1_000)  # every voter waits for its own
        self.admin = Lane("organisers")  # must work whatever viewers do

    def close(self) -> None:
        """Drop what waits in all of them."""
        for lane in vars(self).values():
            lane.close()
