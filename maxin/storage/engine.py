"""Connections: SQLite shared by many processes, PostgreSQL, and their errors in plain English."""

from __future__ import annotations

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
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise InvalidInput(
            f"a store must be sqlite or postgresql; got {url.drivername!r} in {text!r}"
        )
    return url


def connect(url: URL, *, create: bool) -> Engine:
    """An engine for `url`: one connection per process, SQLite in WAL mode."""
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
        raise InvalidInput(f"no store at {path}; `maxin run` or `maxin start` creates one")
    if path is not None and not path.parent.is_dir():
        raise InvalidInput(f"no folder {path.parent} for the store {path.name}")
    if path is not None and path.is_file():
        _check_ours(path)
    engine = create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _settle_sqlite)
    event.listen(engine, "begin", _begin_immediately)
    return engine


def _check_ours(path: Path) -> None:
    """Refuse a database of another program before anything is changed in it.

    Without a write-ahead log beside it, the file is read as it is: no lock, no file is made.
    """
    log = path.with_name(f"{path.name}-wal")
    how = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
    address = f"file:{quote(str(path.absolute()))}?{how}"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = [name for (name,) in rows]
    except sqlite3.Error:
        return  # opening it as a store says what is wrong with it
    if tables and not any(name.startswith("maxin_") for name in tables):
        raise InvalidInput(
            f"{path} belongs to another program: it has the tables {', '.join(tables)}; "
            "choose another file for the store"
        )


def _settle_sqlite(connection: Any, _record: object) -> None:
    """We begin transactions ourselves, and a commit is on disk when it returns."""
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
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
