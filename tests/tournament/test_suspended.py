"""A process that is suspended while it holds the store does not stop the others for good."""

import signal
import socket
from contextlib import ExitStack

import pytest

from maxin.storage.database import waiting
from maxin.tournament import Tournament
from maxin.worker import Blocked
from tests.helpers.holders import finished, holder, wake, with_settings
from tests.helpers.proxy import proxy

NAMES = ["anna", "bo", "cy"]


@pytest.fixture(autouse=True)
def _say_it_at_once(monkeypatch):
    monkeypatch.setattr(waiting, "SILENT_SECONDS", 0.0)


@pytest.fixture
def tournament(tmp_path):
    """A tournament with one pending match, match 1."""
    url = f"sqlite:///{tmp_path / 'league.db'}"
    with Tournament(NAMES, url, seed=1, scheduler="random") as tournament:
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


def check_server_ends_the_session(url, lose=None, restore=wake, far=None, **how):
    """Its server ends the session of a lost process; the others continue, and then it does too."""
    notices = []
    with Tournament(NAMES, with_settings(url, lock_timeout=100), seed=1) as tournament:
        tournament.url = url
        tournament.ask()
        tournament.store.notice = notices.append
        with holder(far or url, 0.25, **how) as process:
            if lose is not None:
                lose()
            assert tournament.tell(1, 1.0)
            assert scores(tournament) == [(1, 1.0)]
            restore(process)
            assert finished(process) == "True\n"
        assert scores(tournament) == [(1, 1.0), (2, 0.25)]
    place = f"process {process.pid} on {socket.gethostname()}"
    assert notices[0].startswith(f"waiting for {place}, which has held the store for ")
    assert sum(place in sentence for sentence in notices) == 1


def test_postgresql_ends_the_session_of_a_suspended_process(postgres_url):
    settings = "SET LOCAL idle_in_transaction_session_timeout = 2000"
    check_server_ends_the_session(postgres_url, settings=settings)


@pytest.mark.slow
def test_postgresql_ends_the_session_in_half_a_minute_by_default(postgres_url):
    check_server_ends_the_session(postgres_url)


@pytest.mark.slow
def test_postgresql_ends_the_session_of_a_machine_that_is_gone(postgres, postgres_url):
    with proxy(postgres.port) as way:

        def restore(process):
            """The machine is back, and its old connection is refused."""
            way.reset()
            process.stdin.write("\n")
            process.stdin.flush()

        far = postgres_url.replace(str(postgres.port), str(way.port))
        check_server_ends_the_session(postgres_url, way.cut, restore, far=far, how="ask")


def test_a_run_says_that_it_is_blocked_and_continues(tournament):
    tournament.tell(1, 1.0)
    with ExitStack() as stack:
        processes, seen = [], []

        def play(first, second, seed):
            if not processes:
                processes.append(stack.enter_context(holder(tournament.url)))
            return 0.5

        def watch(event):
            seen.append(event)
            if isinstance(event, Blocked):
                wake(processes[0])

        before = tournament.store.notice
        report = tournament.run(play, budget=4, confidence=None, watch=watch)
        (blocked,) = (event for event in seen if isinstance(event, Blocked))
        assert blocked.reason.startswith(f"waiting for process {processes[0].pid}, which holds")
        assert finished(processes[0]) == "True\n"
    assert tournament.store.notice == before
    assert report.n_matches == 4


def test_the_second_interrupt_ends_a_blocked_run(tournament):
    tournament.tell(1, 1.0)
    with ExitStack() as stack:
        processes = []

        def play(first, second, seed):
            processes.append(stack.enter_context(holder(tournament.url)))
            return 0.5

        def watch(event):
            if isinstance(event, Blocked):
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            tournament.run(play, budget=4, confidence=None, watch=watch)
        wake(processes[0])
        assert finished(processes[0]) == "True\n"
    assert [number for number, _ in scores(tournament)] == [1, 3]
