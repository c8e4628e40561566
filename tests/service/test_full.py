"""A service that may have few files open, and strangers who open many connections of each kind."""

import http.client
import json
import os
import socket
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.access.tokens import AddToken
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.processes import maxin_process
from tests.helpers.serving import Served
from tests.helpers.waiting import LONG, wait_until

N_FILES = 128  # so there are 96 connections, 72 of them for strangers
EACH = 60
HEAD = b"Host: localhost\r\n"
GREEDY = {
    "silent": b"",
    "half a head": b"GET / HTTP/1.1\r\n" + HEAD + b"X-Slow: ",
    "idle": b"GET /health HTTP/1.1\r\n" + HEAD + b"\r\n",
    "no body": b"POST /api/v1/session HTTP/1.1\r\n" + HEAD + b"Content-Length: 9\r\n\r\n{",
    "unread body": b"GET /vote HTTP/1.1\r\n" + HEAD + b"Content-Length: 9999999\r\n\r\n",
    "unread answers": (b"GET /static/style.css HTTP/1.1\r\n" + HEAD + b"\r\n") * 16,
    "stream": b"GET /api/v1/events HTTP/1.1\r\n" + HEAD + b"\r\n",
}


class Keeping:
    """A caller whose connection is kept."""

    def __init__(self, served, token):
        self._connection = http.client.HTTPConnection(*served.address, timeout=LONG)
        self._headers = {"Authorization": f"Bearer {token}"}

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body)
        self._connection.request(method, path, data, self._headers)
        self._connection.auto_open = False  # if it is cut off, the next request fails
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")

    def close(self):
        self._connection.close()

    def play(self):
        status, body = self.ask("POST", "/api/v1/matches", {"wait": 1})
        assert status == 201
        path = f"/api/v1/matches/{body['tickets'][0]['match']}/result"
        assert self.ask("POST", path, {"score": 1.0})[0] == 201


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A service with few files, how many it has open, and tokens for it."""
    folder = tmp_path_factory.mktemp("full")
    store = str(folder / "x.db")
    with Tournament(["anna", "bo", "cy"], store, seed=1) as made:
        answer = session_of(made).answer
        tokens = {role: answer(AddToken(role, role)) for role in ("worker", "admin")}
    words = ("serve", store, "--port", "0", "--confidence", "none")
    with maxin_process(*words, folder=folder, n_files=N_FILES) as process:
        served = Served(None, process.stdout.readline().split()[1])
        yield served, lambda: len(os.listdir(Path("/proc", str(process.pid), "fd"))), tokens
        process.terminate()
        assert process.communicate(timeout=LONG)[1] == ""  # nothing went wrong


@pytest.fixture
def crowd(full):
    """The service, tokens for it, and a function that opens connections of strangers."""
    served, n_open, tokens = full
    with ExitStack() as stack:

        def open_one(sent):
            connection = stack.enter_context(socket.create_connection(served.address, timeout=LONG))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            with suppress(ConnectionError):
                connection.sendall(sent)
            return connection

        yield served, tokens, open_one
        assert n_open() < N_FILES
    wait_until(lambda: n_open() < N_FILES // 4)  # nobody is left


def test_strangers_of_every_kind_do_not_stop_a_worker_or_an_organiser(crowd):
    served, tokens, open_one = crowd
    signed = served.api("POST", "/session", {"token": tokens["admin"]})
    cookie = signed.headers["set-cookie"].partition(";")[0]
    own = f"Host: {served.url.removeprefix('http://')}\r\nCookie: {cookie}\r\n"
    stream = GREEDY["stream"].replace(HEAD, own.encode())
    with closing(Keeping(served, tokens["worker"])) as early:
        early.play()
        for sent in GREEDY.values():
            for _ in range(EACH):
                open_one(sent)
            early.play()
            with closing(Keeping(served, tokens["worker"])) as late:
                late.play()
            page = served.ask("GET", "/admin", Cookie=cookie, Accept="text/html")
            assert page.status == 200
            assert open_one(stream).recv(100).startswith(b"HTTP/1.1 200")


def test_a_stranger_too_many_is_told_so_and_served_when_there_is_room(crowd):
    served, tokens, open_one = crowd
    streams = [open_one(GREEDY["stream"]) for _ in range(80)]
    statuses = [int(stream.recv(100)[9:12]) for stream in streams]
    assert (statuses.count(200), statuses.count(503)) == (72, 8)
    page = served.ask("GET", "/", Accept="text/html")
    assert (page.status, page.headers["retry-after"]) == (503, "10")
    assert b"<p>The service is full: it has 72 requests in progress; try again later." in page.raw
    program = served.api("GET", "/players")
    assert program.status == 503
    assert program.headers["content-type"] == "application/problem+json"
    assert served.api("GET", "/players", token=tokens["worker"]).status == 200
    for stream in streams[:5]:
        stream.close()
    wait_until(lambda: served.ask("GET", "/", Accept="text/html").status == 200)


def test_idle_strangers_are_cut_off_before_anybody_is_refused(crowd):
    served, _, open_one = crowd
    idle = [open_one(GREEDY["idle"]) for _ in range(200)]
    assert served.ask("GET", "/health").status == 200
    for connection in idle[:100]:  # the oldest
        with suppress(ConnectionError):
            while connection.recv(4096):
                pass
