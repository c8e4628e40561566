"""Connections: SQLite shared by many processes, PostgreSQL, and their errors in plain English."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from maxin.core import InvalidInput, MaxinError, MissingExtra
from maxin.storage.postgres_lock import (
    begin_postgres,
    client_settings,
    read_outside_transactions,
    settle_postgres,
)
from maxin.storage.sqlite_lock import begin_sqlite, settle_sqlite


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
    if url.get_backend_name() in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() != "sqlite":
        raise InvalidInput(
            f"a store must be sqlite or postgresql; got {url.drivername!r} in {text!r}"
        )
    return url


def connect(url: URL, *, create: bool) -> Engine:
    """An engine for `url`: one connection per process, SQLite in WAL mode.

    A transaction of a connection with the option `reads` only reads; any other has the lock of
    all writers from its start, or with `prepares` that of whoever creates the tables. While it
    waits for the lock, it says so to the option `notice`.
    """
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, create=create)
    return _postgres(url)


def _postgres(url: URL) -> Engine:
    try:
        engine = create_engine(url, poolclass=StaticPool, connect_args=client_settings(url))
    except (ModuleNotFoundError, NoSuchModuleError):
        raise MissingExtra(
            "a PostgreSQL store needs the extra `postgres`: pip install 'maxin[postgres]'"
        ) from None
    event.listen(engine, "connect", settle_postgres)
    event.listen(engine, "set_connection_execution_options", read_outside_transactions)
    event.listen(engine, "begin", begin_postgres)
    return engine


def _sqlite(url: URL, *, create: bool) -> Engine:
    path = Path(url.database) if url.database and url.database != ":memory:" else None
    if path is not None and not create and not path.exists():
        raise InvalidInput(f"no store at {path}; `maxin run` or `maxin start` creates one")
    if path is not None and not path.parent.is_dir():
        raise InvalidInput(f"no folder {path.parent} for the store {path.name}")
    if path is not None and path.is_file():
        _check_ours(path)
    engine = create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
    event.listen(engine, "connect", settle_sqlite)
    event.listen(engine, "begin", begin_sqlite)
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
    if "idle-in-transaction" in words:
        return (
            "; this process was suspended or busy while it held the store; to allow more time, "
            "set idle_in_transaction_session_timeout in the options of the URL"
        )
    if "not a database" in words:
        return "; is it a file of another program?"
    return ""


def shown(url: URL) -> str:
    """The URL without its password."""
    return url.render_as_string(hide_password=True)
