"""The store: what is written is there, in order, whoever wrote it; the same on both databases."""

import multiprocessing
import sqlite3

import pytest
from sqlalchemy import text

from maxin.core import InvalidInput
from maxin.storage import Asking, StoreFailed, Telling, open_store
from maxin.storage import schema as schema_module
from maxin.storage.engine import parse_url


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return "sqlite://" if request.param == "memory" else f"sqlite:///{tmp_path / 'league.db'}"


@pytest.fixture
def store(url):
    store = open_store(url)
    yield store
    store.close()


def write_a_match(writer, number, score=None):
    writer.ask(Asking(number, 0, 1, seed=7), "me", lease=60.0)
    if score is not None:
        writer.tell(Telling(number, 0, 1, score), "me")


def test_entries_come_back_in_the_order_they_were_written(store):
    def work(writer):
        written = [
            writer.player(0, "anna", "active", {"depth": 3}),
            writer.player(1, "bo", "active", {}),
            writer.ask(Asking(1, 0, 1, seed=7), "me", lease=60.0),
            writer.demand(1, 0),
            writer.tell(Telling(1, 0, 1, 0.25, games=(0.5, 0.0)), "me"),
            writer.ask(Asking(2, 1, 0, seed=8), "me", lease=60.0),
            writer.void(2, "it hung"),
            writer.player(1, "bo", "paused"),
        ]
        return written

    written = store.transact(work)
    assert list(store.entries()) == written
    assert [entry.seq for entry in written] == list(range(1, 9))
    assert list(store.entries(after=5)) == written[5:]


def test_results_come_back_with_all_that_belongs_to_them(store):
    telling = Telling(1, 0, 1, 0.5, (1.0, 0.0), ("slow",), {"plies": 12})
    elsewhere = Telling(None, 1, 0, 1.0, source="old.csv", line=3)

    def work(writer):
        writer.ask(Asking(1, 0, 1, seed=7), "me", lease=60.0)
        writer.ask(Asking(1, 0, 1, seed=7), "you", lease=60.0)  # again
        writer.tell(telling, "you")
        writer.tell(elsewhere, "me")

    store.transact(work)
    rows = list(store.told())
    assert [row.telling for row in rows] == [telling, elsewhere]
    assert [row.seed for row in rows] == [7, None]
    assert [row.worker for row in rows] == ["you", "me"]


def test_nothing_is_written_when_the_work_fails(store):
    def work(writer):
        write_a_match(writer, 1, 1.0)
        writer.flush()
        raise RuntimeError("changed my mind")

    with pytest.raises(RuntimeError, match="changed my mind"):
        store.transact(work)
    assert list(store.entries()) == []
    assert store.transact(lambda writer: writer.seq) == 0


def test_a_result_is_there_once(store):
    store.transact(lambda writer: write_a_match(writer, 1, 1.0))
    with pytest.raises(StoreFailed):
        store.transact(lambda writer: writer.tell(Telling(1, 0, 1, 1.0), "you"))
    assert store.transact(lambda writer: writer.told_score(1)) == 1.0
    assert store.transact(lambda writer: writer.told_score(2)) is None


def test_a_lease_lasts_until_its_match_is_told(store):
    store.transact(lambda writer: write_a_match(writer, 1))
    (lease,) = store.leases()
    assert (lease.match, lease.worker) == (1, "me")
    assert lease.until == pytest.approx(lease.since + 60.0)
    store.transact(lambda writer: writer.lease([1], "you", 5.0))
    assert [row.worker for row in store.leases()] == ["you"]
    store.transact(lambda writer: writer.tell(Telling(1, 0, 1, 1.0), "me"))
    assert store.leases() == []


def test_players_are_their_latest_row(store):
    def work(writer):
        writer.player(0, "anna", "active", {"depth": 3})
        writer.player(1, "bo 'the' \"best\"; ✓", "active", {})
        writer.player(0, "anna", "retired")

    store.transact(work)
    assert [(row.name, row.state) for row in store.players()] == [
        ("anna", "retired"),
        ("bo 'the' \"best\"; ✓", "active"),
    ]
    assert store.players()[0].options == {"depth": 3}


def test_settings_and_snapshots_and_events_come_back(store):
    store.transact(lambda writer: writer.set({"seed": 3, "match": None}))
    assert store.settings() == {"seed": 3, "match": None}
    store.save_snapshot(4, "a", b"old")
    store.save_snapshot(5, "a", b"state")
    assert store.snapshot("a") == (5, b"state")
    assert store.snapshot("b") is None
    store.transact(lambda writer: writer.event("failed", match=1, reason="it hung"))
    store.transact(lambda writer: writer.event("note"))
    assert [event.detail for event in store.events("failed")] == [{"reason": "it hung"}]
    assert len(list(store.events())) == 2


