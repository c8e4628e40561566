"""What a service consists of."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Unpack

from maxin.core import Stop, StopTerms
from maxin.service.access.callers import Authenticator
from maxin.service.access.connections import Connections
from maxin.service.access.guards import Hosts
from maxin.service.access.limits import Streams
from maxin.service.access.tokens import Tokens
from maxin.service.arena.pairs import VoteArena
from maxin.service.board import LiveBoard
from maxin.service.group_writer import GroupWriter
from maxin.service.lanes import Lanes
from maxin.service.pages.live import Site
from maxin.service.shared_cache import SharedCache
from maxin.tournament import Tournament
from maxin.tournament.record.commands import RecordCommand

PATIENCE = 10.0  # seconds that a request waits for the store
LONGEST_CLOSE = 1.0  # seconds for what has arrived to be written


class Queue:
    """Those who wait for a match, first come, first served.

    Each result wakes one, and whoever gets a match wakes the next: so few ask in vain. If nobody
    waits, it counts for the one who comes next, who may have asked just before the result.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_turn = False  # of the one who comes next

    def __len__(self) -> int:
        return len(self._waiting)

    def wake(self) -> None:
        """Wake the first."""
        while self._waiting:
            first = self._waiting.popleft()
            if not first.done():
                first.set_result(None)
                return
        self._is_turn = True

    def join(self) -> asyncio.Future[None]:
        """A future that is done when it is our turn; cancel it to leave the queue."""
        turn = asyncio.get_running_loop().create_future()
        if self._is_turn:
            self._is_turn = False
            turn.set_result(None)
        else:
            self._waiting.append(turn)
        return turn


@dataclass
class Service:
    """A tournament on the network.

    Args:
        tournament: what is served. Its lock is held while a group is written, so the event loop
            never reads it: the writer and the board do.
        writer: writes to it.
        board: reads it, for all viewers.
        tokens: who may.
        hosts: the names under which the service may be called.
    """

    tournament: Tournament
    writer: GroupWriter
    board: LiveBoard
    tokens: Tokens
    hosts: Hosts
    connections: Connections = field(default_factory=Connections)
    streams: Streams = field(default_factory=Streams)
    lanes: Lanes = field(default_factory=Lanes)
    cache: SharedCache = field(default_factory=SharedCache)
    patience: float = PATIENCE
    queue: Queue = field(default_factory=Queue)
    arena: VoteArena = field(default_factory=VoteArena)
    closing: asyncio.Event = field(default_factory=asyncio.Event)  # streams end when it is set

    def __post_init__(self) -> None:
        self.authenticator = Authenticator(self.tokens, is_local=self.hosts.is_local)
        self.site = Site(self.tournament, self.board, self.lanes, self.cache)

    @classmethod
    def of(
        cls, tournament: Tournament, *, hosts: Hosts | None = None, **terms: Unpack[StopTerms]
    ) -> Service:
        """A service of a tournament that can choose matches; the terms are those of `Stop`."""
        tournament.settings.check_can_choose()
        stop = Stop(**terms)
        writer = GroupWriter(tournament, stop)
        board = LiveBoard(tournament, stop, trouble=writer.trouble, over=writer.session.over)
        tokens = Tokens(tournament.store)
        return cls(tournament, writer, board, tokens, hosts or Hosts("127.0.0.1"))

    def start(self) -> None:
        """Begin to work for the running event loop."""
        self.writer.start()
        self.board.start()
        self.writer.watch(self.board.nudge)

    async def close(self) -> None:
        """Have what has arrived written; not for long, as the store may be away."""
        self.closing.set()
        self.site.close()
        self.lanes.close()
        loop, closed = asyncio.get_running_loop(), asyncio.Event()

        def close() -> None:
            self.writer.close()
            self.board.close()  # no stream is left that it would wake from the wrong thread
            with suppress(RuntimeError):  # it took too long, and the loop has ended
                loop.call_soon_threadsafe(closed.set)

        threading.Thread(target=close, name="maxin service closes", daemon=True).start()
        with suppress(TimeoutError):
            await asyncio.wait_for(closed.wait(), LONGEST_CLOSE)

    async def apply(self, command: RecordCommand) -> Any:
        """The answer to a command; `TimeoutError` if it does not come in time."""
        async with asyncio.timeout(self.patience):
            return await self.writer.apply(command)
