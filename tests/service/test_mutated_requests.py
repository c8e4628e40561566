"""Requests with random faults: each gets an answer or a closed connection, and nothing breaks."""

import json
import logging
import random
import socket
from contextlib import suppress

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.access.connections import ConnectionLimits, Connections
from maxin.service.access.tokens import AddToken
from maxin.service.api.openapi import PART
from maxin.service.api.routes import TABLE
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG
from tests.service.api.test_routes import BODIES, NAMES

VALUES = (None, True, -1, 0, 2**63, 1e308, "", "\0", "\u202e", "x" * 5_000, [], {}, [[[]]] * 50)
BYTES = (
    *(b"", b"\0", b"\r\n", b"\r\n\r\n", b"\xff\xfe", b" "),
    *(b";" * 300, b"%00", b"../" * 9, b"9" * 40),
)
HEADERS = (
    b"Cookie: maxin=mx_admin_1_x; " + b"a=b;" * 900,
    b"Authorization: Bearer mx_admin_1f_\xe4",
    b"Content-Length: -1",
    b"Content-Length: 99999999999999999999",
    b"Transfer-Encoding: chunked",
    b"Range: bytes=9-1,-0,5-",
    b'If-None-Match: "' + b"1" * 2_000,
    b"Idempotency-Key: " + b"k" * 300,
    b"Last-Event-ID: 99999999999999999999999",
    b"X-Part: 1",
    b"Accept: text/html",
    b"Host: evil.example",
    b"Origin: http://[",
)


def changed(value, rng):
    """A JSON value in which one part is another one."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        return {**value, key: changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        return [changed(value[0], rng), *value[1:]] * rng.choice((1, 1, 3))
    return rng.choice(VALUES)


def valid(rng):
    """A request to a random route, with its body as a value."""
    route = rng.choice([route for route in TABLE if not route.path.endswith("/events")])
    path = PART.sub(lambda part: NAMES.get(part[1], str(rng.choice((0, 1, 2, 7)))), route.path)
    query = rng.choice(("", "?limit=2", "?after=-1", "?find=%F0%9F%92%A9", "?page=9&by=x", "?x=1"))
    return route.method, path + query, BODIES.get(route.path)


def mutated(rng, token):
    """The bytes of a request with up to four faults; most have a valid token."""
    method, path, value = valid(rng)
    for _ in range(rng.randrange(3)):
        value = changed(value, rng) if value is not None or rng.random() < 0.1 else None
    body = b"" if value is None else json.dumps(value).encode()
    if rng.random() < 0.05:
        body = b"[" * 50_000
    lines = [f"{method} {path} HTTP/1.1".encode(), b"Host: localhost", b"Connection: close"]
    lines += [f"Authorization: Bearer {token}".encode()] * (rng.random() < 0.8)
    lines += rng.sample(HEADERS, rng.choice((0, 0, 0, 1, 2)))
    sent = b"\r\n".join([*lines, b"Content-Length: %d" % len(body), b"", body])
    for _ in range(rng.choice((0, 0, 1, 2))):
        at, length = rng.randrange(len(sent)), rng.choice((0, 1, 1, 5))
        sent = sent[:at] + rng.choice(BYTES) + sent[at + length :]
    return sent


def answer_of(address, sent):
    """What comes back, until the connection is closed."""
    with socket.create_connection(address, timeout=LONG) as connection:
        found = b""
        with suppress(OSError):  # it may be closed before all is sent
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65_536):
                found += part
        return found


def patient(tournament, limits):
    """A service that waits for the store as long as it takes, but not for clients."""
    service = Service.of(tournament, confidence=None)
    service.patience, service.connections = LONG, Connections(limits)
    return service


@pytest.mark.parametrize("n_requests", [150, pytest.param(10_000, marks=pytest.mark.slow)])
def test_mutated_requests_break_nothing(n_requests, caplog, record_property):
    limits = ConnectionLimits(head_time=0.3, body_time=0.3)
    rng, statuses = random.Random(1), {}
    with (
        caplog.at_level(logging.ERROR),
        Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament,
        serving(patient(tournament, limits)) as served,
    ):
        token = session_of(tournament).answer(AddToken("admin", "me"))
        for _ in range(n_requests):
            sent = mutated(rng, token)
            found = answer_of(served.address, sent)
            status = found[9:12].decode() if found else "closed"
            statuses[status] = statuses.get(status, 0) + 1
            assert status != "500", sent
        assert served.ask("GET", "/health").status == 200
        for name in ("last 1", "last 2"):
            assert served.api("POST", "/players", {"name": name}, token).status == 201
        (ticket,) = served.api("POST", "/matches", {"n": 1}, token).body["tickets"]
        told = served.api("POST", f"/matches/{ticket['match']}/result", {"score": 1.0}, token)
        assert told.status == 201
        assert tournament.verify().problems == []
    assert not [entry for entry in caplog.records if entry.levelno >= logging.ERROR]
    record_property("note", f"{n_requests} requests: {dict(sorted(statuses.items()))}")
