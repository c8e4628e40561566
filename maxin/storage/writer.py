"""One transaction of a store: what is new to us, and what we add."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from maxin.storage.entries import read_story
from maxin.storage.records import Asking, Entry, Lease, State, Telling
from maxin.storage.schema import ASKED, EVENTS, HEAD, LEASES, PLAYERS, SETTINGS, TOLD


class Writer:
    """Holds the store's lock; what it is given is kept until `flush`, then written at once.

    Every method that adds to the record returns the entry as others will read it.

    >>> from maxin.storage import open_store
    >>> store = open_store("sqlite://")
    >>> store.transact(lambda writer: writer.event("note", text="hello"))
    1
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._written: int = connection.execute(select(HEAD.c.seq).with_for_update()).scalar_one()
        self.seq: int = self._written  # the last number given out
        self.now = time.time()
        self._rows: dict[Table, list[dict[str, Any]]] = {}
        self._ended: list[int] = []

    def entries(self, after: int) -> Iterator[Entry]:
        """The record after `after`, in order, what this transaction adds included."""
        self.flush()
        while after < self.seq:
            page = read_story(self._connection, after)
            if not page:
                return
            yield from page
            after = page[-1].seq

    def settings(self) -> dict[str, Any]:
        """See `Store.settings`."""
        rows = self._connection.execute(select(SETTINGS)).all()
        return {row.key: json.loads(row.value) for row in rows}

    def set(self, settings: Mapping[str, Any]) -> None:
        """Write settings, in place of those of the same name."""
        for key, value in settings.items():
            self._rows.setdefault(SETTINGS, []).append({"key": key, "value": json.dumps(value)})

    def player(
        self, player: int, name: str, state: State, options: Mapping[str, Any] | None = None
    ) -> Entry:
        """A player joins with its options, or changes its state and keeps them."""
        text = None if options is None else json.dumps(dict(options), sort_keys=True)
        seq = self._add(PLAYERS, player=player, name=name, state=state, options=text)
        return Entry(seq, "player", None, player, None, None, name, state)

    def ask(self, asking: Asking, worker: str, lease: float) -> Entry:
        """Hand out a match, or hand it out again, for `lease` seconds."""
        seq = self._add(ASKED, worker=worker, **asking._asdict())
        self.lease([asking.match], worker, lease)
        return Entry(seq, "ask", asking.match, asking.first, asking.second, None, None, None)

    def tell(self, telling: Telling, worker: str) -> Entry:
        """Write a result that is not there yet."""
        games = json.dumps(telling.games) if telling.games else None
        fields = telling._asdict() | {
            "games": games,
            "errors": json.dumps(telling.errors) if telling.errors else None,
            "data": json.dumps(dict(telling.data)) if telling.data else None,
        }
        seq = self._add(TOLD, worker=worker, **fields)
        if telling.match is not None:
            self._ended.append(telling.match)
        return Entry(
            seq, "tell", telling.match, telling.first, telling.second, telling.score, games, None
        )

    def void(self, match: int, reason: str) -> Entry:
        """Give a match up."""
        seq = self.event("void", match=match, reason=reason)
        self._ended.append(match)
        return Entry(seq, "void", match, None, None, None, None, None)

    def demand(self, first: int, second: int) -> Entry:
        """A match that somebody wants played next."""
        seq = self._add(EVENTS, kind="demand", first=first, second=second, detail="{}")
        return Entry(seq, "demand", None, first, second, None, None, None)

    def event(
        self, kind: str, *, match: int | None = None, player: int | None = None, **detail: Any
    ) -> int:
        """Keep what happened; returns its place."""
        return self._add(EVENTS, kind=kind, match=match, player=player, detail=json.dumps(detail))

    def _add(self, table: Table, **fields: Any) -> int:
        self.seq += 1
        names = table.c.keys()  # all rows of a table have the same columns, to be written as one
        row = {name: fields.get(name) for name in names} | {"seq": self.seq, "time": self.now}
        self._rows.setdefault(table, []).append(row)
        return self.seq

    def lease(self, matches: Iterable[int], worker: str, seconds: float) -> None:
        """Nobody else may play these for some seconds from now."""
        end = self.now + seconds
        for match in matches:
            row = {"match": match, "worker": worker, "since": self.now, "until": end}
            self._rows.setdefault(LEASES, []).append(row)

    def leases(self) -> list[Lease]:
        """Who is playing what."""
        return [Lease(*row) for row in self._connection.execute(select(LEASES))]

    def asked(self, match: int) -> Asking | None:
        """The match of this number, if it was ever asked."""
        fields = (ASKED.c.match, ASKED.c.first, ASKED.c.second, ASKED.c.seed)
        row = self._connection.execute(select(*fields).where(ASKED.c.match == match)).first()
        return None if row is None else Asking(*row)

    def has_results(self) -> bool:
        """Whether any result was told."""
        return self._connection.execute(select(TOLD.c.seq).limit(1)).first() is not None

    def told_score(self, match: int) -> float | None:
        """The score told for a match, if any."""
        row = self._connection.execute(select(TOLD.c.score).where(TOLD.c.match == match)).first()
        return None if row is None else float(row.score)

    def told_from(self, source: str) -> dict[int, tuple[int, int, float]]:
        """First, second and score of the results that came from `source`, by line."""
        fields = (TOLD.c.line, TOLD.c.first, TOLD.c.second, TOLD.c.score)
        rows = self._connection.execute(select(*fields).where(TOLD.c.source == source))
        return {row.line: (row.first, row.second, row.score) for row in rows}

    def flush(self) -> None:
        """Write all of it, a statement a table."""
        for table, rows in self._rows.items():
            self._connection.execute(self._statement(table), rows)
        self._rows.clear()
        if self._ended:
            ended = [{"ended": match} for match in self._ended]
            over = delete(LEASES).where(LEASES.c.match == bindparam("ended"))
            self._connection.execute(over, ended)
            self._ended.clear()
        if self.seq > self._written:
            self._connection.execute(update(HEAD).values(seq=self.seq))
            self._written = self.seq

    def _statement(self, table: Table) -> Any:
        """An insert; a lease or a setting takes the place of the one before."""
        if table not in (LEASES, SETTINGS):
            return insert(table)
        dialect = postgresql if self._connection.dialect.name == "postgresql" else sqlite
        statement = dialect.insert(table)
        key, *others = table.c
        taken = {column.name: statement.excluded[column.name] for column in others}
        return statement.on_conflict_do_update(index_elements=[key], set_=taken)
