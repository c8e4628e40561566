"""SQLite: its lock, which process holds it, and whether a name still leads to the file in use."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from maxin.storage.database.errors import StoreFailed
from maxin.storage.database.waiting import UNKNOWN, Holder, wait_for_lock

LOCKS = Path("/proc/locks")  # of Linux
BUSY_SECONDS = 1.0  # how long SQLite waits by itself: Ctrl-C has no effect until it returns

# The bytes that SQLite locks, from https://www.sqlite.org/fileformat2.html and os_unix.c
WRITER, RECOVERY, OPENING = 120, 122, 128  # of the -shm file
FIRST_OF_FILE, LAST_OF_FILE = 0x40000000, 0x40000000 + 511  # of the database itself


class FileLock(NamedTuple):
    """A line of /proc/locks."""

    pid: int
    is_exclusive: bool
    device: str
    inode: int
    first: int
    last: int


def begin_sqlite(connection: Connection) -> None:
    """Begin a transaction once the lock is free: that of writers, or that of readers.

    A writer takes the lock at once: a reader that later writes could only fail. A reader waits
    only while another process opens, closes or repairs the database.
    """
    check_file(connection)
    if connection.get_execution_options().get("reads", False):
        _wait(connection, "BEGIN", "SELECT 1 FROM sqlite_master")
        return
    if not connection.info.get("is_settled", False):
        # Two processes that switch a new file to WAL are refused at once, without a wait.
        _wait(connection, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")
        connection.info["is_settled"] = True
    _wait(connection, "BEGIN IMMEDIATE")


def settle_sqlite(connection: Any, _record: object) -> None:
    """We begin transactions and wait for the lock ourselves."""
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")


def _wait(connection: Connection, *statements: str) -> None:
    raw: Any = connection.connection.dbapi_connection

    def attempt() -> bool:
        try:
            for statement in statements:
                connection.exec_driver_sql(statement).close()
        except DBAPIError as error:
            if not _is_busy(error.orig):
                raise
            raw.rollback()
            return False
        return True

    def holder() -> Holder:
        ((_, _, path),) = raw.execute("PRAGMA database_list").fetchmany(1)
        return file_holder(Path(path))

    notice = connection.get_execution_options()["notice"]
    wait_for_lock(attempt, holder, notice)


def _is_busy(error: BaseException | None) -> bool:
    """Whether another process holds the file; PROTOCOL is the error of a long race to open."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL)


def file_holder(path: Path) -> Holder:
    """The process that holds the lock of a SQLite database, if this system shows it.

    >>> file_holder(Path("no-such-file-1.db")).who
    'another process'
    """
    pid = _holding_process(path)
    if pid is None:
        return UNKNOWN
    if pid == os.getpid():
        return Holder("another connection of this process", "which holds the store")
    state = " and is suspended" if _is_suspended(pid) else ""
    return Holder(f"process {pid}", f"which holds the store{state}")


def _holding_process(path: Path) -> int | None:
    """The holder of the most important lock.

    The files are not opened: if this process closed one of them, it would lose its own locks.
    """
    locks = list(_file_locks())
    shared = _locks_on(locks, path.with_name(f"{path.name}-shm"))
    database = _locks_on(locks, path)
    held = [
        lock
        for byte in (WRITER, RECOVERY, OPENING)
        for lock in shared
        if lock.is_exclusive and lock.first <= byte <= lock.last
    ]
    in_file = [
        lock for lock in database if lock.first <= LAST_OF_FILE and lock.last >= FIRST_OF_FILE
    ]
    held += [lock for lock in in_file if lock.is_exclusive]
    if not shared:  # without a write-ahead log, a reader stops writers
        held += [lock for lock in in_file if lock.pid != os.getpid()]
    return next((lock.pid for lock in held if lock.pid > 0), None)


def _locks_on(locks: list[FileLock], path: Path) -> list[FileLock]:
    """The locks on a file.

    Some file systems report another device for a file than for its locks. So the number of the
    file decides, and the device only where several have that number.
    """
    try:
        stat = path.stat()
    except OSError:
        return []
    device = f"{os.major(stat.st_dev):02x}:{os.minor(stat.st_dev):02x}"
    found = [lock for lock in locks if lock.inode == stat.st_ino]
    return [lock for lock in found if lock.device == device] or found


def _file_locks() -> Iterator[FileLock]:
    """The locks on files that Linux shows; on other systems, none."""
    try:
        lines = LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        return
    for line in lines:
        words = line.split()
        if words[1] == "POSIX":  # a process that waits for the lock has an arrow here
            device, _, inode = words[5].rpartition(":")
            last = 2**63 if words[7] == "EOF" else int(words[7])
            is_exclusive = words[3] == "WRITE"
            yield FileLock(int(words[4]), is_exclusive, device, int(inode), int(words[6]), last)


def _is_suspended(pid: int) -> bool:
    """Whether the process was stopped, by Ctrl-Z or a debugger."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] in ("T", "t")


# The file


def note_file(path: str, record: Any) -> None:
    """Remember which file a new connection has opened under this name.

    A reader does not need this: it sees the file as it was when it was opened.
    """
    record.info["file"] = path, file_number(path)


def check_file(connection: Connection) -> None:
    """Raise `StoreFailed` unless the file that is open still has its name.

    A file that was deleted can be written until it is closed, and then it is gone with everything
    in it. So this is checked before a transaction, and again before its commit is relied on.
    """
    path, number = connection.info.get("file", ("", None))
    if path and (number is None or file_number(path) != number):
        raise StoreFailed(
            f"the store {connection.engine.url} failed: its file was deleted, moved or replaced "
            "while it was in use; put it back, or restore a backup and start again",
            reason="its file was deleted, moved or replaced",
        )


def file_number(path: str) -> tuple[int, int] | None:
    """The number that identifies a file on this machine; None if the file does not exist."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
