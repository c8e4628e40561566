import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.schedulers import Ranking
from maxin.tournament import Tournament
from tests.helpers.command import call, right, start
from tests.helpers.processes import ROOT
from tests.helpers.serving import Served
from tests.helpers.waiting import LONG


def test_a_service_is_used_with_a_token_that_nobody_else_sees(folder):
    """A process is asked, and ended while a viewer listens; the secret is nowhere."""
    start("anna", "bo", "cy")
    (folder / "items.csv").write_text("prompt,anna,bo\nSay hello.,Hello!,Hi.\n")
    right("items", "items.csv")
    token = right("token", "add", "worker", "office").out.strip()
    secret = token.split("_", 3)[3]
    command = [sys.executable, "-m", "maxin", "serve", "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        assert line.startswith("serving http://127.0.0.1:"), process.stderr.read()
        served = Served(None, line.split()[1])
        assert process.stdout.readline() == f"people vote at {served.url}/vote\n"
        (ticket,) = served.api("POST", "/matches", {}, token).body["tickets"]
        answers = [
            served.api("POST", f"/matches/{ticket['match']}/result", {"score": 1.0}, token),
            served.api("POST", "/matches", {}, token + "x"),
            served.api("GET", f"/players?token={token}"),
            served.ask("GET", "/"),
        ]
        assert [answer.status for answer in answers] == [201, 401, 200, 200]
        assert not any(secret.encode() in answer.raw for answer in answers)
        words = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        assert secret.encode() not in words
        with socket.create_connection(served.address, timeout=LONG) as stream:
            stream.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert stream.recv(100).startswith(b"HTTP/1.1 200")
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=LONG)
            took = time.monotonic() - began
        assert process.returncode == 0
        assert (out, err) == ("", "")
        assert took < LONG / 2  # it does not wait for the viewer to leave
    finally:
        process.kill()
        process.wait()
    stored = b"".join(path.read_bytes() for path in folder.iterdir())
    assert secret.encode() not in stored
    assert right("show", "--format", "json").document["n_matches"] == 1


def test_other_machines_need_a_token():
    start("anna", "bo")
    for flags in (("--host", "0.0.0.0"), ("--allow-host", "arena.example.org")):
        done = call("serve", *flags, "--port", "0")
        assert done.code == 2
        assert "maxin token add admin NAME --store sqlite:///maxin.db" in done.err


def test_a_port_that_is_taken_is_an_error():
    start("anna", "bo")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = call("serve", "--port", port)
    assert done.code == 2
    assert f"port {port}" in done.err


def test_a_scheduler_of_a_program_is_missed_before_anybody_is_served(folder):
    with Tournament(["anna", "bo"], folder / "league.db", scheduler=Ranking):
        pass
    done = call("serve", "league.db", "--port", "0")
    assert done.code == 2
    assert "this tournament has a scheduler of its own, Ranking, which is needed" in done.err


def test_a_store_must_exist():
    done = call("serve", "nowhere.db")
    assert done.code != 0
    assert "nowhere.db" in done.err


def test_without_the_extra_it_says_how_to_install_it(monkeypatch):
    start("anna", "bo")
    for name in [name for name in sys.modules if name.startswith("maxin.service.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = call("serve")
    assert done.code == 2
    assert "uvicorn; install it with pip install 'maxin[web]'" in " ".join(done.err.split())


def test_the_store_is_given_once():
    done = call("serve", "one.db", "--store", "two.db")
    assert done.code == 2
    assert "give the store once; got 'one.db' and --store 'two.db'" in done.err
