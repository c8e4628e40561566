"""The store: matches and results, on disk before anyone relies on them."""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Engine,
    Executable,
    Row,
    Select,
    func,
    select,
)
from sqlalchemy.engine import URL

from maxin.core import Match
from maxin.storage.ahead import Ahead
from maxin.storage.audit import Audit, audit
from maxin.storage.database.engine import (
    HOW_TO_CREATE,
    connect,
    copied_to_memory,
    parse_url,
    shown,
    transaction,
)
from maxin.storage.database.errors import NoStore
from maxin.storage.database.postgres import sent_together
from maxin.storage.database.waiting import Notice, log_notice
from maxin.storage.entries import PAGE, has_key, is_retracted, read_entries
from maxin.storage.records import Counted, Entry, Lease, PlayedMatch, PlayerRow, StoredEvent
from maxin.storage.results import (
    Unfinished,
    counted_results,
    last_hand_outs,
    read_played,
    read_unfinished,
    recorded_lines,
    seed_of_result,
    select_results,
)
from maxin.storage.rows import RowReader, check_head, check_terms, count_players, read_players
from maxin.storage.schema import (
    ASKED,
    EVENTS,
    HEAD,
    LEASES,
    PLAYERS,
    RECORD,
    REQUEST,
    RETRACTED,
    SETTINGS,
    TOLD,
    check_empty,
    is_prepared,
    prepare,
    schema_version,
)
from maxin.storage.writer import Writer, clock

Done = TypeVar("Done")
MANY = 500  # numbers in one statement; SQLite allows 999 or more
PAGE_SIZE = 1 << 22  # characters of text in a page of rows: results may have a lot of data
ROWS_AHEAD = 100  # that a server sends before they are asked for


def open_store(url: str | Path, *, create: bool = True, reads: bool = False) -> Store:
    """Open the store at a URL, or in a SQLite file, and create it unless it must exist.

    With `reads`, a store that exists is opened for reading, also without write permission.

    >>> store = open_store("sqlite://")  # in memory
    >>> store.transact(lambda writer: writer.seq)
    0
    """
    return Store(parse_url(url), create=create and not reads, reads=reads)


