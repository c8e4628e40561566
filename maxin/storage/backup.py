"""Backups: the whole store in one SQLite file, made while others write, and checked."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, create_engine, insert, select
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from maxin.core import InvalidInput
from maxin.core.files import new_part
from maxin.storage.database.errors import StoreFailed
from maxin.storage.schema import METADATA
from maxin.storage.store import Store

PAGES = 1_000  # of a SQLite file copied at a time; Ctrl-C has no effect until it is done
ROWS = 2_000  # of a server's table copied at a time
BESIDE = ("-wal", "-journal", "-shm")  # what SQLite keeps beside a file in use


class Backup(NamedTuple):
    """A copy of a store: its file, the results in it, its size, and the digest of its end."""

    path: Path
    n_results: int
    n_bytes: int
    digest: str


def back_up(store: Store, path: Path, *, force: bool = False) -> Backup:
    """Copy a store to the SQLite file `path`, and check that the copy is complete.

    It holds the record as of one moment. Open it to resume the tournament from there.

    Args:
        store: may be in use.
        path: must be new; no link is followed.
        force: replace a file that exists.

    >>> import tempfile
    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo"], seed=1)
    >>> tournament.tell(tournament.ask(), 1.0)
    True
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     back_up(tournament.store, Path(folder, "copy.db")).n_results
    1
    """
    _check_target(store, path, force=force)
    try:
        with _new_file(path, force=force) as part:
            n_results, digest = _copy(store, part)
            n_bytes = part.stat().st_size
    except sqlite3.Error as error:
        raise StoreFailed(f"the backup {path} failed: {error}") from error
    return Backup(path, n_results, n_bytes, digest)


def _check_target(store: Store, path: Path, *, force: bool) -> None:
    """Raise unless a copy may be named `path`."""
    if not path.parent.is_dir():
        raise InvalidInput(f"there is no folder {str(path.parent)!r} for {path.name!r}")
    own = store.url.database if store.url.get_backend_name() == "sqlite" else None
    if own and path.exists() and Path(own).exists() and path.samefile(own):
        raise InvalidInput(f"{str(path)!r} is the store itself; choose another file for its copy")
    if path.is_dir():
        raise InvalidInput(f"{str(path)!r} is a folder; a backup must be a file")
    if os.path.lexists(path) and not force:
        raise _taken(path)
    for ending in BESIDE:
        beside = path.with_name(path.name + ending)
        if os.path.lexists(beside):
            # SQLite would take what it holds for changes of the new file.
            raise InvalidInput(
                f"{str(path)!r} is in use, or was left so: there is {beside.name!r}; choose "
                "another file for the backup, or end what uses this one and move both away"
            )


def _taken(path: Path) -> InvalidInput:
    return InvalidInput(f"{str(path)!r} exists; --force, or force=True in Python, overwrites it")


@contextmanager
def _new_file(path: Path, *, force: bool) -> Iterator[Path]:
    """Make a file that gets the name `path` only once it is complete on disk; see `new_part`."""
    part, handle = new_part(path)
    os.close(handle)
    try:
        yield part
        _sync(part)
        if force:
            part.replace(path)
        else:
            _name(part, path)
        _sync(path.parent)
    finally:
        for ending in ("", *BESIDE):
            part.with_name(part.name + ending).unlink(missing_ok=True)


def _name(part: Path, path: Path) -> None:
    """Give a file its name, which must be free."""
    try:
        os.link(part, path, follow_symlinks=False)
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise _taken(path) from None
        part.replace(path)


def _sync(path: Path) -> None:
    """Wait until a file or a folder is on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _copy(store: Store, part: Path) -> tuple[int, str]:
    """Copy a store to an empty file, and audit the copy; returns its results and its digest."""
    place = URL.create("sqlite", database=str(part))
    with store.aside() as source:
        _copy_all(source, place)
    with closing(Store(place, create=False)) as copy:
        found = copy.audit()
    if found.problems:
        raise StoreFailed(
            f"no backup was made, because the record has problems: {found.problems[0]}; "
            "`maxin verify`, or tournament.verify() in Python, lists all"
        )
    with closing(sqlite3.connect(part)) as target:
        target.execute("PRAGMA journal_mode = DELETE")  # everything is in the one file
    return found.n_results, found.digest


def _copy_all(store: Store, place: URL) -> None:
    """Copy the store as of one moment: page by page from SQLite, else row by row."""
    with store.one_moment() as connection:
        if connection.dialect.name == "sqlite":
            raw: Any = connection.connection.dbapi_connection
            with closing(sqlite3.connect(place.database or "")) as target:
                raw.backup(target, pages=PAGES)
        else:
            _copy_rows(connection, place)


def _copy_rows(connection: Connection, place: URL) -> None:
    """Copy the tables of a server."""
    engine = create_engine(place, poolclass=NullPool)
    with engine.begin() as target:
        METADATA.create_all(target)
        for table in METADATA.sorted_tables:
            found = connection.execute(select(table), execution_options={"yield_per": ROWS})
            for rows in found.mappings().partitions():
                target.execute(insert(table), [dict(row) for row in rows])
