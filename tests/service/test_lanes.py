import asyncio
import threading
from functools import partial

import pytest

from maxin.service.access.refusal import Refusal
from maxin.service.lanes import Lane
from maxin.service.shared_cache import MOST_KEPT, Made, SharedCache
from tests.helpers.waiting import LONG


def test_only_so_many_wait_and_other_lanes_do_not():
    async def ask():
        lane, other, blocked = Lane("a", 2), Lane("b"), threading.Event()
        waiting = [asyncio.create_task(lane.run(partial(blocked.wait, LONG))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal, match="2 requests for a wait") as refused:
            await lane.run(lambda: 1)
        assert dict(refused.value.headers)["retry-after"]
        assert await other.run(lambda: 2) == 2
        blocked.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert await lane.run(lambda: 3) == 3
        lane.close()
        other.close()

    asyncio.run(ask())


def test_a_cache_makes_a_thing_once_and_keeps_a_bounded_number_of_bytes():
    made = []

    def make(key, size):
        made.append(key)
        return Made(b"x" * size)

    async def ask():
        cache, lane = SharedCache(most_bytes=100), Lane("a")

        async def get(key, size):
            return (await cache.get((key,), lane, partial(make, key, size))).body

        assert await asyncio.gather(*(get("one", 40) for _ in range(9))) == [b"x" * 40] * 9
        await get("two", 40)
        await get("one", 40)
        assert made == ["one", "two"]
        await get("three", 40)
        assert (cache.size, made) == (80, ["one", "two", "three"])
        await get("one", 40)  # it was used later than two
        assert len(made) == 3
        assert len(await get("large", 1_000)) == 1_000
        assert cache.size == 0
        for number in range(2 * MOST_KEPT):
            await get(number, 1)
        assert cache.size == MOST_KEPT
        lane.close()

    asyncio.run(ask())


def test_what_could_not_be_made_is_made_again():
    async def ask():
        cache, lane, answers = SharedCache(), Lane("a"), [None, Made(b"x")]

        def make():
            found = answers.pop(0)
            if found is None:
                raise ValueError
            return found

        with pytest.raises(ValueError, match=r"^$"):
            await cache.get(("key",), lane, make)
        assert (await cache.get(("key",), lane, make)).body == b"x"
        lane.close()

    asyncio.run(ask())
