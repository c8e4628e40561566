import socket
import threading
from contextlib import suppress

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import InvalidInput
from maxin.service import server
from maxin.service.access.guards import Hosts
from maxin.service.access.limits import Streams
from maxin.service.api import endpoint
from maxin.service.service import Service
from maxin.storage import StoreLost
from maxin.tournament import Tournament
from maxin.tournament.tickets.wishes import WorkWish
from tests.helpers.serving import serving

PATIENCE = 20.0  # seconds that a test waits for what should come at once


@pytest.fixture
def served():
    with (
        Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        yield served


def closed(served, head):
    """What a connection gets that sends this and no more, until it is closed."""
    with socket.create_connection(served.address, timeout=PATIENCE) as connection:
        connection.sendall(head)
        found = b""
        with suppress(ConnectionResetError):  # there was more to read for the server
            while part := connection.recv(4096):
                found += part
        return found


def test_a_head_that_never_ends_is_cut_off(served, monkeypatch):
    monkeypatch.setattr(server, "HEAD_TIME", 0.1)
    assert closed(served, b"") == b""
    assert closed(served, b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ") == b""
    again = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /health HTTP/1.1\r\nX-Sl"
    assert closed(served, again).count(b"HTTP/1.1 200") == 1


def test_a_head_without_end_is_cut_off(served):
    line = b"X-Long: " + b"x" * 8000 + b"\r\n"
    assert b"200" not in closed(served, b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + line * 20)


def test_a_body_that_never_comes_is_refused(served, monkeypatch):
    monkeypatch.setattr(endpoint, "LONGEST_READ", 0.1)
    head = b"POST /api/v1/matches HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
    assert closed(served, head).startswith(b"HTTP/1.1 408")


def test_a_body_that_is_too_large_is_refused(served):
    refused = served.api("POST", "/results", b"[" + b" " * (2 << 20) + b"]")
    assert (refused.status, "1,048,576 bytes" in refused.body["detail"]) == (413, True)
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    head = b"POST /api/v1/results HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert closed(served, head + 17 * chunk).startswith(b"HTTP/1.1 413")
    assert served.api("POST", "/results", b"[" + b" " * 1_000_000 + b"]").status == 200


def test_there_may_be_so_many_streams(served):
    served.service.streams = Streams(most=2)
    request = b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
    open_streams = [socket.create_connection(served.address, timeout=PATIENCE) for _ in range(2)]
    for stream in open_streams:
        stream.sendall(request)
        assert stream.recv(100).startswith(b"HTTP/1.1 200")
    refused = served.api("GET", "/events")
    assert (refused.status, refused.headers["retry-after"]) == (503, "30")
    for stream in open_streams:
        stream.close()


def test_a_store_that_does_not_answer_in_time_is_said(served):
    served.service.patience = 0.1
    blocked, started = threading.Event(), threading.Event()

    def block(group):
        started.set()
        assert blocked.wait(PATIENCE)

    threading.Thread(
        target=served.service.tournament.batch, args=([WorkWish(block)],), daemon=True
    ).start()
    assert started.wait(PATIENCE)
    answer = served.api("POST", "/matches", {})
    assert (answer.status, answer.headers["retry-after"]) == (503, "2")
    blocked.set()
    served.service.patience = PATIENCE
    assert served.api("POST", "/matches", {}).status == 201


def test_a_lost_store_is_said_without_its_address(served, monkeypatch):
    def lost(*_, **__):
        raise StoreLost("postgresql://secret-host is gone")

    with monkeypatch.context() as patch:
        patch.setattr(served.service.tournament, "batch", lost)
        answer = served.api("POST", "/matches", {})
    assert answer.status == 503
    assert answer.headers["retry-after"]
    assert b"secret-host" not in answer.raw
    assert served.api("POST", "/matches", {}).status == 201


def test_a_mistake_of_ours_is_logged_and_not_shown(served, monkeypatch, caplog):
    def wrong(*_, **__):
        raise ZeroDivisionError("an inner secret")

    monkeypatch.setattr(served.service.tournament, "batch", wrong)
    answer = served.api("POST", "/matches", {})
    assert (answer.status, b"inner secret" in answer.raw) == (500, False)
    assert "inner secret" in caplog.text


def test_other_machines_are_served_with_tokens_only():
    with Tournament(["anna", "bo"], "sqlite://") as tournament:
        service = Service.of(tournament, hosts=Hosts("0.0.0.0"))
        listening = server.listen("127.0.0.1", 0)
        with listening, pytest.raises(InvalidInput, match="maxin token add admin NAME"):
            server.serve(service, listening)


def test_a_port_that_is_taken_is_said():
    with server.listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(InvalidInput, match=f"cannot listen on 127.0.0.1, port {port}"):
            server.listen("127.0.0.1", port)
    with pytest.raises(InvalidInput, match="cannot listen on nowhere"):
        server.listen("nowhere.invalid", 0)
