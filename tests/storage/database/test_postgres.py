"""Sessions of a PostgreSQL server: their settings, who holds the lock, and how they end."""

import os
import socket
import subprocess
import sys
from contextlib import closing

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from maxin.storage import StoreFailed, StoreLost, open_store
from maxin.storage.database import waiting
from maxin.storage.database.engine import parse_url
from maxin.storage.database.postgres import (
    LOCK_TABLES,
    client_settings,
    named_holder,
    session_name,
)
from tests.helpers.holders import with_settings
from tests.helpers.inside import value_of
from tests.helpers.waiting import wait_until


@pytest.fixture
def store(postgres_url):
    """A store that looks at once who holds the lock."""
    with closing(open_store(with_settings(postgres_url, lock_timeout=50))) as store:
        yield store


@pytest.fixture
def other(postgres_url):
    """A connection of another program."""
    url = parse_url(postgres_url).update_query_dict({"application_name": "psql"})
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        yield connection


def setting(store, name):
    return value_of(store, f"SELECT current_setting('{name}')")


def test_sessions_have_limits_and_a_name(postgres_url):
    with closing(open_store(postgres_url)) as store:
        assert setting(store, "idle_in_transaction_session_timeout") == "30s"
        assert setting(store, "lock_timeout") == "5s"
        assert setting(store, "tcp_user_timeout") == "30000"
        name = f"maxin {socket.gethostname()} {os.getpid()}"
        assert setting(store, "application_name") == name


def test_what_the_url_sets_wins(postgres_url):
    url = with_settings(postgres_url, lock_timeout=0, idle_in_transaction_session_timeout=7000)
    with closing(open_store(f"{url}&application_name=mine")) as store:
        assert setting(store, "lock_timeout") == "0"
        assert setting(store, "idle_in_transaction_session_timeout") == "7s"
        assert setting(store, "application_name") == "mine"


def test_the_client_notices_a_dead_server():
    settings = client_settings(parse_url("postgresql://host/name?keepalives_idle=7"))
    assert settings.pop("application_name").startswith("maxin ")
    assert settings == {
        "connect_timeout": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
    }


@pytest.mark.parametrize("host", ["kiwi", "a" * 200, "köln\n", "two words"])
def test_the_name_of_a_session_is_short_and_can_be_read_back(host):
    name = session_name(host, 4_194_304)
    assert len(name.encode()) <= 63
    assert named_holder(1, name, None).who.startswith("process 4194304 on ")


@pytest.mark.parametrize("url", ["postgresql+psycopg2://host/name", "postgres://host/name"])
def test_every_postgresql_url_has_our_driver(url):
    assert parse_url(url).drivername == "postgresql+psycopg"


def test_a_session_of_another_program_is_named(store, other, monkeypatch):
    monkeypatch.setattr(waiting, "SILENT_SECONDS", 0.0)
    notices = []
    other.execute(text("SELECT 1 FROM maxin_head FOR UPDATE"))
    session = other.execute(text("SELECT pg_backend_pid()")).scalar_one()

    def notice(sentence):
        notices.append(sentence)
        other.rollback()

    store.notice = notice
    assert store.transact(lambda writer: writer.seq) == 0
    (sentence,) = notices
    head = f"waiting for session {session} of the server (psql), which has held the store for "
    assert sentence.startswith(head)


def test_a_process_that_creates_the_tables_is_named(postgres_url, other, monkeypatch, caplog):
    monkeypatch.setattr(waiting, "SILENT_SECONDS", 0.0)
    other.execute(text(LOCK_TABLES))

    def end(record):
        other.rollback()
        return True

    caplog.handler.addFilter(end)
    open_store(with_settings(postgres_url, lock_timeout=50)).close()
    caplog.handler.removeFilter(end)
    assert "of the server (psql), which has held the store for" in caplog.messages[0]


