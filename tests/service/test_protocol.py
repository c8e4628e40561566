import logging
import socket
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.access import tokens
from maxin.service.access.connections import ConnectionLimits, Connections
from maxin.service.access.tokens import AddToken
from maxin.service.board import LiveState
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG, wait_until

GET = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /api/v1/matches HTTP/1.1\r\nHost: localhost\r\n"


@contextmanager
def limited(**limits):
    """A service whose connections have other limits."""
    with Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament:
        service = Service.of(tournament, confidence=None)
        service.connections = Connections(replace(ConnectionLimits(), **limits))
        with serving(service) as served:
            yield served


@pytest.fixture(scope="module")
def served():
    with limited() as served:
        yield served


def closed(served, *parts):
    """What a connection gets that sends this and no more, until it is closed."""
    with socket.create_connection(served.address, timeout=LONG) as connection:
        found = b""
        with suppress(ConnectionError):
            for part in parts:
                connection.sendall(part)
            while part := connection.recv(4096):
                found += part
        return found


def refused(status, words):
    """Whether an answer is this problem, and the connection's last one."""

    def check(answer):
        head, _, body = answer.partition(b"\r\n\r\n")
        return (
            head.startswith(b"HTTP/1.1 %d " % status)
            and {b"connection: close", b"content-type: application/problem+json"}
            <= set(head.split(b"\r\n"))
            and b"content-security-policy: default-src 'none'" in head
            and words in body
        )

    return check


# What is too large


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        (GET + b"Cookie: " + b"mx_a_1_b " * 7000 + b"\r\n\r\n", 431, b"the header cookie may"),
        (GET + b"X-Long: " + b"x" * (1 << 20), 431, b"the head of a request may have 32,768"),
        (GET + (b"X-Long: " + b"x" * 8000 + b"\r\n") * 20, 431, b"the head of a request"),
        (GET + b"a:b\r\n" * 101 + b"\r\n", 431, b"100 headers at most"),
        (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n\r\n", 414, b"may have 8,192 bytes at most"),
        (b"no HTTP at all\r\n\r\n", 400, b"not a request of HTTP/1.1"),
        (b"GET http://[/ HTTP/1.1\r\n\r\n", 400, b"not a request of HTTP/1.1"),
    ],
)
def test_a_head_that_is_too_large_or_broken_is_refused_with_the_reason(served, sent, status, words):
    assert refused(status, words)(closed(served, sent))


