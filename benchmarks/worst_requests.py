"""What is the most that a request without a token can cost the event loop, which all share?

A real server runs in a thread, whose CPU time is measured around each request: all that the event
loop does for it, also if other requests come in between. Threads beside the loop are not counted.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from common import human, show

from maxin.service.access.guards import Hosts
from maxin.service.access.tokens import AddToken
from maxin.service.server import listen, serving
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of

REPEATS = 5
QUIET = 0.05  # seconds after an answer, in which the connection ends
TOKENS = 1_000  # that the store has, such as invitations
PAGE = b"Accept: text/html\r\n"
JSON = b"Content-Type: application/json\r\n"


def get(path: bytes, headers: bytes = b"") -> bytes:
    """A request that ends its connection."""
    host = b"" if b"Host:" in headers else b"Host: localhost\r\n"
    return b"GET " + path + b" HTTP/1.1\r\n" + host + headers + b"Connection: close\r\n\r\n"


def post(path: bytes, body: bytes, headers: bytes = b"") -> bytes:
    """A request with a body."""
    length = b"Content-Length: %d\r\n" % len(body)
    head = b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    return head + headers + (b"" if b"Transfer" in headers else length) + b"\r\n" + body


def full(piece: bytes, n_bytes: int) -> bytes:
    """A piece, again and again."""
    return (piece * (n_bytes // len(piece) + 1))[:n_bytes]


def heads(n_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Requests whose head has about so many bytes, the worst of each kind."""
    words, size = b"mx_a_1_b ", f"{n_bytes >> 10} KiB"
    for place, path in (("/", b"/"), ("API", b"/api/v1/players"), ("vote", b"/vote/x")):
        for what, piece in (("words like tokens", words), ("pairs", b"a=b; "), ("quotes", b'"\\1')):
            cookie = b"Cookie: maxin=" + full(piece, n_bytes) + b"\r\n"
            yield f"cookie of {what}, {size}, {place}", get(path, cookie)
    bearer = b"Authorization: Bearer "
    yield f"bearer of words like tokens, {size}", get(b"/", bearer + full(words, n_bytes) + b"\r\n")
    yield f"bearer token, {size}", get(b"/", bearer + full(b"mx_viewer_1_x", n_bytes) + b"\r\n")
    yield f"many headers, {size}", get(b"/vote", full(b"a:\r\n", n_bytes & ~3))
    for name in (b"Host", b"If-None-Match", b"Accept", b"Accept-Encoding", b"X-Forwarded-For"):
        for piece in (b"a", b'", W/"', b"127.0.0.1, ", b"[::1"):
            header = name + b": " + full(piece, n_bytes) + b"\r\n"
            yield f"{name.decode()} of {piece.decode()!r}, {size}", get(b"/", PAGE + header)
    for name in (b"X-Worker", b"Origin", b"Range", b"Last-Event-ID", b"X-Part"):
        header = name + b": " + full(b"1-2,", n_bytes) + b"\r\n"
        yield f"{name.decode()}, {size}", get(b"/", header)
    for place in (b"/", b"/players/", b"/static/", b"/api/v1/matches/", b"/vote/"):
        for piece in (b"a", b"/", b"%ff", b"%c3%a4", b"%3Cb%3E"):
            path = place + full(piece, n_bytes // 6 * 6)
            yield f"path {place.decode()}{piece.decode()}..., {size}", get(path, PAGE)
    for place in (
        b"/",
        b"/matches",
        b"/slices",
        b"/vote",
        b"/api/v1/matches",
        b"/api/v1/crosstable",
    ):
        for piece in (b"a&", b"a=%ff&", b"limit=1&", b"find=%c3%a4"):
            path = place + b"?" + full(piece, n_bytes // 12 * 12)
            yield f"query {path[: len(place) + 9].decode()}..., {size}", get(path, PAGE)


def bodies(n_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Requests with a body of about so many bytes."""
    size = f"{n_bytes >> 10} KiB"
    for place in (b"/api/v1/session", b"/api/v1/voters/join", b"/api/v1/results", b"/vote"):
        for what, body in (
            ("arrays", full(b"[", n_bytes)),
            ("objects", full(b'{"a":', n_bytes)),
            ("a token", b'{"token": "' + full(b"mx_viewer_1_x", n_bytes) + b'"}'),
            ("fields", b'{"token": 1' + full(b', "a": 1', n_bytes & ~7) + b"}"),
        ):
            yield f"body of {what}, {size}, {place.decode()}", post(place, body, JSON)
        chunked = JSON + b"Transfer-Encoding: chunked\r\n"
        body = full(b"1\r\n[\r\n", n_bytes // 6 * 6) + b"0\r\n\r\n"
        yield f"body in chunks of a byte, {size}, {place.decode()}", post(place, body, chunked)


def simple() -> Iterator[tuple[str, bytes]]:
    """Requests that anyone may send, as they are meant."""
    for path in (b"/", b"/vote", b"/sign-in", b"/admin", b"/nothing", b"/health", b"/openapi.json"):
        yield path.decode(), get(path, PAGE)
    for path in (b"/static/style.css", b"/static/vote.js", b"/report", b"/matches", b"/slices"):
        yield path.decode(), get(path, PAGE)
    wrong = b'{"token": "mx_viewer_1f1f1f1f_' + b"x" * 43 + b'"}'
    yield "failed login", post(b"/api/v1/session", wrong, JSON)
    yield "failed bearer", get(b"/", b"Authorization: Bearer mx_viewer_1f1f1f1f_x\r\n")
    yield "another site", post(b"/api/v1/session", wrong, b"Origin: http://evil.example\r\n")
    yield "no HTTP", b"\x16\x03\x01" * 1_000
    request = b"GET /vote HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield "1,000 requests at once", request * 1_000 + get(b"/vote")


@contextmanager
def service(hosts: Hosts) -> Iterator[int]:
    """A service with tokens: its port."""
    with Tournament([f"player {number}" for number in range(20)], "sqlite://", seed=1) as made:
        for number in range(TOKENS):
            session_of(made).answer(AddToken("voter", f"jury {number}"))
        with serving(Service.of(made, hosts=hosts, confidence=None), listen("127.0.0.1", 0)) as url:
            yield int(url.rpartition(":")[2])


def cost(port: int, request: bytes, clock: int) -> tuple[float, str]:
    """CPU seconds of the event loop for one request, and the status of its answer."""
    began, found = time.clock_gettime(clock), b""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        sending = threading.Thread(target=_send, args=(connection, request))
        sending.start()
        with suppress(OSError):
            while part := connection.recv(1 << 16):
                found = found or part
        sending.join()
    time.sleep(QUIET)
    status = found[9:12].decode() or "closed"
    return time.clock_gettime(clock) - began, status


def _send(connection: socket.socket, request: bytes) -> None:
    with suppress(OSError):
        connection.sendall(request)


def measured(port: int, cases: list[tuple[str, bytes]]) -> list[tuple[float, float, str, str]]:
    """For each request the least cost, the first one, its name and status; the dearest first."""
    (loop,) = (thread for thread in threading.enumerate() if thread.name == "maxin serves")
    assert loop.ident is not None
    clock = time.pthread_getcpuclockid(loop.ident)
    rows = []
    for name, request in cases:
        first, status = cost(port, request, clock)
        repeats = REPEATS if first < 1.0 else 1
        least = min(first, *(cost(port, request, clock)[0] for _ in range(repeats)))
        rows.append((least, first, name, status))
    return sorted(rows, reverse=True)


def main() -> None:
    """Print what the dearest requests of each kind cost."""
    kinds = {
        "as they are meant": list(simple()),
        "heads with the longest address": list(heads(7 << 10)),
        "heads with the longest header": list(heads(15 << 10)),
        "heads that are too large": list(heads(60 << 10)),
        "bodies": [*bodies(3 << 10), *bodies(1_000 << 10)],
    }
    services = {"for this machine": Hosts("127.0.0.1"), "for all": Hosts("0.0.0.0")}
    for where, hosts in services.items():
        with service(hosts) as port:
            for kind, cases in kinds.items():
                rows = [
                    [name, human(least), human(first), status]
                    for least, first, name, status in measured(port, cases)[:6]
                ]
                title = f"event loop per request without a token, service {where}: {kind}"
                show(title, ["request", "CPU time", "the first time", "status"], rows)


if __name__ == "__main__":
    main()
