"""PostgreSQL's lock: how a transaction gets it, which session holds it, and for how long at most.

The server ends a session that holds the lock and does nothing, because its process was suspended
or its machine is gone. That process finds its connection lost, and does its work again.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from sqlalchemy import Connection
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from maxin.core.text import duration
from maxin.storage.database.waiting import UNKNOWN, Holder, wait_for_lock
from maxin.storage.schema import HEAD

IDLE_SECONDS = 30  # how long a session may hold the lock without a statement
LOCK_SECONDS = 5  # how long a statement waits for the lock before we look who holds it
ADVISORY_LOCK = 0x6D6178696E  # "maxin": held while the tables are created
HEAD_LOCK = 0x6D617869  # "maxi": with the table of the head, held by whoever writes
LOCK_NOT_AVAILABLE = "55P03"
LONGEST_NAME = 63  # bytes of an application's name that the server keeps

SESSION = {  # settings of the server for our sessions, in milliseconds
    "idle_in_transaction_session_timeout": IDLE_SECONDS * 1000,
    "lock_timeout": LOCK_SECONDS * 1000,
    "tcp_user_timeout": IDLE_SECONDS * 1000,  # for a process that does not read what it asked for
}
CLIENT = {  # settings of the client library; a dead server is noticed within half a minute
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": IDLE_SECONDS * 1000,
}

# Writers wait for an advisory lock, which each gets in turn. Those who wait for a row are woken for
# each of its changes; its lock is for other programs.
LOCK_HEAD = f"""
    SELECT pg_advisory_xact_lock({HEAD_LOCK}, '{HEAD.name}'::regclass::oid::int);
    SELECT seq, asked, changed, digest, ahead, extract(epoch FROM clock_timestamp())::float8
    FROM {HEAD.name} FOR UPDATE
"""
LOCK_TABLES = f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"

# A session that locked the row has a transaction number; those that wait have none.
HEAD_HOLDER = f"""
    (l.locktype = 'advisory' AND l.objsubid = 2
    AND l.classid = {HEAD_LOCK} AND l.objid = to_regclass('{HEAD.name}')::oid
    OR l.locktype = 'relation' AND l.relation = to_regclass('{HEAD.name}')
    AND l.mode IN ('RowShareLock', 'RowExclusiveLock') AND a.backend_xid IS NOT NULL)
"""
TABLES_HOLDER = f"""
    l.locktype = 'advisory' AND l.objsubid = 1
    AND l.classid = {ADVISORY_LOCK >> 32} AND l.objid = {ADVISORY_LOCK & 0xFFFFFFFF}
"""
FIND_HOLDER = """
    SELECT a.pid, a.application_name, extract(epoch FROM clock_timestamp() - a.xact_start)
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid AND a.datname = current_database()
    WHERE l.granted AND a.pid <> pg_backend_pid() AND l.database = a.datid AND
"""


class Head(NamedTuple):
    """The head of the record, as the server sends it with the lock."""

    seq: int
    asked: int
    changed: int
    digest: str
    ahead: str
    now: float


def client_settings(url: URL) -> dict[str, Any]:
    """Options for the client library; those in the URL stay as they are.

    >>> from sqlalchemy.engine import make_url
    >>> client_settings(make_url("postgresql://host/name?keepalives_idle=7"))["connect_timeout"]
    10
    """
    ours = {**CLIENT, "application_name": session_name(socket.gethostname(), os.getpid())}
    return {key: value for key, value in ours.items() if key not in url.query}


def session_name(host: str, pid: int) -> str:
    """The name of a session, by which other processes say who holds the lock.

    >>> session_name("kiwi", 4711)
    'maxin kiwi 4711'
    """
    room = LONGEST_NAME - len(f"maxin  {pid}")
    place = "".join(letter if "!" <= letter <= "~" else "?" for letter in host)
    return f"maxin {place[:room]} {pid}"


def settle_postgres(connection: Any, _record: object) -> None:
    """Limit how long the session may hold a lock, unless the URL or PGOPTIONS do."""
    with connection.cursor() as cursor:
        for name, value in SESSION.items():
            cursor.execute(
                "SELECT set_config(name, %s, false) FROM pg_settings "
                "WHERE name = %s AND source <> 'client'",
                (str(value), name),
            )
    connection.commit()


def read_outside_transactions(_connection: Connection, options: dict[str, Any]) -> None:
    """Read without a transaction: a suspended reader then holds nothing, and loses nothing.

    Each statement sees what was committed before it, as in a transaction of this server. A
    connection with the option `is_one_moment` has a transaction, and sees what there was before.
    """
    if options.get("reads", False):
        is_one = options.get("is_one_moment", False)
        options["isolation_level"] = "REPEATABLE READ" if is_one else "AUTOCOMMIT"


def begin_postgres(connection: Connection) -> None:
    """Begin a transaction, and take the lock of all writers or of whoever creates the tables."""
    options = connection.get_execution_options()
    if options.get("reads", False):
        return
    is_preparing = options.get("prepares", False)
    statement = LOCK_TABLES if is_preparing else LOCK_HEAD
    condition = TABLES_HOLDER if is_preparing else HEAD_HOLDER

    def attempt() -> bool:
        try:
            found = connection.exec_driver_sql(statement)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
                raise
            return False
        if not is_preparing:
            found.cursor.nextset()  # after that of the lock
            # The holder of the lock needs it next: see `Writer`.
            connection.info["head"] = Head(*found.cursor.fetchone() or ())
        found.close()
        return True

    def holder() -> Holder:
        query = f"{FIND_HOLDER} {condition} ORDER BY a.xact_start LIMIT 1"
        connection.connection.rollback()  # the server shows its sessions as of the transaction
        found = connection.exec_driver_sql(query).first()
        connection.connection.rollback()
        return UNKNOWN if found is None else named_holder(*found)

    wait_for_lock(attempt, holder, options["notice"])


@contextmanager
def sent_together(connection: Connection) -> Iterator[None]:
    """Within it, what a transaction writes is sent to a server at once, and the commit with it.

    Others wait for the lock, so none of the statements waits for the answer to the one before. One
    comes before it, whose answer says why if the server has ended the session: here that is lost.
    """
    if connection.dialect.name != "postgresql":
        yield
        return
    raw: Any = connection.connection.dbapi_connection
    failure = None
    # What the client library says at the end of a pipeline is about one that failed already, or
    # whose commit was answered.
    with suppress(connection.dialect.loaded_dbapi.Error), raw.pipeline():
        try:
            yield
        except Exception as error:
            failure = error
    if failure is not None:
        with suppress(connection.dialect.loaded_dbapi.Error):
            raw.rollback()
        raise failure


def named_holder(session: int, name: str | None, seconds: float | None) -> Holder:
    """A session by its process and machine, or by its number if it is not ours.

    >>> named_holder(812, "maxin kiwi 4711", 12.3)
    Holder(who='process 4711 on kiwi', what='which has held the store for 12 s')
    >>> named_holder(812, "psql", 12.3).who
    'session 812 of the server (psql)'
    """
    words = (name or "").split(" ")
    if words[0] == "maxin" and len(words) == 3:
        who = f"process {words[2]} on {words[1]}"
    else:
        who = f"session {session} of the server" + (f" ({name})" if name else "")
    if seconds is None:
        return Holder(who, "which holds the store")
    return Holder(who, f"which has held the store for {duration(float(seconds))}")
