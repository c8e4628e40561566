"""The store: what was asked and told, on disk before anybody believes it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, func, insert, select
from sqlalchemy.engine import URL

from maxin.core import InvalidInput
from maxin.storage.engine import connect, in_our_words, lock_tables, parse_url, shown
from maxin.storage.entries import PAGE, read_story
from maxin.storage.records import Entry, Event, Lease, PlayerRow, Telling, ToldRow
from maxin.storage.schema import (
    ASKED,
    EVENTS,
    LEASES,
    PLAYERS,
    SETTINGS,
    SNAPSHOTS,
    TOLD,
    check_empty,
    is_prepared,
    prepare,
)
from maxin.storage.writer import Writer

Done = TypeVar("Done")


def open_store(url: str, *, create: bool = True) -> Store:
    """The store at `url`, made if it is not there; without `create`, it must be.

    >>> store = open_store("sqlite://")  # in memory
    >>> store.transact(lambda writer: writer.seq)
    0
    """
    return Store(parse_url(url), create=create)


class Store:
    """One tournament's record; safe for many threads, processes and machines at once.

    Writers take turns: a transaction holds the one lock of the store from its start to its
    commit, so that numbers are given out in the order of commits and every process that reads
    the record reads the same story.

    >>> store = open_store("sqlite://")
    >>> _ = store.transact(lambda writer: writer.player(0, "anna", "active", {}))
    >>> [(entry.seq, entry.kind) for entry in store.entries()]
    [(1, 'player')]
    """

    def __init__(self, url: URL, *, create: bool) -> None:
        self.url = url
        self._turn = threading.RLock()
        self._engine = connect(url, create=create)
        try:
            self._prepare(create)
        except BaseException:
            self.close()
            raise

    def _prepare(self, create: bool) -> None:
        with self._connected() as connection:
            if not create and not is_prepared(connection):
                raise InvalidInput(
                    f"there is no tournament in {self}; `maxin run` or `maxin start` makes one"
                )
            lock_tables(connection)
            check_empty(connection)
            prepare(connection)

    def __str__(self) -> str:
        return shown(self.url)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def transact(self, work: Callable[[Writer], Done]) -> Done:
        """What `work` returns, once all it wrote is on disk; nothing is written if it raises."""
        with self._connected() as connection:
            writer = Writer(connection)
            done = work(writer)
            writer.flush()
        return done

    @contextmanager
    def _connected(self, **options: Any) -> Iterator[Connection]:
        """A transaction of our one connection, in turn."""
        with (
            self._turn,
            in_our_words(self.url),
            self._engine.connect() as connection,
            connection.execution_options(**options).begin(),
        ):
            yield connection

    def _pages(self, statement: Select[Any], seq: Any, after: int) -> Iterator[Any]:
        """The rows of `statement` after `after`, in order, a page at a time."""
        while True:
            with self._connected(reads=True) as connection:
                page = connection.execute(
                    statement.where(seq > after).order_by(seq).limit(PAGE)
                ).all()
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].seq

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """The record after `after`, in order."""
        while True:
            with self._connected(reads=True) as connection:
                page = read_story(connection, after)
            if not page:
                return
            yield from page
            after = page[-1].seq

    def told(self, after: int = 0) -> Iterator[ToldRow]:
        """The results, in the order they came."""
        # A match that was asked again has its seed in several rows, the same in all.
        seed = select(func.min(ASKED.c.seed)).where(ASKED.c.match == TOLD.c.match)
        statement = select(TOLD, seed.scalar_subquery().label("seed"))
        for row in self._pages(statement, TOLD.c.seq, after):
            yield ToldRow(row.seq, _telling(row), row.seed, row.worker, row.time)

    def events(self, *kinds: str) -> Iterator[Event]:
        """What happened besides, in order; of some kinds only, if given."""
        statement = select(EVENTS)
        if kinds:
            statement = statement.where(EVENTS.c.kind.in_(kinds))
        for row in self._pages(statement, EVENTS.c.seq, 0):
            yield Event(row.kind, row.match, row.player, json.loads(row.detail), row.time)

    def players(self) -> list[PlayerRow]:
        """Every player's latest row, by number."""
        with self._connected(reads=True) as connection:
            rows = connection.execute(select(PLAYERS).order_by(PLAYERS.c.seq)).all()
        latest = {row.player: row for row in rows}
        options = {row.player: json.loads(row.options) for row in rows if row.options}
        return [
            PlayerRow(number, row.name, row.state, options[number])
            for number, row in sorted(latest.items())
        ]

    def settings(self) -> dict[str, Any]:
        """What the tournament was started with; empty for a new one."""
        with self._connected(reads=True) as connection:
            rows = connection.execute(select(SETTINGS)).all()
        return {row.key: json.loads(row.value) for row in rows}

    def leases(self) -> list[Lease]:
        """The matches being played, as far as is known."""
        with self._connected(reads=True) as connection:
            rows = connection.execute(select(LEASES).order_by(LEASES.c.match)).all()
        return [Lease(*row) for row in rows]

    def snapshot(self, fingerprint: str) -> tuple[int, bytes] | None:
        """The latest snapshot made under `fingerprint`: its place in the record, and its state."""
        latest = (
            select(SNAPSHOTS.c.seq, SNAPSHOTS.c.state)
            .where(SNAPSHOTS.c.fingerprint == fingerprint)
            .order_by(SNAPSHOTS.c.seq.desc())
            .limit(1)
        )
        with self._connected(reads=True) as connection:
            row = connection.execute(latest).first()
        return None if row is None else (row.seq, row.state)

    def save_snapshot(self, seq: int, fingerprint: str, state: bytes) -> None:
        """Keep a snapshot in place of the older ones."""
        with self._connected() as connection:
            Writer(connection)  # in turn with all who write
            connection.execute(SNAPSHOTS.delete())
            connection.execute(
                insert(SNAPSHOTS).values(seq=seq, fingerprint=fingerprint, state=state)
            )


def _telling(row: Any) -> Telling:
    """A row of the table of results."""
    return Telling(
        row.match,
        row.first,
        row.second,
        row.score,
        tuple(json.loads(row.games)) if row.games else None,
        tuple(json.loads(row.errors)) if row.errors else (),
        _data(row.data),
        row.source,
        row.line,
    )


def _data(text: str | None) -> Mapping[str, Any] | None:
    return json.loads(text) if text else None
