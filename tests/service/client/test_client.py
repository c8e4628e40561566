"""The client: where it looks for its token, what it says of problems, and what it tries again."""

import http.server
import json
import shutil
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager

import pytest

from maxin import AccessDenied, Client, InvalidInput, ServiceLost, StoreFailed
from maxin.service.client import channel as channel_module
from maxin.service.client.http import Address
from tests.helpers.waiting import LONG

TOKEN = "mx_worker_1f_secret"


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers each request with the next of the given answers, the last one for ever."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.path, dict(self.headers), json.loads(body or b"null")))
        answers = self.server.answers
        status, headers, text = answers.pop(0) if len(answers) > 1 else answers[0]
        if status is None:  # no answer at all
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST

    def log_message(self, *_): ...


@contextmanager
def answering(*answers):
    """A service that gives these answers: (status, headers, JSON or bytes)."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen = []
    server.answers = [
        (status, headers, text if isinstance(text, bytes) else json.dumps(text).encode())
        for status, headers, text in answers
    ]
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join(LONG)
        server.server_close()


@pytest.fixture(autouse=True)
def _no_token(monkeypatch):
    monkeypatch.delenv("MAXIN_TOKEN", raising=False)
    monkeypatch.delenv("MAXIN_TOKEN_FILE", raising=False)


def ask(server, token=None):
    with Client(server.url, token) as client:
        return client.ask()


def tell(server):
    with Client(server.url) as client:
        return client.tell(1, 1.0)


PROBLEM = {"title": "?", "status": 0, "detail": "say it otherwise"}
SEAT = {"name": "anna", "options": {}}
TICKET = {"match": 3, "first": SEAT, "second": SEAT, "seed": 5, "fence": "7-0c5e", "lease_until": 0}
TICKETS = {"tickets": [TICKET]}


@pytest.mark.parametrize(
    "url", ["", "host:8000", "ftp://host", "https://", "http://host:port", None, 8000]
)
def test_a_url_must_be_one(url):
    with pytest.raises(InvalidInput, match="a service is at a URL such as https://host:8000; got"):
        Client(url)


@pytest.mark.parametrize("url", ["http://eve:secret@host", "http://host/?token=secret"])
def test_a_url_has_no_secret_and_the_error_does_not_repeat_it(url):
    with pytest.raises(InvalidInput, match="tokens go in MAXIN_TOKEN") as caught:
        Client(url)
    assert "secret" not in str(caught.value)


def test_a_url_may_have_a_path():
    assert Address.of("https://host/league/api/v1/").path == "/league"
    assert Address.of("http://[::1]:80").url == "http://[::1]:80"


def test_the_token_comes_from_the_argument_the_environment_or_a_file(monkeypatch, tmp_path):
    path = tmp_path / "token"
    path.write_text("mx_from_file\n")
    with answering((201, {}, TICKETS)) as server:
        ask(server)
        monkeypatch.setenv("MAXIN_TOKEN_FILE", str(path))
        ask(server)
        monkeypatch.setenv("MAXIN_TOKEN", TOKEN)
        ask(server)
        ask(server, "mx_given")
    sent = [headers.get("Authorization") for _, headers, _ in server.seen]
    assert sent == [None, "Bearer mx_from_file", f"Bearer {TOKEN}", "Bearer mx_given"]


def test_an_invalid_token_is_refused_without_repeating_it(monkeypatch, tmp_path):
    with pytest.raises(InvalidInput, match="token must be a token, one word") as caught:
        Client("http://host", "two words")
    assert "two words" not in str(caught.value)
    monkeypatch.setenv("MAXIN_TOKEN_FILE", str(tmp_path / "none"))
    with pytest.raises(InvalidInput, match=r"MAXIN_TOKEN_FILE names '.*none', which cannot"):
        Client("http://host")


def test_a_service_that_is_not_there_is_named_at_once():
    with answering((200, {}, {})) as server:
        url = server.url
    with pytest.raises(ServiceLost) as caught:
        Client(url).ask()
    assert str(caught.value) == (
        f"no service at {url}: Connection refused; `maxin serve` must be running there"
    )
    assert isinstance(caught.value, StoreFailed)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            (401, {}, PROBLEM),
            AccessDenied,
            "say it otherwise; put a token .* MAXIN_TOKEN, or .*FILE",
        ),
        (
            (403, {}, PROBLEM),
            AccessDenied,
            "say it otherwise; MAXIN_TOKEN needs a token of another",
        ),
        (
            (301, {"Location": "https://h/"}, {}),
            InvalidInput,
            "points to 'https://h/': use that URL",
        ),
        ((404, {}, b"<html>"), InvalidInput, "answered 404 without a reason; is it a service of m"),
        ((421, {}, PROBLEM), InvalidInput, "answered 421: say it otherwise"),
        ((422, {}, PROBLEM), InvalidInput, "^say it otherwise$"),
        ((201, {}, {"tickets": [{}]}), InvalidInput, "that this version of maxin cannot read"),
        ((201, {}, [1]), InvalidInput, "that this version of maxin cannot read"),
    ],
)
def test_problems_say_what_to_do(answer, kind, words):
    with answering(answer) as server, pytest.raises(kind, match=words) as caught:
        ask(server, TOKEN)
    assert TOKEN not in str(caught.value)
    assert server.url in str(caught.value) or answer[0] == 422
    assert len(server.seen) == 1


def test_a_service_cannot_send_commands_to_the_terminal():
    eve = {"name": "eve\x1b[2J", "options": {}}
    row = {**TICKETS["tickets"][0], "first": eve}
    hostile = {**PROBLEM, "detail": "\x1b[2Jno"}
    with answering((201, {}, {"tickets": [row]}), (422, {}, hostile)) as server:
        with pytest.raises(InvalidInput, match="a player's name must have no control characters"):
            ask(server)
        with pytest.raises(InvalidInput, match=r"^\\x1b\[2Jno$"):
            ask(server)


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate")
def test_a_certificate_must_be_trusted(tmp_path, monkeypatch):
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext"
    made = ["openssl", *words.split(), "subjectAltName=DNS:localhost"]
    made += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with answering((201, {}, TICKETS)) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.url = f"https://localhost:{server.server_address[1]}"
        with pytest.raises(InvalidInput, match="a certificate that is not valid here: self-signed"):
            ask(server)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert ask(server).id == 3


@pytest.mark.parametrize(
    "lost", [(None, {}, b""), (503, {"Retry-After": "0"}, {}), (429, {}, {}), (408, {}, {})]
)
def test_an_ask_without_an_answer_is_repeated_with_the_same_key(lost):
    with answering(lost, lost, (201, {}, TICKETS)) as server, Client(server.url) as client:
        assert client.ask().id == 3
        assert client.ask().id == 3
    keys = [headers["Idempotency-Key"] for _, headers, _ in server.seen]
    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_a_lost_service_is_given_up_after_a_while(monkeypatch):
    monkeypatch.setattr(channel_module, "PATIENCE", 0.3)
    with (
        answering((503, {}, {**PROBLEM, "detail": "the store is away"})) as server,
        pytest.raises(ServiceLost, match="answered 503: the store is away"),
    ):
        tell(server)
    assert server.seen


def test_a_service_that_asks_to_wait_is_not_asked_before(monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    busy = (429, {"Retry-After": "7"}, PROBLEM)
    with answering(busy, busy, (201, {}, {})) as server:
        assert tell(server) is True
    assert all(7.0 <= pause <= 10.5 for pause in pauses)
    assert len(pauses) == 2


def test_connections_are_kept_and_replaced_when_the_service_closed_them():
    with answering((200, {}, {})) as server, Client(server.url) as client:
        for _ in range(3):
            assert client.tell(1, 1.0) is False
        (kept,) = client._channel.api.http._kept
        kept.sock.close()  # what a service that was started again does
        assert client.tell(1, 1.0) is False
        assert client._channel.api.http._kept != [kept]
    assert client._channel.api.http._kept == []


def test_leaderboards_need_a_result():
    with (
        answering(
            (200, {}, {"standings": [], "advantage": None, "fading": "", "top": None})
        ) as server,
        Client(server.url) as client,
    ):
        assert len(client.leaderboard()) == 0
        with pytest.raises(InvalidInput, match="nobody leads yet: no match has a result"):
            client.top()
