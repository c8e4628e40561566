"""The record as one sequence: rows of all tables in the order they were committed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Float,
    Text,
    and_,
    bindparam,
    case,
    cast,
    exists,
    literal,
    null,
    or_,
    outerjoin,
    select,
    union_all,
)

from maxin.storage.records import JUDGE_KEYS, LAST_SECOND, Entry
from maxin.storage.rows import LARGEST, RowReader, count_players
from maxin.storage.schema import ASKED, EVENTS, PLAYERS, REQUEST, RETRACTED, TOLD

FEW = 100  # rows: fewer are quicker to search than players are to count
RESULTS = ("tell", "retract")  # kinds of entries that hold a result
PAGE = 20_000  # rows read at a time, so that a long record needs little memory
# By kind; other kinds are events.
TABLES = {"player": PLAYERS, "ask": ASKED, "tell": TOLD, "retract": RETRACTED}
AS_OF = bindparam("as_of", type_=BigInteger)  # only entries up to this one are read


def is_retracted(until: ColumnElement[int] | int | None = None) -> ColumnElement[bool]:
    """Whether a row of the table of results was taken back, by entry `until` or at all."""
    found = exists().where(RETRACTED.c.result == TOLD.c.seq)
    return found if until is None else found.where(RETRACTED.c.seq <= until)


def judge_data() -> ColumnElement[str]:
    """The data of a row of the table of results if it may name a judge, else null."""
    may_name = or_(*(has_key(key) for key in JUDGE_KEYS))
    return case((may_name, TOLD.c.data), else_=null()).label("data")


def dated_data() -> ColumnElement[str]:
    """The data of a row of the table of results if it may have the time of its match, else null."""
    may_have = and_(TOLD.c.match.is_(None), has_key("time"))
    return case((may_have, TOLD.c.data), else_=null()).label("dated")


def has_key(key: str) -> ColumnElement[bool]:
    """Whether this key may be in the data of a row of the table of results."""
    return TOLD.c.data.contains(json.dumps(key), autoescape=True)


def read_entries(
    connection: Connection, after: int, as_of: int | None = None, *, last: EntryCheck | None = None
) -> tuple[list[Entry], EntryCheck | None]:
    """The next page of the record after `after`, empty at its end, and what checked it.

    An entry that cannot follow the earlier ones is an error that names its row. `last` is what
    checked the page before, if that was read: it knows the players so far.

    With `as_of`, the record ends with that entry, and has what stands by then: a retracted result
    of a match reads as void, one that was played elsewhere is left out, and so are retractions.
    """
    start = after + 1 if after > 0 else -LARGEST - 1  # a row below 1 is damage, and must be found
    given = {"start": start} if as_of is None else {"start": start, "as_of": as_of}
    rows = connection.execute(_statement(is_past=as_of is None), given).all()
    if not rows:
        return [], last
    if last is None:
        last = EntryCheck(_n_players(connection, after, rows))
    return last.entries(connection, after, rows), last


def _n_players(connection: Connection, after: int, rows: Sequence[Any]) -> int:
    """How many players there were after entry `after`; fewer, if `rows` name no other player.

    Players are never removed from the record, so the last number that the connection read is
    mostly enough.
    """
    found_at, found = connection.info.get("n_players", (LARGEST, 0))
    found = int(found)
    is_enough = len(rows) < FEW and all(
        row.kind == "void"
        or (type(row.first) is type(row.second) is int and max(row.first, row.second) < found)
        for row in rows
    )
    if found_at > after or not is_enough:
        found = count_players(connection, after)
        connection.info["n_players"] = (after, found)
    return found


class EntryCheck:
    """Entries from rows, as long as each can follow the ones before.

    Players are numbered in the order they join, and matches in the order they are asked, so the
    number of a match is no larger than that of its entry.
    """

    def __init__(self, n_players: int) -> None:
        self._n_players = n_players
        self._names: dict[int, str] | None = None  # read when a player joins or changes
        self._taken: set[str] = set()  # these names

    def entries(self, connection: Connection, after: int, rows: Sequence[Any]) -> list[Entry]:
        """The entries of the rows that follow number `after`."""
        self._connection, self._after = connection, after
        return [self.entry(row) for row in rows]

    def entry(self, row: Any) -> Entry:
        """The entry of a row."""
        seq, kind, match, first, second, score, games, _, _, data, time, dated = row
        if (
            type(first) is type(second) is int
            and 0 <= first < self._n_players
            and 0 <= second < self._n_players
            and first != second
            and 0 < seq < LARGEST
            and games is None
            and data is None
            and dated is None
            and (time is None or (type(time) is float and 0.0 <= time <= LAST_SECOND))
            and (type(match) is int and 0 < match <= seq if match is not None else kind in RESULTS)
            and (kind == "ask" or (kind in RESULTS and type(score) is float and 0 <= score <= 1))
        ):
            # The common cases, which need no reader.
            return Entry(seq, kind, match, first, second, score, time=time or 0.0)
        reader = RowReader(self._connection.engine.url, TABLES.get(kind, EVENTS), row)
        reader.whole("seq", 1, LARGEST - 1)
        if kind == "player":
            return self._player(row, reader)
        if kind == "void":
            return Entry(seq, "void", reader.whole("match", 1, seq))
        if kind == "retract" and first is None:
            reader.fail("no earlier entry is the result that it takes back")
        pair = reader.pair(self._n_players)
        if kind == "request":
            return Entry(seq, "request", None, *pair)
        if kind == "ask":
            return Entry(seq, "ask", reader.whole("match", 1, seq), *pair)
        number = reader.optional_whole("match", 1, seq)
        score, games, judge = reader.share("score"), reader.games(), reader.judge()
        return Entry(seq, kind, number, *pair, score, games, judge=judge, time=reader.played_at())

    def _player(self, row: Any, reader: RowReader) -> Entry:
        if self._names is None:
            known = select(PLAYERS.c.player, PLAYERS.c.name).where(PLAYERS.c.seq <= self._after)
            rows = self._connection.execute(known.order_by(PLAYERS.c.seq))
            self._names = {row.player: row.name for row in rows}
            self._taken = set(self._names.values())
        player, name = reader.whole("first", 0, self._n_players), reader.name()
        if player == self._n_players:
            if name in self._taken:
                reader.fail(f"every player needs a name of its own; {name!r} is taken")
            self._n_players += 1
        elif self._names.get(player) != name:
            reader.fail(f"player {player} is {self._names.get(player)!r}; got {name!r}")
        self._names[player] = name
        self._taken.add(name)
        return Entry(row.seq, "player", first=player, name=name, state=reader.state())


@cache
def _statement(*, is_past: bool) -> Any:
    """The statement whose rows are the fields of entries, from the number `start` on.

    With `is_past`, rows are as they were written; otherwise as they stand after entry `as_of`.
    """
    whole, number, words = (cast(null(), kind) for kind in (BigInteger, Float(53), Text))
    players = select(
        PLAYERS.c.seq,
        literal("player").label("kind"),
        whole.label("match"),
        PLAYERS.c.player.label("first"),
        whole.label("second"),
        number.label("score"),
        words.label("games"),
        PLAYERS.c.name.label("name"),
        PLAYERS.c.state.label("state"),
        words.label("data"),
        number.label("time"),
        words.label("dated"),
    )
    pair = (ASKED.c.first, ASKED.c.second)
    none = (words, words, words, words, number, words)
    asked = select(ASKED.c.seq, literal("ask"), ASKED.c.match, *pair, number, *none)
    told_by = (judge_data(), TOLD.c.time, dated_data())
    result = (TOLD.c.first, TOLD.c.second, TOLD.c.score, TOLD.c.games, words, words, *told_by)
    is_back = is_retracted(AS_OF)
    end = literal("tell") if is_past else case((is_back, "void"), else_="tell")
    told = select(TOLD.c.seq, end, TOLD.c.match, *result)
    earlier = and_(TOLD.c.seq == RETRACTED.c.result, TOLD.c.seq < RETRACTED.c.seq)
    back = (RETRACTED.c.seq, literal("retract"), TOLD.c.match, *result)
    retracted = select(*back).select_from(outerjoin(RETRACTED, TOLD, earlier))
    kind = case((EVENTS.c.kind == REQUEST, literal("request")), else_=EVENTS.c.kind)
    seats = (EVENTS.c.first, EVENTS.c.second)
    events = select(EVENTS.c.seq, kind, EVENTS.c.match, *seats, number, *none)
    events = events.where(EVENTS.c.kind.in_(("void", REQUEST)))
    tables = {PLAYERS: players, ASKED: asked, TOLD: told, EVENTS: events}
    if is_past:
        tables[RETRACTED] = retracted
    else:
        tables[TOLD] = told.where(or_(TOLD.c.match.is_not(None), ~is_back))
        tables = {table: rows.where(table.c.seq <= AS_OF) for table, rows in tables.items()}
    start = bindparam("start", type_=BigInteger)
    return (
        union_all(*(rows.where(table.c.seq >= start) for table, rows in tables.items()))
        .order_by("seq")
        .limit(PAGE)
    )
