"""Connections: SQLite shared by many processes, PostgreSQL, and their errors in plain English."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from maxin.core import InvalidInput, MaxinError, MissingExtra

BUSY_SECONDS = 120  # how long a process waits for its turn to write to SQLite
ADVISORY_LOCK = 0x6D6178696E  # "maxin": held while the tables are created in PostgreSQL


class StoreFailed(MaxinError, OSError):
    """The store could not be read or written; nothing that was acknowledged is lost."""


class StoreLost(StoreFailed):
    """The database server went away; it may come back."""


def parse_url(text: str) -> URL:
    """Parse the URL of a store; the error shows what one looks like.

    >>> parse_url("sqlite:///league.db").database
    'league.db'
    """
    try:
        url = make_url(text)
    except ArgumentError:
        raise InvalidInput(
            "a store must be a URL such as sqlite:///league.db or postgresql://host/name; "
            f"got {text!r}"
        ) from None
    except ValueError as error:  # a port that is no number
        raise InvalidInput(f"a store must be a URL; {error} in {text!r}") from None
    if "plugin" in url.query:  # SQLAlchemy would import what it names
        raise InvalidInput("the URL of a store must have no plugin; got " + repr(shown(url)))
    if url.drivername in ("postgresql", "postgres", "postgresql+psycopg"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise InvalidInput(
            f"a store must be sqlite or postgresql; got {url.drivername!r} in {shown(url)!r}"
        )
    _check_sqlite_url(url)
    return url


def _check_sqlite_url(url: URL) -> None:
    """Refuse what SQLite would reject later, or what would change how the store is opened."""
    if url.query:
        raise InvalidInput(
            f"the URL of a SQLite store must have no options; got {', '.join(url.query)} in "
            f"{shown(url)!r}"
        )
    if any((url.host, url.username, url.password, url.port)):
        raise InvalidInput(
            "the URL of a SQLite store names a file after three slashes, as in "
            f"sqlite:///league.db; got {shown(url)!r}"
        )
    if not (url.database or "").isprintable():
        raise InvalidInput(
            f"the URL of a store must have no control characters; got {url.database!r}"
        )


def connect(url: URL, *, create: bool, reads: bool = False) -> Engine:
    """An engine for `url`: one connection per process, SQLite in WAL mode.

    With `reads`, a SQLite file is opened as it is, also where nothing can be written.
    """
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, create=create, reads=reads)
    try:
        return create_engine(url, poolclass=StaticPool)
    except (ModuleNotFoundError, NoSuchModuleError):
        raise MissingExtra(
            "a PostgreSQL store needs the extra `postgres`: pip install 'maxin[postgres]'"
        ) from None


def _sqlite(url: URL, *, create: bool, reads: bool) -> Engine:
    path = Path(url.database) if url.database and url.database != ":memory:" else None
    if path is not None:
        _check_path(path, create=create)
    how: dict[str, Any] = {"connect_args": {"check_same_thread": False}}
    if reads and path is not None and not _is_writable(path):
        address = _address(path)
        how = {"creator": lambda: sqlite3.connect(address, uri=True, check_same_thread=False)}
    engine = create_engine(url, poolclass=StaticPool, **how)
    event.listen(engine, "connect", _take_turns if reads else _settle_sqlite)
    event.listen(engine, "begin", _begin_immediately)
    return engine


def _check_path(path: Path, *, create: bool) -> None:
    """Raise unless there is a store at `path`, or room for one."""
    try:
        is_there, is_folder = path.exists(), path.parent.is_dir()
    except OSError as error:  # such as a name that is too long
        raise InvalidInput(f"no store at {str(path)!r}: {error.strerror}") from None
    if not create and not is_there:
        raise InvalidInput(f"no store at {path}; `maxin run` or `maxin start` creates one")
    if not is_folder:
        raise InvalidInput(f"no folder {path.parent} for the store {path.name}")
    if path.is_file():
        _check_ours(path)


def _is_writable(path: Path) -> bool:
    """Whether SQLite can write the file, and the files that it keeps beside it."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def _address(path: Path) -> str:
    """The address that opens a file for reading and writes nothing, not even beside it.

    A write-ahead log holds results that are not in the file yet, so it must be read too. SQLite
    does so through an index beside the log, which it makes if it can. Without a log, the file is
    complete: SQLite reads it as one that cannot change, and needs no other file.
    """
    log, index = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    has_log = log.exists() and (log.stat().st_size > 0 or index.exists())
    how = "mode=ro" if has_log else "mode=ro&immutable=1"
    return f"file:{quote(str(path.absolute()))}?{how}"


def _check_ours(path: Path) -> None:
    """Refuse a database of another program before anything is changed in it.

    Without a write-ahead log beside it, the file is read as it is: no lock, no file is made.
    """
    try:
        with closing(sqlite3.connect(_address(path), uri=True)) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = [name for (name,) in rows]
    except sqlite3.Error:
        return  # opening it as a store says what is wrong with it
    if tables and not any(name.startswith("maxin_") for name in tables):
        raise InvalidInput(
            f"{path} belongs to another program: it has the tables {', '.join(tables)}; "
            "choose another file for the store"
        )


def _take_turns(connection: Any, _record: object) -> None:
    """We begin transactions ourselves, and wait while another process writes."""
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")


def _settle_sqlite(connection: Any, record: object) -> None:
    """A commit is on disk when it returns."""
    _take_turns(connection, record)
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")


def _write_ahead(connection: Any) -> None:
    """Switch to a write-ahead log.

    When two processes open a new file at the same moment, SQLite refuses one of them at once,
    whatever the busy timeout, because neither could wait for the other. So we wait here.
    """
    last = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > last:
                raise
            time.sleep(0.01)


def _begin_immediately(connection: Connection) -> None:
    """Take the write lock at once: a reader that later writes could only fail."""
    is_reading = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if is_reading else "BEGIN IMMEDIATE")


def lock_tables(connection: Connection) -> None:
    """Let one process at a time create or upgrade the tables; SQLite's BEGIN does so already."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"))


@contextmanager
def plain_errors(url: URL) -> Iterator[None]:
    """Turn the database's errors into `StoreFailed`, one line that says what to do."""
    try:
        yield
    except DBAPIError as error:
        words = " ".join(str(error.orig).split())
        is_lost = error.connection_invalidated or "connection" in words
        kind = StoreLost if is_lost and url.get_backend_name() == "postgresql" else StoreFailed
        raise kind(f"the store {shown(url)} failed: {words}{_advice(words, url)}") from error
    except SQLAlchemyError as error:
        raise StoreFailed(f"the store {shown(url)} failed: {error}") from error


def _advice(words: str, url: URL) -> str:
    """What the user can do about it."""
    if "disk is full" in words or "No space left" in words:
        return "; make room and run again: every result that was acknowledged is kept"
    if "locked" in words:
        return f"; another process held it for {BUSY_SECONDS} seconds"
    if "readonly" in words:
        return "; it needs write permission for its file and its folder"
    if "unable to open" in words and _has_unread_log(url):
        return (
            "; results are in the write-ahead log beside it, which can be read only with write "
            "permission for the folder: copy the file and its -wal file to another folder"
        )
    if "not a database" in words:
        return "; is it a file of another program?"
    return ""


def _has_unread_log(url: URL) -> bool:
    log = Path(f"{url.database}-wal")
    return url.get_backend_name() == "sqlite" and log.is_file() and log.stat().st_size > 0


def shown(url: URL) -> str:
    """The URL without its password."""
    return url.render_as_string(hide_password=True)