def test_others_in_the_database_are_not_named(store, other, postgres_url, monkeypatch):
    """Only who has locked the store is: not another program, and not one that waits as we do."""
    monkeypatch.setattr(waiting, "SILENT_SECONDS", 0.0)
    other.execute(text("CREATE TABLE cats (name TEXT)"))
    notices = []

    def give_up(sentence):
        notices.append(sentence)
        raise KeyboardInterrupt

    def is_one_waiting():
        other.execute(text("SELECT pg_stat_clear_snapshot()"))
        return other.execute(text(WAITING)).scalar_one()

    def work(writer):
        url = with_settings(postgres_url, lock_timeout=0)
        with subprocess.Popen([sys.executable, "-c", WAITER, url]) as waiter:
            wait_until(is_one_waiting)
            with pytest.raises(KeyboardInterrupt):
                store.transact(lambda writer: None)
            waiter.kill()

    store.notice = give_up
    with closing(open_store(postgres_url)) as holder:
        holder.transact(work)
    assert [words.split(",")[0] for words in notices] == [
        f"waiting for process {os.getpid()} on {socket.gethostname()}"
    ]


WAITER = """
import sys
from maxin.storage import open_store
store = open_store(sys.argv[1])
store.transact(lambda writer: None)
"""
WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND wait_event_type = 'Lock' AND application_name LIKE 'maxin %'"
)


def test_a_reader_is_in_no_transaction(store, other):
    """So a suspended reader keeps its session, and its work."""
    with store._connected(reads=True) as connection:
        session = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        state = text(f"SELECT state FROM pg_stat_activity WHERE pid = {session}")
        assert other.execute(state).scalar_one() == "idle"
    assert store.transact(lambda writer: writer.event("note")) == 1  # writers are, as before
    assert len(list(store.events())) == 1


@pytest.mark.parametrize(
    "timeout", ["idle_in_transaction_session_timeout", "idle_session_timeout", "terminated"]
)
def test_a_session_that_the_server_ended_is_lost_and_made_again(
    postgres_url, other, timeout, caplog
):
    limits = {} if timeout == "terminated" else {timeout: 200}
    with closing(open_store(with_settings(postgres_url, **limits))) as store:

        def work(writer):
            session = writer._connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
            end_session(other, session, is_ended_by_us=timeout == "terminated")
            writer.event("note")

        if timeout == "idle_session_timeout":
            with store._connected(reads=True) as connection:
                session = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
            end_session(other, session, is_ended_by_us=False)
            work = None
        with pytest.raises(StoreLost, match="terminating connection") as caught:
            store.transact(work)
        is_advised = "was suspended or busy while it held the store" in str(caught.value)
        assert is_advised == (timeout == "idle_in_transaction_session_timeout")
        store.transact(lambda writer: writer.event("note"))
        assert len(list(store.events())) == 1
        assert caplog.messages == []


def test_a_statement_that_fails_is_reported_and_nothing_is_written(store):
    def work(writer):
        writer.event("note")
        writer.seq -= 1  # a number that is taken
        writer.event("note")

    with pytest.raises(StoreFailed, match="duplicate key"):
        store.transact(work)
    assert list(store.events()) == []
    store.transact(lambda writer: writer.event("note"))
    assert len(list(store.events())) == 1


def end_session(other, session, *, is_ended_by_us):
    """Wait until a session is over, and end it before that if nobody else does."""
    if is_ended_by_us:
        other.execute(text(f"SELECT pg_terminate_backend({session})"))
    alive = text(f"SELECT count(*) FROM pg_stat_get_activity({session})")

    def is_over():
        other.rollback()
        return not other.execute(alive).scalar_one()

    wait_until(is_over)


SILENT = """
import sys
from maxin.storage import open_store
store = open_store(sys.argv[1])

def work(writer):
    raw = writer._connection.connection.dbapi_connection.pgconn
    raw.send_query(b"SELECT repeat('x', 1000) FROM generate_series(1, 100000)")
    print("asked", flush=True)
    input()

store.transact(work)
"""


def test_a_process_that_does_not_read_its_answer_loses_its_session(postgres_url):
    """Suspended while a long answer arrives, a session is never idle; the server still ends it."""
    with closing(open_store(postgres_url)) as store:
        url = with_settings(postgres_url, tcp_user_timeout=200)
        with subprocess.Popen(
            [sys.executable, "-c", SILENT, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as silent:
            assert silent.stdout.readline() == b"asked\n"
            assert store.transact(lambda writer: writer.seq) == 0
            silent.kill()
