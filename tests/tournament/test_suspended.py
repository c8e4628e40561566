"""A process that is suspended while it holds the store does not stop the others for good."""

import os
import socket

import pytest

from maxin.storage import waiting
from maxin.tournament import Tournament
from tests.helpers.holders import finished, holder, wake, with_settings

NAMES = ["anna", "bo", "cy"]


@pytest.fixture
def tournament(tmp_path):
    """A tournament with one pending match, match 1."""
    yield from _opened(f"sqlite:///{tmp_path / 'league.db'}")


@pytest.fixture
def served(postgres_url):
    """The same on a server."""
    yield from _opened(postgres_url)


def _opened(url):
    with Tournament(NAMES, url, seed=1) as tournament:
        tournament.url = url
        tournament.ask()
        yield tournament


def scores(tournament):
    with Tournament(store=tournament.url) as other:
        assert other.verify().problems == []
        return sorted((row.number, row.score) for row in other.matches())


def test_sqlite_names_the_suspended_process_and_waits_for_it(tournament):
    with holder(tournament.url, 0.25) as process:
        notices = []

        def notice(sentence):
            notices.append(sentence)
            wake(process)

        tournament.store.notice = notice
        assert tournament.tell(1, 1.0)
        assert finished(process) == "True\n"
    words = "which holds the store and is suspended"
    assert notices == [f"waiting for process {process.pid}, {words}"]
    assert scores(tournament) == [(1, 1.0), (2, 0.25)]


def test_sqlite_continues_when_the_suspended_process_is_killed(tournament):
    with holder(tournament.url, 0.25) as process:
        tournament.store.notice = lambda sentence: process.kill()
        assert tournament.tell(1, 1.0)
    assert process.returncode < 0
    assert scores(tournament) == [(1, 1.0)]
    assert tournament.ask().id == 2  # the match of the dead process, again


def test_opening_waits_too(tournament, caplog):
    with holder(tournament.url) as process:
        notices = []

        def emit(record):
            notices.append(record.getMessage())
            wake(process)
            return True

        caplog.handler.addFilter(emit)
        Tournament(store=tournament.url).close()
        caplog.handler.removeFilter(emit)
        assert notices[0].startswith(f"waiting for process {process.pid}, which holds the store")
        assert finished(process) == "True\n"


def test_a_connection_of_this_process_is_named_too(tournament):
    notices = []
    with Tournament(store=tournament.url) as other:

        def work(writer):
            def give_up(sentence):
                notices.append(sentence)
                raise KeyboardInterrupt

            other.store.notice = give_up
            with pytest.raises(KeyboardInterrupt):
                other.tell(1, 1.0)

        tournament.store.transact(work)
        assert other.tell(1, 0.5)  # the interrupted wait has left nothing behind
    assert notices == ["waiting for another connection of this process, which holds the store"]
    assert scores(tournament) == [(1, 0.5)]


def check_server_ends_the_session(tournament, url, monkeypatch):
    """The holder loses its session, the others continue, and then it does its work again."""
    monkeypatch.setattr(waiting, "SILENT_SECONDS", 0.0)
    notices = []
    tournament.store.notice = notices.append
    with holder(url, 0.25) as process:
        assert tournament.tell(1, 1.0)
        assert scores(tournament) == [(1, 1.0)]
        wake(process)
        assert finished(process) == "True\n"
    place = f"process {process.pid} on {socket.gethostname()}"
    assert len(notices) == 1
    assert notices[0].startswith(f"waiting for {place}, which has held the store for ")
    assert scores(tournament) == [(1, 1.0), (2, 0.25)]


def test_postgresql_ends_the_session_of_a_suspended_process(served, monkeypatch):
    served.close()
    served.store.notice = None
    with Tournament(store=with_settings(served.url, lock_timeout=100)) as tournament:
        tournament.url = served.url
        url = with_settings(served.url, idle_in_transaction_session_timeout=2000)
        check_server_ends_the_session(tournament, url, monkeypatch)


@pytest.mark.slow
def test_postgresql_ends_the_session_in_half_a_minute_by_default(served, monkeypatch):
    check_server_ends_the_session(served, served.url, monkeypatch)
