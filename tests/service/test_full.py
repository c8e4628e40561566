"""A service that may have few files open, and strangers who open many connections of each kind."""

import http.client
import json
import os
import resource
import socket
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.access.tokens import AddToken
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.processes import maxin_process
from tests.helpers.serving import Served
from tests.helpers.waiting import LONG, wait_until

# How many files a service may have open. It takes three quarters as many connections, and gives
# three quarters of these to strangers: 72 of 96, and 576 of 768.
FILES = [128, 1_024]
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


@contextmanager
def many_files(count):
    """This process may have so many files open, if the system allows it."""
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < count:
        pytest.skip(f"this process may have {most:,} files open, and needs {count:,}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(few, count), most))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, most))


@pytest.fixture(scope="module", params=FILES)
def full(request, tmp_path_factory):
    """A service with so many files, how many it has open, and tokens for it."""
    n_files = request.param
    folder = tmp_path_factory.mktemp("full")
    store = str(folder / "x.db")
    with Tournament(["anna", "bo", "cy"], store, seed=1) as made:
        answer = session_of(made).answer
        tokens = {role: answer(AddToken(role, role)) for role in ("worker", "admin")}
    words = ("serve", store, "--port", "0", "--confidence", "none")
    with maxin_process(*words, folder=folder, n_files=n_files) as process:
        served = Served(None, process.stdout.readline().split()[1])
        with many_files(9 * n_files):  # for the connections of this process
            yield served, n_files, Path("/proc", str(process.pid), "fd"), tokens
        process.terminate()
        assert process.communicate(timeout=LONG)[1] == ""  # nothing went wrong


@pytest.fixture
def crowd(full):
    """The service, how many strangers it takes, tokens, and what opens connections of strangers."""
    served, n_files, descriptors, tokens = full
    with ExitStack() as stack:

        def open_one(sent):
            connection = stack.enter_context(socket.create_connection(served.address, timeout=LONG))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            with suppress(ConnectionError):
                connection.sendall(sent)
            return connection

        yield served, n_files * 9 // 16, tokens, open_one
        assert len(os.listdir(descriptors)) < n_files
    wait_until(lambda: len(os.listdir(descriptors)) < 32)  # nobody is left


def test_strangers_of_every_kind_do_not_stop_a_worker_or_an_organiser(crowd):
    served, n_strangers, tokens, open_one = crowd
    signed = served.api("POST", "/session", {"token": tokens["admin"]})
    cookie = signed.headers["set-cookie"].partition(";")[0]
    own = f"Host: {served.url.removeprefix('http://')}\r\nCookie: {cookie}\r\n"
    stream = GREEDY["stream"].replace(HEAD, own.encode())
    with closing(Keeping(served, tokens["worker"])) as early:
        early.play()
        for sent in GREEDY.values():
            for _ in range(n_strangers - 12):
                open_one(sent)
            early.play()
            with closing(Keeping(served, tokens["worker"])) as late:
                late.play()
            page = served.ask("GET", "/admin", Cookie=cookie, Accept="text/html")
            assert page.status == 200
            assert open_one(stream).recv(100).startswith(b"HTTP/1.1 200")


def test_a_stranger_too_many_is_told_so_and_served_when_there_is_room(crowd):
    served, n_strangers, tokens, open_one = crowd
    streams = [open_one(GREEDY["stream"]) for _ in range(n_strangers + 8)]
    statuses = [int(stream.recv(100)[9:12]) for stream in streams]
    assert (statuses.count(200), statuses.count(503)) == (n_strangers, 8)
    page = served.ask("GET", "/", Accept="text/html")
    assert (page.status, page.headers["retry-after"]) == (503, "10")
    words = f"<p>The service is full: it has {n_strangers} requests in progress; try again later."
    assert words in page.raw.decode()
    program = served.api("GET", "/players")
    assert program.status == 503
    assert program.headers["content-type"] == "application/problem+json"
    assert served.api("GET", "/players", token=tokens["worker"]).status == 200
    for stream in streams[:5]:
        stream.close()
    wait_until(lambda: served.ask("GET", "/", Accept="text/html").status == 200)


def test_idle_strangers_are_cut_off_before_anybody_is_refused(crowd):
    served, n_strangers, _, open_one = crowd
    idle = [open_one(GREEDY["idle"]) for _ in range(2 * n_strangers)]
    assert served.ask("GET", "/health").status == 200
    for connection in idle[:n_strangers]:  # the oldest
        with suppress(ConnectionError):
            while connection.recv(4096):
                pass
