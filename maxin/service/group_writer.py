"""The group writer: one thread applies the commands of all callers, a group at a time."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from maxin.core import Stop
from maxin.storage import StoreFailed, StoreLost
from maxin.storage.database.waiting import Notice
from maxin.tournament import Tournament
from maxin.tournament.record.commands import RecordCommand
from maxin.tournament.record.session import Session
from maxin.tournament.tournament import session_of
from maxin.worker.source import ASK, Ask, Idle

MOST_TOGETHER = 256  # commands in one group
TROUBLE_LASTS = 60.0  # seconds after a failure, if nobody tries again


class Over(Exception):
    """No more matches are handed out; the message says why.

    Args:
        idle: why.
    """

    def __init__(self, idle: Idle) -> None:
        super().__init__(idle.reason)
        self.kind = idle.kind


class Trouble:
    """What is wrong with the store, as those who use it have seen last.

    Args:
        notice: is told the cause once, when it is new.
        clock: seconds.

    >>> trouble = Trouble(print)
    >>> trouble.note("writer", StoreFailed("league.db failed: disk is full", reason="disk is full"))
    league.db failed: disk is full
    >>> trouble.reason
    'disk is full'
    >>> trouble.note("writer", None), trouble.reason
    (None, None)
    """

    def __init__(self, notice: Notice, clock: Callable[[], float] = time.monotonic) -> None:
        self._notice, self._clock = notice, clock
        self._turn = threading.Lock()
        self._failures: dict[str, tuple[StoreFailed, float]] = {}  # by who saw it, and when

    def note(self, user: str, error: StoreFailed | None) -> None:
        """Note how the last use of the store went; None if it went well."""
        with self._turn:
            if error is None:
                self._failures.pop(user, None)
                return
            known = {str(failure) for failure, _ in self._failures.values()}
            self._failures[user] = error, self._clock()
        if str(error) not in known and not isinstance(error, StoreLost):
            self._notice(str(error))  # outages are announced by the code that waits

    @property
    def reason(self) -> str | None:
        """What is wrong, without the address of the store; None if nothing is."""
        with self._turn:
            since = self._clock() - TROUBLE_LASTS
            found = [error for error, at in self._failures.values() if at >= since]
        return (found[0].reason or "it cannot be reached") if found else None


class _Order(NamedTuple):
    """What a caller waits for: a command, or a call that is made alone."""

    future: asyncio.Future[Any]
    command: RecordCommand | None
    call: Callable[[], Any] | None = None


class GroupWriter:
    """Takes commands from the event loop and applies them in a thread of its own.

    What arrives while a group is being written is the next group. So a lone caller waits for one
    transaction, and many share one. When an answer is given, everything is on disk.

    Args:
        tournament: what is served; only this thread writes to it.
        stop: when the tournament ends.
    """

    def __init__(self, tournament: Tournament, stop: Stop = Stop()) -> None:
        self.session: Session = session_of(tournament, stop, serves=True)
        self.over: Idle | None = None
        self.trouble = Trouble(tournament.store.notice)
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="maxin writer", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watchers: list[Callable[[], None]] = []

    def start(self) -> None:
        """Begin to work for the running event loop."""
        self._loop = asyncio.get_running_loop()
        self.over = self.session.over()
        self._thread.start()

    def close(self) -> None:
        """Apply what has arrived, and end."""
        self._orders.put(None)
        self._thread.join()

    @property
    def is_alive(self) -> bool:
        """Whether its thread works."""
        return self._thread.is_alive()

    def watch(self, watcher: Callable[[], None]) -> None:
        """Have a function called on the event loop after every group."""
        self._watchers.append(watcher)

    async def apply(self, command: RecordCommand) -> Any:
        """The answer to a command, or its error."""
        if command.rank == ASK and self.over is not None:
            raise Over(self.over)
        return await self._answer(command, None)

    async def call(self, act: Callable[[], Any]) -> Any:
        """Call a function alone, between two groups; returns what it returns."""
        return await self._answer(None, act)

    async def _answer(self, command: RecordCommand | None, act: Callable[[], Any] | None) -> Any:
        assert self._loop is not None
        future = self._loop.create_future()
        if isinstance(command, Ask):
            command = command._replace(is_cancelled=future.done)
        self._orders.put(_Order(future, command, act))
        return await future

    # In the thread

    def _work(self) -> None:
        is_open = True
        while is_open:
            orders: list[_Order] = []
            first = self._orders.get()
            while first is not None:
                orders.append(first)
                if len(orders) >= MOST_TOGETHER:
                    break
                try:
                    first = self._orders.get_nowait()
                except queue.Empty:
                    break
            is_open = first is not None
            self._serve(orders)

    def _serve(self, orders: Sequence[_Order]) -> None:
        commanded = [order for order in orders if order.call is None]
        answers = list(zip(commanded, self._applied(commanded), strict=True))
        for order in orders:
            if order.call is not None:
                answers.append((order, _answer_of(order.call)))
        failed = [answer for _, answer in answers if isinstance(answer, StoreFailed)]
        with suppress(StoreFailed):
            self.over = self.session.over()
        if answers:
            self.trouble.note("writer", failed[0] if failed else None)
        self._send(answers)

    def _applied(self, orders: Sequence[_Order]) -> list[Any]:
        """The answer to each; the same error for all if the server is lost."""
        try:
            return self.session.apply(list(filter(None, (one.command for one in orders))))
        except Exception as error:
            return [error] * len(orders)

    def _send(self, answers: Sequence[tuple[_Order, Any]]) -> None:
        def send() -> None:
            for order, answer in answers:
                if order.future.done():  # whoever asked has gone
                    continue
                if isinstance(answer, Exception):
                    order.future.set_exception(answer)
                else:
                    order.future.set_result(answer)
            for watcher in self._watchers:
                watcher()

        assert self._loop is not None
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(send)


def _answer_of(act: Callable[[], Any]) -> Any:
    """Call a function; returns its answer, or the error that it raised."""
    try:
        return act()
    except Exception as error:
        return error
