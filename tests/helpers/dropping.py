"""A network that loses answers: the service does what is asked, and nobody hears of it."""

import asyncio
import threading
from contextlib import contextmanager, suppress

from tests.helpers.waiting import LONG


class DroppingProxy:
    """Passes requests on, and closes the connection in place of every n-th answer."""

    def __init__(self, address, every):
        self._address, self._every = address, every
        self.n_answers = self.n_dropped = 0
        self._connections = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(LONG)

    @property
    def url(self):
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    def close(self):
        self._loop.call_soon_threadsafe(self._main.cancel)
        self._thread.join(LONG)

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._main = self._loop.create_task(self._serve())
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._main)
        if tasks := list(self._connections):
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.wait(tasks))
        self._loop.close()

    async def _serve(self):
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0, backlog=2048)
        async with self._server:
            self._ready.set()
            await asyncio.Event().wait()

    async def _connect(self, near_reader, near_writer):
        writers, ways, task = [near_writer], [], asyncio.current_task()
        self._connections.add(task)
        try:
            with suppress(OSError, asyncio.CancelledError):
                far_reader, far_writer = await asyncio.open_connection(*self._address)
                writers.append(far_writer)
                ways.append(asyncio.ensure_future(_copy(near_reader, far_writer)))
                ways.append(asyncio.ensure_future(self._answers(far_reader, near_writer)))
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for writer in writers:
                writer.transport.abort()
            await asyncio.gather(*ways, *(w.wait_closed() for w in writers), return_exceptions=True)
            self._connections.discard(task)

    async def _answers(self, reader, writer):
        with suppress(OSError):
            await self._pass_on(reader, writer)

    async def _pass_on(self, reader, writer):
        while data := await reader.read(1 << 16):
            if data.startswith(b"HTTP/1.1 "):
                self.n_answers += 1
                if self.n_answers % self._every == 0:
                    self.n_dropped += 1
                    return
            writer.write(data)
            await writer.drain()


async def _copy(reader, writer):
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()


@contextmanager
def dropping(address, every=5):
    """A proxy to a service, which loses one answer in so many."""
    proxy = DroppingProxy(address, every)
    try:
        yield proxy
    finally:
        proxy.close()
