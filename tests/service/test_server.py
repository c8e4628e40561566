import http.client
import socket
import threading
import time
import uuid
from contextlib import suppress

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import InvalidInput
from maxin.service import server
from maxin.service.access.guards import Hosts
from maxin.service.access.limits import Streams
from maxin.service.access.tokens import AddToken
from maxin.service.group_writer import Trouble
from maxin.service.service import Service
from maxin.storage import StoreFailed, StoreLost
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.acts import Act
from tests.helpers.processes import maxin_process
from tests.helpers.serving import Served, serving
from tests.helpers.waiting import LONG, wait_until

AWAY = 35.0  # seconds: longer than the tournament waits


@pytest.fixture
def served():
    with (
        Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        yield served


def closed(served, head):
    """What a connection gets that sends this and no more, until it is closed."""
    with socket.create_connection(served.address, timeout=LONG) as connection:
        connection.sendall(head)
        found = b""
        with suppress(ConnectionResetError):  # there was more to read for the server
            while part := connection.recv(4096):
                found += part
        return found


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
    open_streams = [socket.create_connection(served.address, timeout=LONG) for _ in range(2)]
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
        assert blocked.wait(LONG)

    threading.Thread(
        target=served.service.writer.session.apply, args=([Act(block)],), daemon=True
    ).start()
    assert started.wait(LONG)
    answer = served.api("POST", "/matches", {})
    assert (answer.status, answer.headers["retry-after"]) == (503, "2")
    blocked.set()
    served.service.patience = LONG
    assert served.api("POST", "/matches", {}).status == 201
    assert len(served.service.tournament.pending()) == 1  # nothing for the one who has gone


@pytest.mark.slow
def test_a_server_that_is_away_is_said_and_all_is_well_when_it_is_back(postgres):
    url = postgres.new_database(f"away_{uuid.uuid4().hex}")
    with Tournament(["anna", "bo", "cy"], url, seed=1) as tournament:
        token = session_of(tournament).answer(AddToken("worker", "pc"))
        with serving(Service.of(tournament, confidence=None)) as served:
            served.service.patience = 1.0

            def ask():
                return served.api("POST", "/matches", {"n": 1}, token, Idempotency_Key="k")

            assert wait_until(lambda: ask().status == 201)
            postgres.stop()
            try:
                until = time.monotonic() + AWAY
                while True:
                    answer = ask()
                    assert (answer.status, answer.headers["retry-after"]) == (503, "2")
                    assert served.api("GET", "/leaderboard", token=token).status == 200
                    if time.monotonic() >= until:
                        break
            finally:
                postgres.start()
            answer = wait_until(lambda: (found := ask()).status == 201 and found)
            (ticket,) = answer.body["tickets"]
            path = f"/matches/{ticket['match']}/result"
            wait_until(lambda: served.api("POST", path, {"score": 1.0}, token).status in (200, 201))
            assert len(tournament.pending()) == 0
        assert tournament.n_matches == 1
        assert not tournament.verify().problems


def test_a_restarted_service_gives_no_match_away(tmp_path):
    handed = []
    for _ in range(2):
        with (
            Tournament(["anna", "bo", "cy"], tmp_path / "x.db", seed=1) as tournament,
            serving(Service.of(tournament, confidence=None)) as served,
        ):
            tickets = served.api("POST", "/matches", {"n": 5}).body["tickets"]
            handed += [ticket["match"] for ticket in tickets]
            kept = served.api("POST", "/leases", {"matches": handed}).body["kept"]
            assert kept == handed
    assert handed == list(range(1, 11))


@pytest.mark.slow
def test_a_service_that_is_killed_has_lost_nothing_it_acknowledged(tmp_path):
    store = str(tmp_path / "x.db")
    Tournament([f"p{n}" for n in range(10)], store, seed=1).close()
    acknowledged, lock = {}, threading.Lock()

    def work(served):
        with suppress(OSError, http.client.HTTPException):
            while True:
                (ticket,) = served.api("POST", "/matches", {}).body["tickets"]
                score = ticket["seed"] % 3 / 2
                path = f"/matches/{ticket['match']}/result"
                if served.api("POST", path, {"score": score}).status == 201:
                    with lock:
                        acknowledged[ticket["match"]] = score

    words = ("serve", store, "--port", "0", "--confidence", "none")
    for n_wanted in (50, 150):
        with maxin_process(*words, folder=tmp_path) as process:
            served = Served(None, process.stdout.readline().split()[1])
            workers = [threading.Thread(target=work, args=(served,)) for _ in range(8)]
            for worker in workers:
                worker.start()
            wait_until(lambda n_wanted=n_wanted: len(acknowledged) >= n_wanted)
            process.kill()
            for worker in workers:
                worker.join(LONG)
    with Tournament(store=store) as tournament:
        recorded = {match.number: match.score for match in tournament.matches()}
        assert acknowledged.items() <= recorded.items()
        assert not tournament.verify().problems


def test_a_lost_store_is_said_without_its_address(served, monkeypatch):
    def lost(*_, **__):
        raise StoreLost("postgresql://secret-host is gone")

    with monkeypatch.context() as patch:
        patch.setattr(served.service.writer.session, "apply", lost)
        answer = served.api("POST", "/matches", {})
    assert answer.status == 503
    assert answer.headers["retry-after"]
    assert b"secret-host" not in answer.raw
    assert served.api("POST", "/matches", {}).status == 201


def test_a_full_disk_is_said_here_and_in_health(served, monkeypatch, caplog):
    def full(*_, **__):
        words = "database or disk is full"
        raise StoreFailed(f"the store sqlite:///secret.db failed: {words}", reason=words)

    with monkeypatch.context() as patch:
        patch.setattr(served.service.writer.session, "apply", full)
        answers = [served.api("POST", "/matches", {}) for _ in range(2)]
        answers.append(served.ask("GET", "/health"))
    assert [answer.status for answer in answers] == [503] * 3
    assert all("disk is full" in answer.body["detail"] for answer in answers)
    assert all("secret.db" not in answer.body["detail"] for answer in answers)
    said = [record.message for record in caplog.records]
    assert said == ["the store sqlite:///secret.db failed: database or disk is full"]
    assert served.api("POST", "/matches", {}).status == 201
    assert served.ask("GET", "/health").status == 200


def test_a_service_whose_file_is_deleted_acknowledges_nothing(tmp_path, caplog):
    with (
        Tournament(["anna", "bo"], tmp_path / "league.db", seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        (ticket,) = served.api("POST", "/matches", {}).body["tickets"]
        assert served.ask("GET", "/health").status == 200
        for file in tmp_path.glob("league.db*"):
            file.unlink()
        wait_until(lambda: served.ask("GET", "/health").status == 503)  # also if nobody asks
        path = f"/matches/{ticket['match']}/result"
        answer = served.api("POST", path, {"score": 1.0})
        assert answer.status == 503
        assert "its file was deleted" in answer.body["detail"]
        assert str(tmp_path) not in answer.body["detail"]
        assert served.ask("GET", "/").status == 200  # what was known is still shown
    said = [record.message for record in caplog.records]
    assert len(said) == 1
    assert str(tmp_path) in said[0]


def test_trouble_that_nobody_meets_again_is_forgotten():
    now = [0.0]
    trouble = Trouble(lambda _: None, lambda: now[0])
    trouble.note("writer", StoreFailed("x failed: disk is full", reason="disk is full"))
    now[0] = 30.0
    assert trouble.reason == "disk is full"
    now[0] = 90.0
    assert trouble.reason is None


def test_a_mistake_of_ours_is_logged_and_not_shown(served, monkeypatch, caplog):
    def wrong(*_, **__):
        raise ZeroDivisionError("an inner secret")

    monkeypatch.setattr(served.service.writer.session, "apply", wrong)
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
