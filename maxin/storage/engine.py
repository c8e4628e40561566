"""Connections: SQLite that many processes can share, PostgreSQL, and their errors in our words."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from maxin.core import InvalidInput, MaxinError, MissingExtra

BUSY_SECONDS = 120  # how long a process waits for its turn to write to SQLite
ADVISORY_LOCK = 0x6D6178696E  # "maxin": whoever makes the tables in PostgreSQL holds it


class StoreFailed(MaxinError, OSError):
    """The store could not be read or written; nothing that was acknowledged is lost."""


class StoreLost(StoreFailed):
    """The database server went away; it may come back."""


def parse_url(text: str) -> URL:
    """The URL of a store, or an error that shows what one looks like.

    >>> parse_url("sqlite:///league.db").database
    'league.db'
    """
    try:
        url = make_url(text)
    except ArgumentError:
        raise InvalidInput(
            f"a store is a URL such as sqlite:///league.db or postgresql://host/name; got {text!r}"
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise InvalidInput(f"a store is sqlite or postgresql; got {url.drivername!r} in {text!r}")
    return url


def connect(url: URL, *, create: bool) -> Engine:
    """An engine for `url`; one connection a process, that of SQLite in WAL mode."""
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, create=create)
    try:
        return create_engine(url, poolclass=StaticPool)
    except (ModuleNotFoundError, NoSuchModuleError):
        raise MissingExtra(
            "a PostgreSQL store needs the extra `postgres`: pip install 'maxin[postgres]'"
        ) from None


def _sqlite(url: URL, *, create: bool) -> Engine:
    path = Path(url.database) if url.database and url.database != ":memory:" else None
    if path is not None and not create and not path.exists():
        raise InvalidInput(f"there is no store at {path}; `maxin run` or `maxin start` makes one")
    if path is not None and not path.parent.is_dir():
        raise InvalidInput(f"there is no folder {path.parent} for the store {path.name}")
    engine = create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _settle_sqlite)
    event.listen(engine, "begin", _begin_immediately)
    return engine


def _settle_sqlite(connection: Any, _record: object) -> None:
    """Transactions are ours to begin; a commit is on disk when it returns."""
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")


def _write_ahead(connection: Any) -> None:
    """Keep a write-ahead log.

    Of two processes that open a new file at the same moment SQLite turns one away at once, whatever
    the busy timeout, since neither could wait for the other. So the waiting is done here.
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
    """Take the write lock at once: a reader that turns writer could only fail."""
    is_reading = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if is_reading else "BEGIN IMMEDIATE")


def lock_tables(connection: Connection) -> None:
    """Let one process at a time make or upgrade the tables; SQLite's begin does it already."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"))


@contextmanager
def in_our_words(url: URL) -> Iterator[None]:
    """Turn the database's errors into `StoreFailed` with one line that says what to do."""
    try:
        yield
    except DBAPIError as error:
        words = " ".join(str(error.orig).split())
        is_lost = error.connection_invalidated or "connection" in words
        kind = StoreLost if is_lost and url.get_backend_name() == "postgresql" else StoreFailed
        raise kind(f"the store {shown(url)} failed: {words}{_advice(words)}") from error
    except SQLAlchemyError as error:
        raise StoreFailed(f"the store {shown(url)} failed: {error}") from error


def _advice(words: str) -> str:
    """What the user can do about it."""
    if "disk is full" in words or "No space left" in words:
        return "; make room and run again: every result that was acknowledged is kept"
    if "locked" in words:
        return f"; another process held it for {BUSY_SECONDS} seconds"
    if "not a database" in words:
        return "; is it a file of another program?"
    return ""


def shown(url: URL) -> str:
    """The URL without its password."""
    return url.render_as_string(hide_password=True)
