"""The report of a service: made in a process, once, and not for ever."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.pages import report
from maxin.service.service import Service
from maxin.tournament import Tournament
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG, wait_until


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    monkeypatch.setattr(report, "PATIENCE", LONG)
    monkeypatch.setattr(report, "LONGEST", LONG)


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A service of a store in a file, and the processes that it has started."""
    with Tournament(["anna", "bo", "cy"], tmp_path / "league.db", seed=1) as tournament:
        for score in (1.0, 0.5, 1.0):
            tournament.tell(tournament.ask(), score)
        service = Service.of(tournament, confidence=None)
        started, start = [], report.Groups.start
        monkeypatch.setattr(
            report.Groups, "start", lambda *given: started.append(given) or start(*given)
        )
        with serving(service) as found:
            found.started = started
            yield found


def test_a_report_is_made_once_in_a_process(served):
    answers = [served.ask("GET", path) for path in ("/report", "/report?x=1")]
    etag = answers[0].headers["etag"]
    assert answers[0].raw == answers[1].raw
    page = answers[0].raw.decode()
    assert "Tournament report" in page
    assert 'href="/matches"' in page
    assert served.ask("GET", "/report", If_None_Match=etag).status == 304
    assert len(served.started) == 1
    assert "league.db" not in " ".join(served.started[0][1])  # a URL may have a password


def test_a_report_that_takes_too_long_is_given_up(served, monkeypatch):
    monkeypatch.setattr(report, "LONGEST", 0.01)
    for _ in range(2):
        answer = served.ask("GET", "/report", accept="text/html")
        assert answer.status == 503
        assert "takes more than 0.01 seconds; `maxin report`, in a shell" in answer.raw.decode()
    assert len(served.started) == 1


def test_viewers_do_not_wait_for_ever(served, monkeypatch):
    monkeypatch.setattr(report, "PATIENCE", 0.01)
    answer = served.ask("GET", "/report")
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert "load this page again" in answer.body["detail"]


def test_a_failed_report_is_tried_again_and_its_reason_is_in_the_log(served, monkeypatch, caplog):
    with monkeypatch.context() as patch:
        patch.setattr(report, "STORE", "MAXIN_NO_STORE")
        answer = served.ask("GET", "/report")
    assert (answer.status, "the log of the service" in answer.body["detail"]) == (503, True)
    assert "KeyError" in caplog.text
    assert served.ask("GET", "/report").status == 200


def test_a_tournament_without_a_report_says_why(served):
    tournament = served.service.tournament
    tournament.retire("anna", "bo", "cy")
    while (answer := served.ask("GET", "/report")).status == 200:
        pass
    assert answer.status == 422
    assert "a report needs a player who is not retired" in answer.body["detail"]


def test_a_report_of_a_server_is_made_too(postgres_url):
    with (
        Tournament(["anna", "bo"], postgres_url, seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as found,
    ):
        assert b"Tournament report" in found.ask("GET", "/report").raw


def test_a_service_that_ends_kills_the_process(tmp_path, monkeypatch):
    program, number = tmp_path / "never", tmp_path / "number"
    program.write_text(
        f"#!/bin/sh\necho $$ > {number}.part\nmv {number}.part {number}\nsleep 1000\n"
    )
    program.chmod(0o700)
    monkeypatch.setattr(report, "sys", SimpleNamespace(executable=str(program)))
    with (
        ThreadPoolExecutor() as pool,
        Tournament(["anna", "bo"], tmp_path / "league.db", seed=1) as tournament,
    ):
        with serving(Service.of(tournament, confidence=None)) as found:
            asked = pool.submit(found.ask, "GET", "/report")
            wait_until(number.exists)
        asked.exception(LONG)  # it got an answer, or lost its connection
    wait_until(lambda: not Path("/proc", number.read_text().strip()).exists())
