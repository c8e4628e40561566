"""One transaction of a store: reads what other processes wrote, and adds to it."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    Float,
    Row,
    Table,
    and_,
    bindparam,
    cast,
    delete,
    exists,
    func,
    insert,
    null,
    or_,
    outerjoin,
    select,
    union_all,
    update,
)

from maxin.core import Match
from maxin.storage.ahead import Ahead
from maxin.storage.audit import digest_of
from maxin.storage.entries import dated_data, is_retracted, judge_data, read_entries
from maxin.storage.machine import boot_id, uptime
from maxin.storage.records import (
    Entry,
    Lease,
    PlayedMatch,
    PlayerRow,
    PlayerState,
    entry_of,
    fence_of,
    fits,
    time_of,
)
from maxin.storage.results import recorded_lines
from maxin.storage.rows import RowReader, read_players
from maxin.storage.schema import (
    ASKED,
    ASKS,
    EVENTS,
    HEAD,
    LEASES,
    PLAYERS,
    RECORD,
    REQUEST,
    RETRACTED,
    SETTINGS,
    TOLD,
)


class HandedOut(NamedTuple):
    """A match that was handed out.

    Args:
        match: who plays it, first seat first.
        score: of its result, if it has one that stands.
        entries: those that handed it out, each with its digest.
    """

    match: Match
    score: float | None
    entries: Mapping[int, str | None]

    def has(self, fence: str) -> bool:
        """Whether the entry that a fence names is one of this history, and handed the match out."""
        entry = entry_of(fence)
        return entry in self.entries and fits(fence, self.entries[entry])


class Writer:
    """Holds the store's lock; collects rows until `flush` writes them all at once.

    Every method that adds to the record returns the entry as other processes will read it.
    Nobody else can write meanwhile, so hold it for as short a time as possible: read and compute
    before.

    Attributes:
        url: of the store.
        seq: the last number given out.
        asked: the number of the last match handed out.
        changed: the number of the last entry that changes what may be asked: a player, a request,
            an imported result, a retraction.
        digest: that of the last entry; empty if that one is from an older version.
        ahead: the matches that were chosen ahead; None if there are none.
        now: the time, in seconds since 1970; that of the server, if there is one.

    >>> from maxin.storage import open_store
    >>> store = open_store("sqlite://")
    >>> store.transact(lambda writer: writer.event("note", text="hello"))
    1
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.url = connection.engine.url
        head = _head(connection)
        self.seq: int = head.seq
        self.asked: int = head.asked
        self.changed: int = head.changed
        self.now: float = time.time() if head.now is None else head.now
        self.digest: str = head.digest
        self.ahead = Ahead.read(RowReader(self.url, HEAD, head))
        self._written, self._found = self.seq, head.digest
        self._rows: dict[Table, list[dict[str, Any]]] = {}
        self._ended: list[int] = []
        self._unwritten: set[int] = set()  # the matches that these rows are about
        self._machine: tuple[str, float] | None = None  # which boot this is, and its age now

    def entries(self, after: int) -> Iterator[Entry]:
        """The record after `after`, in order, including what this transaction adds."""
        self.flush()
        while after < self.seq:
            page, _ = read_entries(self._connection, after)
            yield from page
            after = page[-1].seq if page else self.seq

    def settings(self) -> dict[str, Any]:
        """See `Store.settings`."""
        rows = self._connection.execute(select(SETTINGS)).all()
        return {row.key: json.loads(row.value) for row in rows}

    def players(self) -> list[PlayerRow]:
        """See `Store.players`."""
        return read_players(self._connection)

    def leases(self) -> list[Lease]:
        """See `Store.leases`."""
        rows = self._connection.execute(select(LEASES).order_by(LEASES.c.match)).all()
        return [Lease(*row) for row in rows]

    def set(self, settings: Mapping[str, Any]) -> None:
        """Write settings; one of the same name is replaced."""
        for key, value in settings.items():
            self._rows.setdefault(SETTINGS, []).append({"key": key, "value": json.dumps(value)})
        # The record has them too, so that the chain covers them.
        self._add(EVENTS, kind="settings", detail=json.dumps(dict(settings)))

    def player(
        self, player: int, name: str, state: PlayerState, options: Mapping[str, Any] | None = None
    ) -> Entry:
        """Add a player with its options, or change its state and keep its options."""
        text = None if options is None else json.dumps(dict(options), sort_keys=True)
        seq = self.changed = self._add(PLAYERS, player=player, name=name, state=state, options=text)
        return Entry(seq, "player", first=player, name=name, state=state)

    def ask(self, number: int, match: Match, seed: int, worker: str, lease: float) -> Entry:
        """Hand out a match, for the first time or again, for `lease` seconds."""
        seats = {"first": match.first, "second": match.second}
        seq = self._add(ASKED, match=number, seed=seed, worker=worker, **seats)
        self.asked = max(self.asked, number)
        self.lease([number], worker, lease)
        return Entry(seq, "ask", number, *match)

    def choose_ahead(self, by: str, terms: str, matches: Sequence[Match]) -> None:
        """Let whoever asks next have these matches, in this order; see `Ahead`."""
        self.ahead = Ahead(by, terms, self.asked, self.changed, self.now, matches)
        self._connection.execute(_SET_AHEAD, {"text": str(self.ahead)})

    def choose_no_more(self) -> None:
        """Let whoever asks next choose."""
        self.ahead = None
        self._connection.execute(_SET_AHEAD, {"text": ""})

    def tell(self, played: PlayedMatch[int], worker: str) -> Entry:
        """Write a result that is not there yet."""
        seq = self._add(
            TOLD,
            match=played.number,
            first=played.first,
            second=played.second,
            score=played.score + 0.0,  # SQLite has no -0.0, and the digest would not fit
            games=json.dumps(played.games) if played.games else None,
            errors=json.dumps(played.errors) if played.errors else None,
            data=json.dumps(dict(played.data)) if played.data else None,
            source=played.source,
            line=played.line,
            worker=worker,
        )
        if played.number is not None:
            self._ended.append(played.number)
        else:
            self.changed = seq
        games = played.games or None
        result = (played.number, played.first, played.second, played.score, games)
        played_at = time_of(played.number, played.data, self.now)
        return Entry(seq, "tell", *result, judge=played.judge, time=played_at)

    def retract(self, result: Entry, reason: str, worker: str) -> Entry:
        """Take back a result that stands: it counts for nobody, and both entries are kept."""
        seq = self.changed = self._add(RETRACTED, result=result.seq, reason=reason, worker=worker)
        if result.match is not None:
            self._unwritten.add(result.match)
        return result._replace(seq=seq, kind="retract")

    def void(self, match: int, reason: str, blamed: Sequence[int] = ()) -> Entry:
        """Give a match up; if it failed, `blamed` are the players who may be the cause."""
        first, second = (*blamed, None, None)[:2]
        detail = json.dumps({"reason": reason})
        seq = self._add(EVENTS, kind="void", match=match, first=first, second=second, detail=detail)
        self._ended.append(match)
        return Entry(seq, "void", match)

    def request(self, first: int, second: int) -> Entry:
        """Note a match that somebody wants played next."""
        seq = self.changed = self._add(
            EVENTS, kind=REQUEST, first=first, second=second, detail="{}"
        )
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
        self.digest = row["digest"] = digest_of(self.digest, table, row)
        self._rows.setdefault(table, []).append(row)
        match = fields.get("match")
        if match is not None:
            self._unwritten.add(match)
        return self.seq

    def _write_rows_of(self, match: int) -> None:
        """Write what this transaction adds about a match, before the match is read."""
        if match in self._unwritten:
            self.flush()

    def lease(self, matches: Iterable[int], worker: str, seconds: float) -> None:
        """Reserve matches for a worker for some seconds from now."""
        if self._machine is None:
            self._machine = boot_id(), uptime()
        for match in matches:
            row = Lease(match, worker, self.now, self.now + seconds, *self._machine)._asdict()
            self._rows.setdefault(LEASES, []).append(row)
            self._unwritten.add(match)

    def holder(self, match: int) -> Lease | None:
        """The lease of the worker that is playing a match."""
        self._write_rows_of(match)
        row = self._connection.execute(select(LEASES).where(LEASES.c.match == match)).first()
        return None if row is None else Lease(*row)

    def handed_out(self, match: int) -> HandedOut | None:
        """Who plays a match, and its result if it has one; None if it was never handed out."""
        if not 1 <= match <= self.asked:
            return None
        self._write_rows_of(match)
        rows = self._connection.execute(_HANDED_OUT, {"number": match}).all()
        if not rows:
            return None
        row = rows[0]
        score = None if row.seq is None else RowReader(self.url, TOLD, row).share("score")
        entries = {row.entry: row.digest for row in rows}
        return HandedOut(Match(row.first, row.second), score, entries)

    def fence(self, match: int) -> str:
        """The fence of a match that was handed out, as of the last time."""
        self._write_rows_of(match)
        row = self._connection.execute(_LAST_FENCE, {"number": match}).one()
        return fence_of(row.seq, row.digest)

    def follows(self, entry: int, digest: str) -> bool:
        """Whether the record had an entry of this number and digest when the transaction began."""
        if entry >= self._written:
            return (entry, digest) == (self._written, self._found)
        found = self._connection.execute(_DIGEST, {"entry": entry}).scalars().first()
        return (found or "") == digest

    def result_of(self, match: int) -> Entry | None:
        """The result of a match that stands, if there is one."""
        self._write_rows_of(match)
        found = self._standing(TOLD.c.match == match, 1)
        return found[0][1] if found else None

    def results_from(self, source: str, after: int, most: int) -> list[tuple[int, Entry]]:
        """The next results of a source that stand, at most so many, with their lines.

        Those up to line `after` are left out.
        """
        return self._standing(and_(TOLD.c.source == source, TOLD.c.line > after), most)

    def _standing(self, which: ColumnElement[bool], most: int) -> list[tuple[int, Entry]]:
        fields = (TOLD.c.match, TOLD.c.first, TOLD.c.second, TOLD.c.score, TOLD.c.games)
        rows = (
            select(TOLD.c.line, TOLD.c.seq, *fields, judge_data(), TOLD.c.time, dated_data())
            .where(which, ~is_retracted())
            .order_by(TOLD.c.line)
        )
        found = []
        for row in self._connection.execute(rows.limit(most)):
            read = RowReader(self.url, TOLD, row)
            result = (row.match, row.first, row.second, row.score, read.games())
            entry = Entry(row.seq, "tell", *result, judge=read.judge(), time=read.played_at())
            found.append((row.line, entry))
        return found

    def was_retracted(self, match: int) -> bool:
        """Whether a result of this match was taken back."""
        self._write_rows_of(match)
        rows = select(TOLD.c.seq).where(TOLD.c.match == match, is_retracted())
        return self._connection.execute(rows.limit(1)).first() is not None

    def n_failures(self, match: int) -> int:
        """How many attempts to play a match have failed."""
        self._write_rows_of(match)
        failed = (EVENTS.c.kind == "failed", EVENTS.c.match == match)
        return self._connection.execute(select(func.count()).where(*failed)).scalar_one()

    def n_void_in_a_row(self, player: int) -> int:
        """How many matches of an active player failed since its last result or its last change.

        0 for a player that is not active.
        """
        self.flush()
        last = select(PLAYERS.c.seq, PLAYERS.c.state).where(PLAYERS.c.player == player)
        change = self._connection.execute(last.order_by(PLAYERS.c.seq.desc()).limit(1)).one()
        if change.state != "active":
            return 0
        has_result = exists().where(TOLD.c.match.is_not(None), TOLD.c.seq > EVENTS.c.seq)
        has_result = has_result.where(or_(TOLD.c.first == player, TOLD.c.second == player))
        blamed = or_(EVENTS.c.first == player, EVENTS.c.second == player)
        void = (EVENTS.c.kind == "void", EVENTS.c.seq > change.seq, blamed, ~has_result)
        return self._connection.execute(select(func.count()).where(*void)).scalar_one()

    def earlier_asks(self, keys: Sequence[str]) -> dict[tuple[str, str], list[int]]:
        """The matches that asks with these keys were answered with, by worker and key.

        An answer is forgotten once its leases have lapsed.
        """
        if not keys:
            return {}
        self.query(_FORGET_ASKS, {"now": self.now})
        rows = self.query(_FIND_ASKS, {"keys": keys})
        return {(row.worker, row.key): json.loads(row.matches) for row in rows}

    def remember_ask(self, worker: str, key: str, matches: Sequence[int], lease: float) -> None:
        """Keep the answer to an ask for as long as its leases last."""
        row = {"worker": worker, "key": key, "matches": json.dumps(matches)}
        self._rows.setdefault(ASKS, []).append({**row, "until": self.now + lease})

    def query(self, statement: Executable, *rows: Mapping[str, Any]) -> Sequence[Row[Any]]:
        """Execute a statement of this room on tables beside the record; returns what it finds."""
        done = self._connection.execute(statement, rows or None)
        return done.all() if done.returns_rows else ()

    def name(self, player: int) -> str:
        """The name of a player."""
        named = select(PLAYERS.c.name).where(PLAYERS.c.player == player).limit(1)
        found: str = self._connection.execute(named).scalar_one()
        return found

    def has_results(self) -> bool:
        """Whether there is any result."""
        return self._connection.execute(select(TOLD.c.seq).limit(1)).first() is not None

    def was_played(self) -> bool:
        """Whether a match has a result from after the setting `match` was last written.

        Imported results do not count: they were played elsewhere.
        """
        written = select(EVENTS.c.seq, EVENTS.c.detail).where(EVENTS.c.kind == "settings")
        since = 0
        for row in self._connection.execute(written.order_by(EVENTS.c.seq)):
            if "match" in RowReader(self.url, EVENTS, row).json("detail", dict):
                since = row.seq
        played = select(TOLD.c.seq).where(TOLD.c.match.is_not(None), TOLD.c.seq > since)
        return self._connection.execute(played.limit(1)).first() is not None

    def recorded_from(self, source: str, lines: tuple[int, int]) -> dict[int, tuple[Entry, bool]]:
        """See `recorded_lines`."""
        return recorded_lines(self._connection, source, lines)

    def flush(self) -> None:
        """Write everything collected, one statement per table."""
        self.write_head()
        for table, rows in self._rows.items():
            self._connection.execute(_insert(table, self._connection.dialect.name), rows)
        self._rows.clear()
        if self._ended:
            ended = [{"ended": match} for match in self._ended]
            self._connection.execute(_END_LEASE, ended)
            self._ended.clear()
        self._unwritten.clear()

    def write_head(self) -> None:
        """Write where the record ends; the rest of what was collected must follow."""
        if self.seq > self._written:
            head = {"to": self.seq, "last": self.asked, "since": self.changed, "seal": self.digest}
            self._connection.execute(_SET_HEAD, head)
            self._written = self.seq


