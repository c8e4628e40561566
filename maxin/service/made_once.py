"""A cache shared by concurrent requests."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable

MOST_KEPT = 32


class MadeOnce:
    """Makes each thing once, in a thread; the latest are kept.

    >>> len(MadeOnce())
    0
    """

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[str, ...], asyncio.Future[bytes]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._made)

    async def get(self, key: tuple[str, ...], make: Callable[[], bytes]) -> bytes:
        """What `make` returns, which is called if nothing is kept under this key."""
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = asyncio.ensure_future(asyncio.to_thread(make))
            while len(self._made) > MOST_KEPT:
                self._made.popitem(last=False)
        try:
            return await asyncio.shield(found)
        except Exception:
            self._made.pop(key, None)
            raise
