"""A cache shared by concurrent requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import NamedTuple

from maxin.service.lanes import Lane

MOST_KEPT = 64  # things; those of older boards are the first to go
MOST_BYTES = 1 << 25  # of all that is kept
Key = tuple[Hashable, ...]


class Made(NamedTuple):
    """A body as it is sent; if `packed` is not empty, it is the same by gzip."""

    body: bytes
    packed: bytes = b""

    @property
    def size(self) -> int:
        """How many bytes both have."""
        return len(self.body) + len(self.packed)


class SharedCache:
    """Makes each thing once for all who ask, in a lane, and keeps the latest of them.

    Args:
        most_bytes: how much is kept.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._made: dict[Key, Made] = {}  # the one that was used last comes last
        self._making: dict[Key, asyncio.Task[Made]] = {}

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return sum(made.size for made in self._made.values())

    async def get(self, key: Key, lane: Lane, make: Callable[[], Made]) -> Made:
        """The thing under this key; `make` is called if there is none."""
        if key in self._made:
            made = self._made[key] = self._made.pop(key)
            return made
        if key not in self._making:
            making = self._making[key] = asyncio.create_task(self._make(key, lane, make))
            making.add_done_callback(_note_error)
        return await asyncio.shield(self._making[key])

    async def _make(self, key: Key, lane: Lane, make: Callable[[], Made]) -> Made:
        try:
            made = self._made[key] = await lane.run(make)
        finally:
            del self._making[key]
        while len(self._made) > MOST_KEPT or self.size > self._most_bytes:
            del self._made[next(iter(self._made))]
        return made


def _note_error(making: asyncio.Task[Made]) -> None:
    """Take note of an error, also if whoever asked has gone."""
    if not making.cancelled():
        making.exception()
