"""The bell: a stream of server-sent events that says when to look at the board again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from maxin.service.board import LiveBoard, Seen

HEARTBEAT = 15.0  # seconds between two signs of life, so that a proxy keeps the connection
HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # nginx passes each event on at once
}


async def bells(board: LiveBoard, last_id: str | None) -> AsyncIterator[bytes]:
    """One event per board; whoever is slow gets the latest only.

    Args:
        board: what is heard of.
        last_id: the last event that this viewer heard before its connection broke.
    """
    yield b"retry: 2000\n\n"
    heard = int(last_id) if last_id and last_id.isdecimal() else -1
    while board.is_open:
        seen = board.seen if board.seen.seq != heard else await board.news(heard, HEARTBEAT)
        if seen is None:
            yield b": still here\n\n"
        else:
            heard = seen.seq
            yield event(seen)


def event(seen: Seen) -> bytes:
    """A bell as it is sent."""
    return f"id: {seen.seq}\nevent: board\ndata: {json.dumps(seen.bell())}\n\n".encode()
