"""A store examined from outside: can it be reached, read and written, and is the clock right?"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.engine import URL

from maxin.core import MaxinError
from maxin.core.text import duration
from maxin.storage.database.engine import (
    HOW_TO_CREATE,
    connect,
    is_writable,
    shown,
    transaction,
)
from maxin.storage.database.errors import NoStore
from maxin.storage.database.waiting import log_notice
from maxin.storage.machine import CLOCK_SKEW
from maxin.storage.rows import check_head
from maxin.storage.schema import HEAD, RECORD, check_version, is_prepared
from maxin.storage.writer import clock

MAY_CREATE = "has_schema_privilege(current_schema(), 'CREATE')"
MAY_WRITE = " AND ".join(
    [
        f"has_table_privilege('{HEAD.name}', 'UPDATE')",
        *(f"has_table_privilege('{table.name}', 'INSERT')" for table in RECORD),
    ]
)


@dataclass
class Checkup:
    """What is known about a store.

    Attributes:
        store: its address, without secrets.
        database: the software and its version; empty if the store cannot be reached.
        schema: the version of its tables; None if there is no tournament.
        is_writable: whether this user may write to it.
        clock_ahead: by how many seconds our clock is ahead of the server's; None without a server.
        problems: what is wrong with it.
    """

    store: str
    database: str = ""
    schema: int | None = None
    is_writable: bool = False
    clock_ahead: float | None = None
    problems: list[str] = field(default_factory=list)


def check_up(url: URL) -> Checkup:
    """Examine a store as far as it can be reached; nothing in it is changed.

    >>> from maxin.storage.database.engine import parse_url
    >>> check_up(parse_url("no-such-folder/league.db")).problems[0].partition(";")[0]
    'no store at no-such-folder/league.db'
    """
    found = Checkup(shown(url))
    try:
        with _reading(url) as connection:
            _examine(connection, found)
    except MaxinError as error:
        found.problems.append(str(error))
    return found


@contextmanager
def _reading(url: URL) -> Iterator[Connection]:
    engine = connect(url, create=False, reads=True)
    try:
        with transaction(engine, reads=True, notice=log_notice) as connection:
            yield connection
    finally:
        engine.dispose()


def _examine(connection: Connection, found: Checkup) -> None:
    is_server = connection.dialect.name == "postgresql"
    if is_server:
        version = connection.exec_driver_sql("SHOW server_version").scalar_one()
        found.database = f"PostgreSQL {version}"
        found.clock_ahead = _clock_ahead(connection)
    else:
        found.database = f"SQLite {sqlite3.sqlite_version}"
    is_there = is_prepared(connection)
    found.is_writable = (
        _is_writable_server(connection, MAY_WRITE if is_there else MAY_CREATE)
        if is_server
        else is_writable(Path(connection.engine.url.database or "."))
    )
    if not found.is_writable:
        found.problems.append(f"the store {found.store} cannot be written by this user")
    if not is_there:
        raise NoStore(f"no tournament in {found.store}; {HOW_TO_CREATE}")
    found.schema = check_head(connection)
    check_version(found.schema)
    skew = found.clock_ahead or 0.0
    if abs(skew) > CLOCK_SKEW:
        way = "ahead of" if skew > 0.0 else "behind"
        found.problems.append(
            f"the clock of this machine is {duration(abs(skew))} {way} that of {found.store}; "
            "leases do not depend on it, but the times of results do"
        )


def _is_writable_server(connection: Connection, privileges: str) -> bool:
    """Whether the server takes changes, as a standby does not, and takes them from this user."""
    statement = f"SELECT current_setting('transaction_read_only') = 'off' AND {privileges}"
    return bool(connection.exec_driver_sql(statement).scalar_one())


def _clock_ahead(connection: Connection) -> float:
    """Our time in the middle of the question, less the server's."""
    before = time.time()
    server = clock(connection)
    return (before + time.time()) / 2.0 - server
