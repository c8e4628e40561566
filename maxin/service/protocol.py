"""HTTP as uvicorn speaks it, with limits for what a client sends, and a time for each phase."""

from __future__ import annotations

import asyncio
import math
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from maxin.service.access.connections import Connection, Connections, full
from maxin.service.access.guards import HEADERS
from maxin.service.access.refusal import Refusal
from maxin.service.api.problems import problem


class Protocol(HttpToolsProtocol):
    """One connection: a client that is too slow or too greedy is refused, else cut off.

    Args:
        connections: of the service.
        terms: those of uvicorn.
    """

    def __init__(self, connections: Connections, **terms: Any) -> None:
        super().__init__(**terms)
        self._connections, self._limits = connections, connections.limits
        self._deadline: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._unwritten = math.inf  # bytes that waited for the client when that was last checked
        self._n_bytes = self._n_unparsed = self._n_headers = 0
        self._in_head = self._in_body = self._is_over = False

    def connection_made(self, transport: Any) -> None:
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self._connection = Connection(self.client[0] if self.client else "", transport.abort)
        if self._connections.open(self._connection):
            self._expect(self._limits.head_time)
        else:
            self._is_over = True
            transport.write(self._encoded(full(f"it has {self._limits.most:,} connections")))
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._connections.close(self._connection)
        self._expect(None)
        if self._writing is not None:
            self._writing.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if self._is_over:
            return
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
            self._n_unparsed += len(data)
            if self._in_head and self._n_unparsed > self._limits.largest_head + self._limits.piece:
                raise self._head_too_large()
        except HttpParserUpgrade:
            pass  # we speak nothing else, so it is answered as any other request
        except HttpParserError as error:  # the reason for ours is its context
            reason = error.__context__
            usual = Refusal(400, "this is not a request of HTTP/1.1")
            self._refuse(reason if isinstance(reason, Refusal) else usual)
        except Refusal as refused:
            self._refuse(refused)
        if self._deadline is None and not self._connection.is_busy and not self._is_over:
            self._expect(self._limits.head_time)  # empty lines, for example, are no request

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._n_bytes = self._n_unparsed = self._n_headers = 0
        self._in_head = True
        if len(self.pipeline) >= self._limits.most_requests:
            raise Refusal(429, "too many requests arrived before the first one was answered")
        if self._deadline is None:
            self._expect(self._limits.head_time)

    def on_url(self, url: bytes) -> None:
        """A part of the address has arrived."""
        super().on_url(url)
        most = self._limits.largest_address
        if len(self.url) > most:
            raise Refusal(414, f"an address may have {most:,} bytes at most")

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header has arrived; some may also follow a body."""
        limits, size = self._limits, len(name) + len(value)
        self._n_bytes += size
        self._n_headers += 1
        if size > limits.largest_header:
            shown = name[:50].decode("latin-1").lower()
            detail = f"the header {shown} may have {limits.largest_header:,} bytes at most"
            raise Refusal(431, detail)
        if self._n_bytes > limits.largest_head or self._n_headers > limits.most_headers:
            raise self._head_too_large()
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head has arrived."""
        self._in_head, self._in_body = False, True
        self._expect(None)
        self.scope["maxin.connection"] = self._connection  # type: ignore[typeddict-unknown-key]
        super().on_headers_complete()
        self._connections.begin(self._connection)

    def on_message_complete(self) -> None:
        """The body has arrived, if there is one."""
        self._in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request is answered."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._watch_writing()
        elif self.cycle.response_complete:  # no other one waits
            self._connections.end(self._connection)
            if self._in_body:
                self._linger()  # nobody wants the rest of its body

    def timeout_keep_alive_handler(self) -> None:
        """No request has come for long; what the client takes slowly is watched."""
        if self.flow.write_paused:
            super().timeout_keep_alive_handler()
        else:
            self.transport.abort()

    def pause_writing(self) -> None:
        """The client takes less than it gets."""
        super().pause_writing()
        self._watch_writing()

    def resume_writing(self) -> None:
        """The client has taken nearly all."""
        super().resume_writing()
        self._unwritten = math.inf

    def _expect(self, seconds: float | None) -> None:
        """Cut the connection off after these seconds; None is for as long as it takes."""
        if self._deadline is not None:
            self._deadline.cancel()
        abort = self.transport.abort
        self._deadline = None if seconds is None else self.loop.call_later(seconds, abort)

    def _watch_writing(self) -> None:
        if self._writing is None:
            self._check_written()

    def _check_written(self) -> None:
        left = self.transport.get_write_buffer_size()
        if left > self._unwritten - self._limits.least_taken:
            self.transport.abort()
        elif self.flow.write_paused or self.transport.is_closing():
            self._unwritten = left
            self._writing = self.loop.call_later(self._limits.write_time, self._check_written)
        else:
            self._writing, self._unwritten = None, math.inf

    def _head_too_large(self) -> Refusal:
        limits = self._limits
        return Refusal(
            431,
            f"the head of a request may have {limits.largest_head:,} bytes and "
            f"{limits.most_headers} headers at most",
        )

    def _refuse(self, refused: Refusal) -> None:
        """Say why nothing more is read from this connection."""
        self._is_over = True
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(self._encoded(refused))
            self._linger()
        elif self._in_body:
            self.transport.abort()  # what is answered now has a body that is broken
        else:
            self.cycle.keep_alive = False  # it ends when the requests before are answered

    def _linger(self) -> None:
        """End the connection; to close it while something arrives would destroy the answer."""
        self._is_over = True
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._expect(self._limits.linger_time)

    def _encoded(self, refused: Refusal) -> bytes:
        answer = problem(refused)
        body = answer.encoded()
        named = {name.encode(): text.encode("latin-1") for name, text in answer.headers}
        named |= {b"content-type": answer.media.encode(), b"content-length": b"%d" % len(body)}
        named |= {b"connection": b"close"}
        headers = (*self.server_state.default_headers, *HEADERS, *named.items())
        lines = [b"%b: %b\r\n" % pair for pair in headers]
        return b"".join((STATUS_LINE[answer.status], *lines, b"\r\n", body))


class Pieces(asyncio.BufferedProtocol):
    """Has a connection read in pieces, so that the others get their turn between two of them.

    Args:
        http: gets the pieces.
        size: of a piece, in bytes.
    """

    def __init__(self, http: Protocol, size: int) -> None:
        self._http, self._buffer = http, memoryview(bytearray(size))

    def connection_made(self, transport: Any) -> None:
        """See `asyncio.BaseProtocol`."""
        self._transport = transport
        self._http.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.BaseProtocol`."""
        self._http.connection_lost(exc)

    def pause_writing(self) -> None:
        """See `asyncio.BaseProtocol`."""
        self._http.pause_writing()

    def resume_writing(self) -> None:
        """See `asyncio.BaseProtocol`."""
        self._http.resume_writing()

    def get_buffer(self, sizehint: int) -> memoryview:
        """See `asyncio.BufferedProtocol`."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """See `asyncio.BufferedProtocol`."""
        self._http.data_received(bytes(self._buffer[:nbytes]))
        if nbytes == len(self._buffer) and self._may_read:
            self._transport.pause_reading()
            self._http.loop.call_soon(self._read_on)

    def _read_on(self) -> None:
        if self._may_read:
            self._transport.resume_reading()

    @property
    def _may_read(self) -> bool:
        return not (self._http.flow.read_paused or self._transport.is_closing())


def pieces(connections: Connections, **terms: Any) -> Pieces:
    """The protocol of a new connection."""
    return Pieces(Protocol(connections, **terms), connections.limits.piece)