def test_a_head_within_the_limits_is_read(served):
    most = GET + b"Cookie: " + b"a=b; " * 3200 + b"\r\n" + b"a:b\r\n" * 97
    assert closed(served, most + b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_what_follows_a_body_is_bounded_too(served):
    chunked = POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n"
    assert b"201" not in closed(served, chunked + b"a:b\r\n" * 101)


def test_many_requests_at_once_are_answered_up_to_a_limit(served):
    answers = closed(served, (GET + b"\r\n") * 2000)
    assert 16 <= answers.count(b"HTTP/1.1 200") <= 40


@pytest.mark.parametrize("name", [b"Host", b"Authorization", b"Cookie", b"Origin"])
def test_what_says_who_asks_may_be_sent_once(served, name):
    twice = (name + b": localhost\r\n") * 2
    head = b"GET /health HTTP/1.1\r\n" + (b"" if name == b"Host" else b"Host: localhost\r\n")
    answer = closed(served, head + twice + b"Connection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"may be sent once only" in answer


def test_a_body_that_ends_early_is_not_acted_upon(served):
    with socket.create_connection(served.address, timeout=LONG) as connection:
        connection.sendall(POST + b"Content-Length: 9\r\n\r\n{}")
    assert served.ask("GET", "/health").status == 200  # the body has ended by now
    assert len(served.service.tournament.pending()) == 0


def test_a_stranger_may_send_a_token_and_no_more(served):
    for body in (b"[" * 4000, b'{"token":' * 400, b'{"token": "' + b"x" * 4000 + b'"}'):
        assert served.api("POST", "/session", body).status in (400, 422)
        assert served.api("POST", "/session", body + b" " * 4000).status == 413


# One token


def test_a_request_has_one_token_looked_up(served, monkeypatch):
    digests, looked_up, store = [], [], served.service.tokens
    digest, look_for = tokens.digest, store.look_for
    session = session_of(served.service.tournament)
    made = [session.answer(AddToken(role, role)) for role in ("viewer", "voter", "admin")]
    store.read()
    monkeypatch.setattr(tokens, "digest", lambda text: (digests.append(text), digest(text))[1])
    monkeypatch.setattr(store, "look_for", lambda text: (looked_up.append(text), look_for(text))[1])
    port = served.address[1]
    every = " ".join(made * 20)
    cookies = f"maxin-vote-{port}={made[1]}; {every}; maxin-{port}={made[2]}; a={every}"
    for path in ("/", "/vote/x", "/api/v1/players", "/api/v1/pairs/x/left", "/admin", "/nothing"):
        for headers in ({"Cookie": cookies}, {"Authorization": f"Bearer {every}"}):
            digests.clear()
            looked_up.clear()
            served.ask("GET", path, **headers, Connection="close")
            assert len(looked_up) <= 1
            assert len(digests) <= 1


# What takes too long


@pytest.mark.parametrize(
    ("limit", "sent", "n_answers"),
    [
        ("head_time", b"", 0),
        ("head_time", GET + b"X-Slow: ", 0),
        ("head_time", b"\r\n", 0),
        ("head_time", GET + b"\r\n" + GET + b"X-Sl", 1),
        ("idle_time", GET + b"\r\n", 1),
        ("linger_time", GET + b"Content-Length: 9\r\n\r\n", 1),
    ],
)
def test_what_never_comes_is_not_waited_for(limit, sent, n_answers):
    with limited(**{limit: 0.1}) as served:
        assert closed(served, sent).count(b"HTTP/1.1 200") == n_answers


def test_a_body_that_never_comes_is_refused():
    with limited(body_time=0.1) as served:
        answer = closed(served, POST + b"Content-Length: 9\r\n\r\n{")
        assert answer.startswith(b"HTTP/1.1 408")


def test_answers_that_are_never_read_are_given_up():
    with limited(write_time=0.1, most_requests=10_000) as served:
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.settimeout(LONG)
            connection.connect(served.address)
            request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
            with suppress(ConnectionError):
                connection.sendall(request * 400)
            wait_until(lambda: len(served.service.connections) == 0)
        assert served.ask("GET", "/health").status == 200


STREAM = b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_a_stream_that_is_never_read_is_given_up_and_others_play_on(monkeypatch, caplog):
    event, sent = LiveState.event, []

    def large_event(state):
        """More than the buffers of the system hold."""
        sent.append(state)
        return {**event(state), "more": "x" * (1 << 24)}

    monkeypatch.setattr(LiveState, "event", large_event)
    with limited(write_time=0.1) as served, ExitStack() as stack:
        for _ in range(3):
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(served.address)
            connection.sendall(STREAM)
        wait_until(lambda: len(sent) == 3)
        wait_until(lambda: len(served.service.streams) == 0)
        wait_until(lambda: len(served.service.connections) == 0)
        (ticket,) = served.api("POST", "/matches", {"n": 1}).body["tickets"]
        path = f"/matches/{ticket['match']}/result"
        assert served.api("POST", path, {"score": 1.0}).status == 201
    assert not [entry for entry in caplog.records if entry.levelno >= logging.ERROR]


def test_a_stream_that_is_read_outlasts_the_limits():
    with (
        limited(write_time=0.01, idle_time=0.01, body_time=0.01) as served,
        socket.create_connection(served.address, timeout=LONG) as connection,
        connection.makefile("rb") as stream,
    ):
        connection.sendall(STREAM)
        tournament = served.service.tournament
        for number in range(1, 4):
            tournament.tell(tournament.ask(), 1.0)
            assert next(line for line in stream if b'"matches": %d,' % number in line)
