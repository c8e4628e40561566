"""Who holds the lock of a SQLite database, in each of the ways it can be held."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from maxin.storage import open_store
from maxin.storage.database import sqlite, waiting
from maxin.storage.database.sqlite import file_holder
from tests.helpers.holders import wake
from tests.helpers.processes import is_suspended
from tests.helpers.waiting import wait_until

STATEMENTS = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    connection.execute(statement).fetchall()
os.kill(os.getpid(), signal.SIGSTOP)
"""
REPAIR = """
import fcntl, os, signal, sys
with open(sys.argv[1] + "-shm", "r+b", buffering=0) as index:
    fcntl.lockf(index, fcntl.LOCK_EX, 3, 120)  # to write, to copy the log, to repair
    header = index.read(96)
    index.seek(0)
    index.write(bytes(96))
    os.kill(os.getpid(), signal.SIGSTOP)
    index.seek(0)
    index.write(header)
"""


@pytest.fixture(autouse=True)
def _say_it_at_once(monkeypatch):
    monkeypatch.setattr(waiting, "SILENT_SECONDS", 0.0)
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.02)


@contextmanager
def suspended(code, *arguments):
    """A process that runs `code` until it suspends itself."""
    with subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)]) as process:
        try:
            wait_until(lambda: is_suspended(process.pid))
            yield process
        finally:
            process.kill()


def named(process):
    return f"waiting for process {process.pid}, which holds the store and is suspended"


@pytest.mark.parametrize(
    "statements",
    [
        ["BEGIN EXCLUSIVE"],
        ["BEGIN", "SELECT * FROM sqlite_master"],
        ["PRAGMA journal_mode = WAL", "BEGIN IMMEDIATE"],
        ["PRAGMA journal_mode = WAL", "PRAGMA locking_mode = EXCLUSIVE", "BEGIN IMMEDIATE"],
    ],
    ids=["all of a new file", "reading a new file", "writing", "all of a file with a log"],
)
def test_a_process_that_blocks_opening_a_store_is_named(tmp_path, caplog, statements):
    path = tmp_path / "league.db"
    with suspended(STATEMENTS, path, *statements) as process:

        def end(record):
            process.kill()
            process.wait()  # until then it holds the store, under no name
            return True

        caplog.handler.addFilter(end)
        with closing(open_store(f"sqlite:///{path}")) as store:
            assert store.transact(lambda writer: writer.seq) == 0
        caplog.handler.removeFilter(end)
    assert caplog.messages == [named(process)]


def test_a_reader_waits_while_the_log_is_repaired(tmp_path):
    path, notices = tmp_path / "league.db", []
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.transact(lambda writer: writer.set({"seed": 3}))
        with suspended(REPAIR, path) as process:

            def notice(sentence):
                notices.append(sentence)
                wake(process)

            store.notice = notice
            assert store.settings() == {"seed": 3}
            assert notices == [named(process)]


def test_readers_do_not_wait_for_a_writer(tmp_path):
    path = tmp_path / "league.db"
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.notice = pytest.fail
        with suspended(STATEMENTS, path, "BEGIN IMMEDIATE"):
            assert store.settings() == {}


def test_a_wait_leaves_no_file_open(tmp_path):
    """Closing a file that SQLite has locked would drop the locks of this process."""
    path = tmp_path / "league.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        assert file_holder(path).who == "another connection of this process"
        assert file_holder(path).who == "another connection of this process"


def test_a_link_to_the_database_is_followed(tmp_path):
    url, notices = f"sqlite:///{tmp_path / 'link.db'}", []
    path = tmp_path / "league.db"
    open_store(f"sqlite:///{path}").close()
    (tmp_path / "link.db").symlink_to(path)
    with closing(open_store(url)) as store, suspended(STATEMENTS, path, "BEGIN IMMEDIATE") as held:

        def notice(sentence):
            notices.append(sentence)
            held.kill()
            held.wait()  # until then it holds the store, under no name

        store.notice = notice
        store.transact(lambda writer: None)
    assert notices == [named(held)]


def test_where_no_locks_are_shown_nobody_is_named(tmp_path, monkeypatch):
    path = tmp_path / "league.db"
    path.touch()
    monkeypatch.setattr(sqlite, "LOCKS", tmp_path / "no-such-file")
    assert file_holder(path) == waiting.UNKNOWN


@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("1: POSIX  ADVISORY  WRITE {pid} {device}:{inode} 120 120", "process 1"),
        ("1: POSIX  ADVISORY  WRITE {pid} 00:2a:{inode} 120 120", "process 1"),  # a subvolume
        ("1: POSIX  ADVISORY  WRITE {pid} {device}:{inode} 0 EOF", "process 1"),
        ("1: POSIX  ADVISORY  WRITE 0 {device}:{inode} 120 120", "another process"),  # elsewhere
        ("1: POSIX  ADVISORY  READ {pid} {device}:{inode} 120 120", "another process"),
        ("1: POSIX  ADVISORY  WRITE {pid} {device}:{inode} 121 121", "another process"),
        ("1: -> POSIX  ADVISORY  WRITE {pid} {device}:{inode} 120 120", "another process"),
        ("1: OFDLCK ADVISORY  WRITE -1 {device}:{inode} 120 120", "another process"),
        ("1: POSIX  ADVISORY  WRITE {pid} {device}:1 120 120", "another process"),
    ],
)
def test_lines_of_locks(tmp_path, monkeypatch, line, who):
    path = tmp_path / "league.db"
    (tmp_path / "league.db-shm").touch()
    stat = Path(f"{path}-shm").stat()
    device = f"{os.major(stat.st_dev):02x}:{os.minor(stat.st_dev):02x}"
    locks = tmp_path / "locks"
    locks.write_text(line.format(pid=1, device=device, inode=stat.st_ino) + "\n")
    monkeypatch.setattr(sqlite, "LOCKS", locks)
    assert file_holder(path).who == who