def test_long_records_are_read_in_pages(store, monkeypatch):
    monkeypatch.setattr("maxin.storage.entries.PAGE", 7)
    monkeypatch.setattr("maxin.storage.store.PAGE", 7)

    def work(writer):
        for number in range(1, 31):
            write_a_match(writer, number, number / 31)

    store.transact(work)
    assert len(list(store.entries())) == 60
    assert [row.telling.match for row in store.told()] == list(range(1, 31))
    assert store.transact(lambda writer: len(list(writer.entries(10)))) == 50


def ask_and_tell(url, times):
    store = open_store(url)
    for _ in range(times):

        def work(writer):
            number = writer.seq // 2 + 1
            write_a_match(writer, number, 1.0)

        store.transact(work)
    store.close()


def open_at_once(url, barrier):
    barrier.wait()
    open_store(url).close()


def test_a_new_store_can_be_opened_by_many_at_the_same_moment(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(4)
    for number in range(2):
        url = f"sqlite:///{tmp_path}/{number}.db"
        openers = [context.Process(target=open_at_once, args=(url, barrier)) for _ in range(4)]
        for opener in openers:
            opener.start()
        for opener in openers:
            opener.join()
        assert [opener.exitcode for opener in openers] == [0] * 4


def test_processes_take_turns(url):
    if url == "sqlite://":
        pytest.skip("memory is not shared")
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=ask_and_tell, args=(url, 25)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    store = open_store(url)
    assert [entry.match for entry in store.entries() if entry.kind == "tell"] == list(range(1, 101))
    store.close()


def test_an_older_schema_is_upgraded_and_a_newer_one_refused(url, monkeypatch):
    if url == "sqlite://":
        pytest.skip("memory does not last")
    store = open_store(url)
    store.transact(lambda writer: write_a_match(writer, 1, 1.0))
    store.close()

    def add_a_column(connection):
        connection.execute(text("ALTER TABLE maxin_told ADD COLUMN referee TEXT"))

    with monkeypatch.context() as patch:
        patch.setattr(schema_module, "UPGRADES", [add_a_column])
        store = open_store(url)
        assert [row.telling.score for row in store.told()] == [1.0]
        store.transact(lambda writer: write_a_match(writer, 2, 0.5))
        store.close()
        open_store(url).close()  # and once is enough
    with pytest.raises(InvalidInput, match="schema 2, written by a newer maxin"):
        open_store(url)


def test_a_failed_upgrade_leaves_the_store_as_it_was(url, monkeypatch):
    if url == "sqlite://":
        pytest.skip("memory does not last")
    open_store(url).close()

    def halfway(connection):
        connection.execute(text("ALTER TABLE maxin_told ADD COLUMN referee TEXT"))
        raise RuntimeError("the lights went out")

    with monkeypatch.context() as patch:
        patch.setattr(schema_module, "UPGRADES", [halfway])
        with pytest.raises(RuntimeError, match="the lights went out"):
            open_store(url)
    store = open_store(url)
    store.transact(lambda writer: write_a_match(writer, 1, 1.0))
    store.close()


def test_sqlite_is_shared_and_safe(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'league.db'}")
    with store._connected() as connection:
        pragmas = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "synchronous", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 120_000}
    store.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("league.db", "a store is a URL such as sqlite:///league.db"),
        ("mysql://host/name", "a store is sqlite or postgresql; got 'mysql'"),
        ("sqlite:////no/such/folder/league.db", "there is no folder /no/such/folder"),
    ],
)
def test_urls_that_are_no_store_are_refused(url, words):
    with pytest.raises(InvalidInput, match=words):
        open_store(url)


def test_opening_without_making(tmp_path):
    with pytest.raises(InvalidInput, match=r"there is no store at .*league\.db"):
        open_store(f"sqlite:///{tmp_path / 'league.db'}", create=False)
    sqlite3.connect(tmp_path / "other.db").close()
    (tmp_path / "other.db").touch()
    with pytest.raises(InvalidInput, match="there is no tournament in"):
        open_store(f"sqlite:///{tmp_path / 'other.db'}", create=False)


def test_a_file_of_another_program_is_no_store(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database at all, but long enough to be read\n" * 99)
    with pytest.raises(StoreFailed, match="is it a file of another program"):
        open_store(f"sqlite:///{tmp_path / 'notes.txt'}")


def test_passwords_are_not_shown():
    url = parse_url("postgresql://anna:secret@host/league")
    assert url.drivername == "postgresql+psycopg"
    with pytest.raises(StoreFailed) as caught:
        open_store("postgresql://anna:secret@127.0.0.1:1/league")
    assert "secret" not in str(caught.value)