class Store:
    """One tournament's record; safe for many threads, processes and machines at once.

    Writers take turns: a transaction holds the store's one lock from its start to its commit, so
    numbers are given out in the order of commits and every process reads the same record.
    A writer waits for its turn as long as it takes; if another process keeps the lock for some
    seconds, `notice` is called with a sentence that names it. By default that is a warning in the
    log. A store that nobody holds any more closes its connection, so `close` only makes it sooner.

    >>> store = open_store("sqlite://")
    >>> _ = store.transact(lambda writer: writer.player(0, "anna", "active", {}))
    >>> [(entry.seq, entry.kind) for entry in store.entries()]
    [(1, 'player')]
    """

    def __init__(self, url: URL, *, create: bool, reads: bool = False) -> None:
        self.url = url
        self.notice: Notice = log_notice
        self._reads = reads
        self._turn = threading.RLock()
        self._use(connect(url, create=create, reads=reads))
        try:
            self._prepare(create)
        except BaseException:
            self.close()
            raise

    def _use(self, engine: Engine) -> None:
        self._engine = engine
        weakref.finalize(self, _disconnect, engine, os.getpid())

    def _prepare(self, create: bool) -> None:
        copied = None
        if not create:
            with self._connected(reads=True) as connection:
                if not is_prepared(connection):
                    raise NoStore(f"no tournament in {self}; {HOW_TO_CREATE}")
                if check_head(connection) == schema_version():
                    check_terms(connection)
                    return
                copied = copied_to_memory(connection) if self._reads else None
            if copied is not None:  # a reader upgrades a copy, and changes nothing
                self.close()
                self._use(copied)
        with self._connected(reads=False, prepares=True) as connection:
            check_empty(connection)
            prepare(connection)
            if copied is not None:
                connection.exec_driver_sql("PRAGMA query_only = ON")  # else it would be lost

    def __str__(self) -> str:
        return shown(self.url)

    def identity(self) -> str:
        """A unique ID of this store, whatever URL leads to it: the digest of its first entry.

        A store from before there were digests is known by its address.
        """
        first = [select(table.c.digest).where(table.c.seq == 1) for table in RECORD]
        with self._connected(reads=True) as connection:
            found = [digest for one in first if (digest := connection.execute(one).scalar())]
        return str(found[0]) if found else shown(self.url)

    def close(self) -> None:
        """Close the connection to the database."""
        self._engine.dispose()

    @property
    def is_in_memory(self) -> bool:
        """Whether only this process can read it."""
        is_sqlite = self.url.get_backend_name() == "sqlite"
        return is_sqlite and self.url.database in (None, "", ":memory:")

    @contextmanager
    def aside(self) -> Iterator[Store]:
        """The same store for what takes long to read: other threads do not wait for it.

        A store in memory has one connection, for which they wait.
        """
        if self.is_in_memory:
            yield self
            return
        other = Store(self.url, create=False, reads=True)
        try:
            yield other
        finally:
            other.close()

    def transact(self, work: Callable[[Writer], Done]) -> Done:
        """Run `work` in one transaction; returns its result once everything is on disk.

        If `work` raises, nothing is written.
        """
        with self._connected() as connection:
            writer = Writer(connection)
            done = work(writer)
            writer.write_head()
            with sent_together(connection):
                writer.flush()
                connection.commit()
        return done

    @contextmanager
    def _connected(self, **options: Any) -> Iterator[Connection]:
        """A transaction on our one connection; threads take turns."""
        how = {"notice": self.notice, "reads": self._reads, **options}
        with self._turn, transaction(self._engine, **how) as connection:
            yield connection

    def one_moment(self) -> AbstractContextManager[Connection]:
        """A connection that reads the store as of one moment, while others write."""
        return self._connected(reads=True, is_one_moment=True)

    def query(
        self, statement: Executable, values: Mapping[str, Any] | None = None
    ) -> Sequence[Row[Any]]:
        """What a statement of this room finds, in a transaction of its own."""
        with self._connected(reads=True) as connection:
            return connection.execute(statement, values).all()

    def first_rows(self, statement: Select[Any], size: int) -> tuple[list[Row[Any]], bool]:
        """The first rows that a statement finds, and whether these are all.

        They end before their texts have more than `size` characters together; the first is always
        there. The others are not read, however many and large they are.
        """
        rows: list[Row[Any]] = []
        lazy = {"stream_results": True, "max_row_buffer": ROWS_AHEAD}
        with (
            self.one_moment() as connection,
            connection.execute(statement, execution_options=lazy) as found,
        ):
            for row in found:
                size -= sum(len(value) for value in row if isinstance(value, str))
                if rows and size < 0:
                    return rows, False
                rows.append(row)
        return rows, True

    def _pages(self, statement: Select[Any], seq: Any, after: int) -> Iterator[Any]:
        """The rows of `statement` after `after`, in order, one page at a time."""
        while True:
            rest = statement.where(seq > after).order_by(seq)
            page, is_whole = self.first_rows(rest.limit(PAGE), PAGE_SIZE)
            yield from page
            if is_whole and len(page) < PAGE:
                return
            after = page[-1].seq

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """The record after `after`, in order."""
        return self._record(after)

    def standing(self, after: int, until: int) -> Iterator[Entry]:
        """The record after `after` up to `until`, with results retracted by then as void.

        See `read_entries`.
        """
        return self._record(after, until)

    def _record(self, after: int, as_of: int | None = None) -> Iterator[Entry]:
        check = None
        while True:
            with self._connected(reads=True) as connection:
                page, check = read_entries(connection, after, as_of, last=check)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].seq

    def played(self, after: int = 0, *, retracted: bool = False) -> Iterator[PlayedMatch[int]]:
        """The results, in the order they were recorded; with `retracted`, also those taken back."""
        for row in self._pages(select_results(retracted=retracted), TOLD.c.seq, after):
            yield read_played(self, row)

    def seeds(self) -> Iterator[tuple[int, Any]]:
        """For each result of a match, its number and its seed; None if it was never handed out."""
        numbered = select(TOLD.c.seq, TOLD.c.match, seed_of_result())
        for row in self._pages(numbered.where(TOLD.c.match.is_not(None)), TOLD.c.seq, 0):
            yield row.match, row.seed

    def result_data(self, key: str) -> Iterator[dict[str, Any]]:
        """The data of the results in which this key occurs, in the order of the record."""
        rows = select(TOLD.c.seq, TOLD.c.data).where(has_key(key))
        for row in self._pages(rows, TOLD.c.seq, 0):
            yield RowReader(self.url, TOLD, row).json("data", dict)

    def events(
        self, *kinds: str, after: int = 0, match: int | None = None
    ) -> Iterator[StoredEvent]:
        """What else happened after entry `after`, in order; of the given kinds, or of all.

        With `match`, only what is about the match of this number.
        """
        statement = select(EVENTS)
        if match is not None:
            statement = statement.where(EVENTS.c.match == match)
        if kinds:
            stored = [REQUEST if kind == "request" else kind for kind in kinds]
            statement = statement.where(EVENTS.c.kind.in_(stored))
        n_players = 0
        for row in self._pages(statement, EVENTS.c.seq, after):
            read = RowReader(self.url, EVENTS, row)
            kind, number = read.text("kind"), read.optional_whole("match", 1)
            player = read.optional_whole("player", 0)
            if player is not None and player >= n_players:
                n_players = self.n_players()
                read.optional_whole("player", 0, n_players - 1)
            detail = read.json("detail", dict)
            named = "request" if kind == REQUEST else kind
            yield StoredEvent(named, number, player, detail, read.time(), row.seq)

    def n_players(self) -> int:
        """How many players there are, those that were removed included."""
        with self._connected(reads=True) as connection:
            return count_players(connection)

    def seats(self, numbers: Collection[int]) -> dict[int, Match]:
        """Who plays these matches, first seat first; those never handed out are left out."""
        found: dict[int, Match] = {}
        fields = (ASKED.c.match, ASKED.c.first, ASKED.c.second)
        wanted = sorted(numbers)
        for start in range(0, len(wanted), MANY):
            some = ASKED.c.match.in_(wanted[start : start + MANY])
            for row in self.query(select(*fields).where(some)):
                found[row.match] = Match(row.first, row.second)
        return found

    def players(self) -> list[PlayerRow]:
        """Every player as of its latest change, by number."""
        with self._connected(reads=True) as connection:
            return read_players(connection)

    def settings(self) -> dict[str, Any]:
        """The settings the tournament was started with; empty for a new one."""
        rows = self.query(select(SETTINGS))
        return {row.key: json.loads(row.value) for row in rows}

    def now(self) -> float:
        """The time by which leases are counted; see `Writer.now`."""
        with self._connected(reads=True) as connection:
            return clock(connection)

    def leases(self) -> list[Lease]:
        """The matches being played, as far as we know."""
        return [Lease._make(row) for row in self.query(select(LEASES).order_by(LEASES.c.match))]

    def handed_out(self) -> dict[int, tuple[float, str]]:
        """When each match that has a lease was last handed out (seconds since 1970); its fence."""
        with self._connected() as connection:
            return last_hand_outs(connection)

    def field(self, until: int) -> list[Entry]:
        """The entries about players up to number `until`, in order."""
        named = (PLAYERS.c.seq, PLAYERS.c.player, PLAYERS.c.name, PLAYERS.c.state)
        statement = select(*named).where(PLAYERS.c.seq <= until).order_by(PLAYERS.c.seq)
        with self._connected(reads=True) as connection:
            rows = connection.execute(statement).all()
        return [
            Entry(seq, "player", first=player, name=name, state=state)
            for seq, player, name, state in rows
        ]

    def counted(self, until: int) -> Counted:
        """What the record holds up to number `until`."""
        asked = select(func.max(ASKED.c.match)).where(ASKED.c.seq <= until)
        ends = [select(func.max(table.c.seq)) for table in RECORD]
        with self._connected(reads=True) as connection:
            last = max(connection.execute(end).scalar() or 0 for end in ends)
            n_asked = connection.execute(asked).scalar() or 0
            return Counted(last, n_asked, counted_results(connection, until))

    def ahead(self) -> Ahead | None:
        """The matches that were chosen ahead, if there are any."""
        (row,) = self.query(select(HEAD.c.ahead))
        return Ahead.read(RowReader(self.url, HEAD, row))

    def seq(self) -> int:
        """The number of the last entry."""
        ((found,),) = self.query(select(HEAD.c.seq))
        return int(found)

    def n_results(self) -> int:
        """How many results stand."""
        counts = [select(func.count()).select_from(table) for table in (TOLD, RETRACTED)]
        with self._connected(reads=True) as connection:
            told, retracted = (connection.execute(count).scalar() or 0 for count in counts)
        return told - retracted

    def audit(self, digest: str = "") -> Audit:
        """See `maxin.storage.audit.audit`."""
        return audit(partial(self._connected, reads=True), self.one_moment, digest)

    def sources(self, *, retracted: bool = True) -> list[str]:
        """Where imported results come from, in alphabetical order.

        Without `retracted`, only those that have results which stand.
        """
        named = select(TOLD.c.source).where(TOLD.c.source.is_not(None)).distinct()
        if not retracted:
            named = named.where(~is_retracted())
        return sorted(row.source for row in self.query(named))

    def n_retracted(self, source: str) -> int:
        """How many results of a source were taken back."""
        taken = select(func.count()).select_from(TOLD).where(TOLD.c.source == source)
        ((found,),) = self.query(taken.where(is_retracted()))
        return int(found)

    def reported_twice(self) -> list[int]:
        """The matches with more than one result that stands; only damage can cause that."""
        stands = (TOLD.c.match.is_not(None), ~is_retracted())
        twice = select(TOLD.c.match).where(*stands).group_by(TOLD.c.match)
        return [row.match for row in self.query(twice.having(func.count() > 1))]

    def recorded_from(self, source: str, lines: tuple[int, int]) -> dict[int, tuple[Entry, bool]]:
        """See `recorded_lines`."""
        with self._connected(reads=True) as connection:
            return recorded_lines(connection, source, lines)

    def unfinished(self, until: int) -> Unfinished:
        """What the record leaves open after number `until`."""
        with self._connected(reads=True) as connection:
            return read_unfinished(connection, until)


def _disconnect(engine: Engine, owner: int) -> None:
    """Close the connection of a store that is gone; a fork leaves its parent's connection open."""
    engine.dispose(close=os.getpid() == owner)
