"""A stream of server-sent events that says when the live state has changed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from maxin.service.board import LiveBoard, LiveState

HEARTBEAT = 15.0  # seconds between two signs of life, so that a proxy keeps the connection
HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # nginx passes each event on at once
}


async def board_events(board: LiveBoard, last_id: str | None) -> AsyncIterator[bytes]:
    """One event per state of the board; slow viewers get the latest only.

    Args:
        board: whose state is sent.
        last_id: the last event that this viewer got before its connection broke.
    """
    yield b"retry: 2000\n\n"
    sent = int(last_id) if last_id and last_id.isdecimal() else -1
    while board.is_open:
        state = board.state if board.state.seq != sent else await board.news(sent, HEARTBEAT)
        if state is None:
            yield b": still here\n\n"
        else:
            sent = state.seq
            yield event(state)


def event(state: LiveState) -> bytes:
    """An event in the format of HTTP."""
    return f"id: {state.seq}\nevent: board\ndata: {json.dumps(state.event())}\n\n".encode()
