"""A cache shared by concurrent requests."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

MOST_KEPT = 64  # those of older boards are the first to go
Made = TypeVar("Made")


class SharedCache(Generic[Made]):
    """Makes each thing once for all who ask, in a thread, one after the other.

    The latest are kept.
    """

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[str, ...], asyncio.Future[Made]] = OrderedDict()
        self._turn = asyncio.Lock()

    async def get(self, key: tuple[str, ...], make: Callable[[], Made]) -> Made:
        """The value under this key; `make` is called if there is none."""
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = asyncio.ensure_future(self._make(make))
        self._made.move_to_end(key)
        while len(self._made) > MOST_KEPT:
            self._made.popitem(last=False)
        try:
            return await asyncio.shield(found)
        except Exception:
            self._made.pop(key, None)
            raise

    async def _make(self, make: Callable[[], Made]) -> Made:
        async with self._turn:
            return await asyncio.to_thread(make)
