"""One transaction of a store: what is new to this process, and what it adds."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, insert, select, update

from maxin.core import Match
from maxin.storage.entries import read_entries
from maxin.storage.records import Entry, Lease, PlayedMatch, PlayerState
from maxin.storage.schema import ASKED, EVENTS, HEAD, LEASES, PLAYERS, REQUEST, SETTINGS, TOLD


class Writer:
    """Holds the store's lock; collects rows until `flush` writes them all at once.

    Every method that adds to the record returns the entry as other processes will read it.

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
        """The record after `after`, in order, including what this transaction adds."""
        self.flush()
        while after < self.seq:
            page = read_entries(self._connection, after)
            if not page:
                return
            yield from page
            after = page[-1].seq

    def settings(self) -> dict[str, Any]:
        """See `Store.settings`."""
        rows = self._connection.execute(select(SETTINGS)).all()
        return {row.key: json.loads(row.value) for row in rows}

    def set(self, settings: Mapping[str, Any]) -> None:
        """Write settings; one of the same name is replaced."""
        for key, value in settings.items():
            self._rows.setdefault(SETTINGS, []).append({"key": key, "value": json.dumps(value)})

    def player(
        self, player: int, name: str, state: PlayerState, options: Mapping[str, Any] | None = None
    ) -> Entry:
        """Add a player with its options, or change its state and keep its options."""
        text = None if options is None else json.dumps(dict(options), sort_keys=True)
        seq = self._add(PLAYERS, player=player, name=name, state=state, options=text)
        return Entry(seq, "player", first=player, name=name, state=state)

    def ask(self, number: int, match: Match, seed: int, worker: str, lease: float) -> Entry:
        """Hand out a match, for the first time or again, for `lease` seconds."""
        seats = {"first": match.first, "second": match.second}
        seq = self._add(ASKED, match=number, seed=seed, worker=worker, **seats)
        self.lease([number], worker, lease)
        return Entry(seq, "ask", number, *match)

    def tell(self, played: PlayedMatch[int], worker: str) -> Entry:
        """Write a result that is not there yet."""
        seq = self._add(
            TOLD,
            match=played.number,
            first=played.first,
            second=played.second,
            score=played.score,
            games=json.dumps(played.games) if played.games else None,
            errors=json.dumps(played.errors) if played.errors else None,
            data=json.dumps(dict(played.data)) if played.data else None,
            source=played.source,
            line=played.line,
            worker=worker,
        )
        if played.number is not None:
            self._ended.append(played.number)
        games = played.games or None
        return Entry(seq, "tell", played.number, played.first, played.second, played.score, games)

    def void(self, match: int, reason: str) -> Entry:
        """Give a match up."""
        seq = self.event("void", match=match, reason=reason)
        self._ended.append(match)
        return Entry(seq, "void", match)

    def request(self, first: int, second: int) -> Entry:
        """Note a match that somebody wants played next."""
        seq = self._add(EVENTS, kind=REQUEST, first=first, second=second, detail="{}")
        return Entry(seq, "request", None, first, second)

    def event(
        self, kind: str, *, match: int | None = None, player: int | None = None, **detail: Any
    ) -> int:
        """Note what happened; returns its number in the record."""
        return self._add(EVENTS, kind=kind, match=match, player=player, detail=json.dumps(detail))

    def _add(self, table: Table, **fields: Any) -> int:
        self.seq += 1
        names = table.c.keys()  # all rows of a table have the same columns, to be written as one
        row = {name: fields.get(name) for name in names} | {"seq": self.seq, "time": self.now}
        self._rows.setdefault(table, []).append(row)
        return self.seq

    def lease(self, matches: Iterable[int], worker: str, seconds: float) -> None:
        """Reserve matches for a worker for some seconds from now."""
        end = self.now + seconds
        for match in matches:
            row = {"match": match, "worker": worker, "since": self.now, "until": end}
            self._rows.setdefault(LEASES, []).append(row)

    def leases(self) -> list[Lease]:
        """Who is playing what."""
        return [Lease(*row) for row in self._connection.execute(select(LEASES))]

    def seats(self, number: int) -> Match | None:
        """Who plays match `number`, first seat first; None if it was never handed out."""
        fields = (ASKED.c.first, ASKED.c.second)
        row = self._connection.execute(select(*fields).where(ASKED.c.match == number)).first()
        return None if row is None else Match(*row)

    def has_results(self) -> bool:
        """Whether there is any result."""
        return self._connection.execute(select(TOLD.c.seq).limit(1)).first() is not None

    def recorded_score(self, match: int) -> float | None:
        """The score recorded for a match, if any."""
        row = self._connection.execute(select(TOLD.c.score).where(TOLD.c.match == match)).first()
        return None if row is None else float(row.score)

    def recorded_from(self, source: str) -> dict[int, tuple[int, int, float]]:
        """First, second and score of the results imported from `source`, by line."""
        fields = (TOLD.c.line, TOLD.c.first, TOLD.c.second, TOLD.c.score)
        rows = self._connection.execute(select(*fields).where(TOLD.c.source == source))
        return {row.line: (row.first, row.second, row.score) for row in rows}

    def flush(self) -> None:
        """Write everything collected, one statement per table."""
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
        """An insert; a lease or a setting replaces the one before."""
        if table not in (LEASES, SETTINGS):
            return insert(table)
        # Only the dialect in use is loaded: the other one takes as long as all of SQLAlchemy.
        dialect = importlib.import_module(f"sqlalchemy.dialects.{self._connection.dialect.name}")
        statement = dialect.insert(table)
        key, *others = table.c
        taken = {column.name: statement.excluded[column.name] for column in others}
        return statement.on_conflict_do_update(index_elements=[key], set_=taken)