# Statements are made once: to make one takes longer than the database needs to execute it.
_HEAD = select(
    HEAD.c.seq,
    HEAD.c.asked,
    HEAD.c.changed,
    HEAD.c.digest,
    HEAD.c.ahead,
    null().label("now"),
)
_SET_AHEAD = update(HEAD).values(ahead=bindparam("text"))
_END_LEASE = delete(LEASES).where(LEASES.c.match == bindparam("ended"))
_SET_HEAD = update(HEAD).values(
    seq=bindparam("to"),
    asked=bindparam("last"),
    changed=bindparam("since"),
    digest=bindparam("seal"),
)
_FIND_ASKS = select(ASKS).where(ASKS.c.key.in_(bindparam("keys", expanding=True)))
_FORGET_ASKS = delete(ASKS).where(ASKS.c.until < bindparam("now"))
_HANDED_OUT = (
    select(ASKED.c.seq.label("entry"), ASKED.c.digest, ASKED.c.first, ASKED.c.second)
    .add_columns(TOLD.c.score, TOLD.c.seq)
    .select_from(outerjoin(ASKED, TOLD, and_(ASKED.c.match == TOLD.c.match, ~is_retracted())))
    .where(ASKED.c.match == bindparam("number"))
    .order_by(ASKED.c.seq)
)
_LAST_FENCE = (
    select(ASKED.c.seq, ASKED.c.digest)
    .where(ASKED.c.match == bindparam("number"))
    .order_by(ASKED.c.seq.desc())
    .limit(1)
)
_DIGEST = union_all(
    *(select(table.c.digest).where(table.c.seq == bindparam("entry")) for table in RECORD)
)


@cache
def _insert(table: Table, dialect: str) -> Any:
    """An insert; a lease, a setting or an ask replaces the one before."""
    if table not in (LEASES, SETTINGS, ASKS):
        return insert(table)
    # Only the dialect in use is loaded: the other one takes as long as all of SQLAlchemy.
    statement = importlib.import_module(f"sqlalchemy.dialects.{dialect}").insert(table)
    key = list(table.primary_key)
    taken = {
        column.name: statement.excluded[column.name] for column in table.c if not column.primary_key
    }
    return statement.on_conflict_do_update(index_elements=key, set_=taken)


def clock(connection: Connection) -> float:
    """The time in seconds since 1970: that of the server, if there is one, else of this machine."""
    found: float | None = connection.execute(select(_now(connection))).scalar_one()
    return time.time() if found is None else found


def _head(connection: Connection) -> Any:
    """The head of the record; the server has sent it with the lock."""
    row = connection.info.pop("head", None)
    return connection.execute(_HEAD).one() if row is None else row


def _now(connection: Connection) -> ColumnElement[Any]:
    is_server = connection.dialect.name == "postgresql"
    now = func.extract("epoch", func.clock_timestamp()) if is_server else null()
    return cast(now, Float(53))
