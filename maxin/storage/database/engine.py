"""Connections: SQLite shared by many processes, PostgreSQL, and their errors in plain English."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Compiled, Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from maxin.core import InvalidInput, MissingExtra
from maxin.core.text import without_secrets
from maxin.storage.database.errors import NoStore, StoreFailed, StoreLost
from maxin.storage.database.postgres import (
    begin_postgres,
    client_settings,
    read_outside_transactions,
    settle_postgres,
)
from maxin.storage.database.sqlite import begin_sqlite, check_file, note_file, settle_sqlite

# Names of the server in URLs; we use psycopg 3 whatever other programs use.
POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg", "postgresql+psycopg2")
HOW_TO_CREATE = "`maxin run`, `maxin start` or, in Python, Tournament(players, store) creates one"
FILES = (".db", ".sqlite", ".sqlite3")  # endings of a SQLite file


class _Statements(dict[Any, Compiled]):
    """The compiled statements of all stores of a process, by the kind of database.

    SQLAlchemy puts the dialect of a store first in a key, which no other store shares.
    """

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((key[0].name, *key[1:]), default)

    def __setitem__(self, key: Any, compiled: Compiled) -> None:
        super().__setitem__((key[0].name, *key[1:]), compiled)


STATEMENTS = {"compiled_cache": _Statements()}


def file_url(store: str | Path) -> str:
    """The URL of a store: that of a SQLite file for a path, or a name such as league.db.

    >>> file_url("league.db"), file_url(Path("league.db")), file_url("postgresql://host/name")
    ('sqlite:///league.db', 'sqlite:///league.db', 'postgresql://host/name')
    """
    is_file = isinstance(store, Path) or ("://" not in store and store.endswith(FILES))
    return f"sqlite:///{store}" if is_file else str(store)


def parse_url(store: str | Path) -> URL:
    """Parse the URL of a store, or the path of its file; the error shows what one looks like.

    >>> parse_url("sqlite:///league.db").database, parse_url("league.db").database
    ('league.db', 'league.db')
    """
    text = file_url(store)
    try:
        url = make_url(text)
    except ArgumentError:
        raise InvalidInput(
            "a store must be a URL such as sqlite:///league.db or postgresql://host/name, or a "
            f"file such as league.db; got {without_secrets(text)!r}"
        ) from None
    except ValueError:
        raise InvalidInput(
            f"a store must be a URL whose port is a number; got {without_secrets(text)!r}"
        ) from None
    if "plugin" in url.query:  # SQLAlchemy would import what it names
        raise InvalidInput("the URL of a store must have no plugin; got " + repr(shown(url)))
    if "@" in (url.host or ""):
        raise InvalidInput(
            f"an @ in the password of a store must be written as %40; got {without_secrets(text)!r}"
        )
    if url.drivername in POSTGRESQL:
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

    A transaction of a connection with the option `reads` only reads; any other has the lock of
    all writers from its start, or with `prepares` that of whoever creates the tables. While it
    waits for the lock, it says so to the option `notice`.
    """
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, create=create, reads=reads)
    return _postgres(url)


def _postgres(url: URL) -> Engine:
    try:
        engine = create_engine(
            url,
            poolclass=StaticPool,
            connect_args=client_settings(url),
            execution_options=STATEMENTS,
        )
    except (ModuleNotFoundError, NoSuchModuleError):
        raise MissingExtra(
            "a PostgreSQL store needs the extra `postgres`: pip install 'maxin[postgres]'"
        ) from None
    event.listen(engine, "connect", settle_postgres)
    event.listen(engine, "set_connection_execution_options", read_outside_transactions)
    event.listen(engine, "begin", begin_postgres)
    return engine


def _sqlite(url: URL, *, create: bool, reads: bool) -> Engine:
    path = Path(url.database) if url.database and url.database != ":memory:" else None
    if path is not None:
        _check_path(path, create=create)
    how: dict[str, Any] = {"connect_args": {"check_same_thread": False}}
    if reads and path is not None and not is_writable(path):
        address = _address(path)
        how = {"creator": lambda: sqlite3.connect(address, uri=True, check_same_thread=False)}
    engine = _sqlite_engine(url, **how)
    if path is not None and not reads:
        absolute = str(path.absolute())
        event.listen(engine, "connect", lambda _, record: note_file(absolute, record))
    return engine


def _sqlite_engine(url: URL, **how: Any) -> Engine:
    engine = create_engine(url, poolclass=StaticPool, execution_options=STATEMENTS, **how)
    event.listen(engine, "connect", settle_sqlite)
    event.listen(engine, "begin", begin_sqlite)
    return engine


@contextmanager
def transaction(engine: Engine, **options: Any) -> Iterator[Connection]:
    """A transaction; when it has ended without an error, everything is on disk.

    `connect` has the options.
    """
    with plain_errors(engine.url), engine.connect() as connection:
        with connection.execution_options(**options).begin():
            yield connection
        if not options.get("reads", False):
            check_file(connection)


def copied_to_memory(connection: Connection) -> Engine | None:
    """An engine for a copy of a SQLite database in memory; None for a server's.

    It keeps the URL, which errors name.
    """
    if connection.dialect.name != "sqlite":
        return None
    raw: Any = connection.connection.dbapi_connection
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    raw.backup(copy)
    return _sqlite_engine(connection.engine.url, creator=lambda: copy)


def _check_path(path: Path, *, create: bool) -> None:
    """Raise unless there is a store at `path`, or room for one."""
    try:
        is_there, is_folder = path.exists(), path.parent.is_dir()
    except OSError as error:  # such as a name that is too long
        raise InvalidInput(f"no store at {str(path)!r}: {error.strerror}") from None
    if not create and not is_there:
        raise NoStore(f"no store at {path}; {HOW_TO_CREATE}")
    if not is_folder:
        raise InvalidInput(f"no folder {path.parent} for the store {path.name}")
    if path.is_file():
        _check_ours(path)


def is_writable(path: Path) -> bool:
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


@contextmanager
def plain_errors(url: URL) -> Iterator[None]:
    """Turn the database's errors into `StoreFailed`, one line that says what to do."""
    try:
        yield
    except DBAPIError as error:
        words = " ".join(str(error.orig).split())
        is_lost = error.connection_invalidated or "connection" in words
        if is_lost and url.get_backend_name() == "postgresql":
            reason = f"{_last_reason(str(error.orig))}{_advice(words, url)}"
            raise StoreLost(f"the store {shown(url)} cannot be reached: {reason}") from error
        raise StoreFailed(
            f"the store {shown(url)} failed: {words}{_advice(words, url)}", reason=words
        ) from error
    except SQLAlchemyError as error:
        raise StoreFailed(f"the store {shown(url)} failed: {error}") from error


def _last_reason(words: str) -> str:
    """The reason in what the client library says, without its guesses and earlier attempts."""
    reason = words.strip().rpartition("failed: ")[2].partition("\n")[0]
    return " ".join(reason.split())


def _advice(words: str, url: URL) -> str:
    """What the user can do about it."""
    if "disk is full" in words or "No space left" in words:
        return "; make room and run again: every result that was acknowledged is kept"
    if "idle-in-transaction" in words:
        return (
            "; this process was suspended or busy while it held the store; to allow more time, "
            "set idle_in_transaction_session_timeout in the options of the URL"
        )
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
    """The URL as a user writes it, without its secrets.

    >>> shown(make_url("postgresql+psycopg://me:secret@host:5432/name?password=secret"))
    'postgresql://me:***@host:5432/name?password=***'
    """
    plain = url.set(drivername=url.get_backend_name())
    return without_secrets(plain.render_as_string(hide_password=True))
