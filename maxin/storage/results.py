"""The matches of a record: results with their seeds, void matches, and what is left open."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Select,
    distinct,
    exists,
    func,
    null,
    or_,
    select,
    tuple_,
    union,
)

from maxin.core import Match
from maxin.storage.database.errors import StoreFailed
from maxin.storage.entries import has_key, is_retracted, judge_data
from maxin.storage.records import Entry, Judge, PlayedMatch, fence_of
from maxin.storage.rows import RowReader
from maxin.storage.schema import ASKED, EVENTS, LEASES, PLAYERS, REQUEST, RETRACTED, TOLD

if TYPE_CHECKING:
    from maxin.storage.store import Store
    from maxin.storage.writer import Writer

SEEDS = 2**31  # seeds of matches are below this
LARGE = ("games", "errors", "data")  # what programs said about a match; lists leave it out


def seed_of_result() -> ColumnElement[int]:
    """The seed of the match of a row of the table of results; null if it was never handed out."""
    # A match that was handed out again has its seed in several rows, the same in all.
    seed = select(func.min(ASKED.c.seed)).where(ASKED.c.match == TOLD.c.match)
    return seed.scalar_subquery().label("seed")


def select_results(
    *, retracted: bool, players: tuple[int, ...] = (), is_brief: bool = False
) -> Select[Any]:
    """The rows that `read_played` reads.

    Args:
        retracted: also those that were taken back.
        players: only those of this player, or of these two against each other.
        is_brief: whether `LARGE` columns are left out.
    """
    reason = select(RETRACTED.c.reason).where(RETRACTED.c.result == TOLD.c.seq)
    columns = [
        null().label(column.name) if is_brief and column.name in LARGE else column
        for column in TOLD.c
    ]
    rows = select(*columns, seed_of_result(), reason.scalar_subquery().label("retracted"))
    for player in players:
        rows = rows.where(or_(TOLD.c.first == player, TOLD.c.second == player))
    return rows if retracted else rows.where(~is_retracted())


def read_played(store: Store, row: Any) -> PlayedMatch[int]:
    """The result of a row of `select_results`."""
    read = RowReader(store.url, TOLD, row)
    return PlayedMatch(
        read.optional_whole("match", 1),
        read.whole("first", 0),
        read.whole("second", 0),
        read.share("score"),
        read.games(),
        read.errors(),
        read.data("data"),
        read.optional_text("source"),
        read.optional_whole("line", 1),
        read.optional_whole("seed", 0, SEEDS - 1),
        read.time(),
        read.text("worker"),
        read.optional_text("retracted"),
    )


def recorded_results(
    store: Store, names: Sequence[str], *, retracted: bool = False
) -> Iterator[PlayedMatch[str]]:
    """Every result, in the order they were recorded; `names` are the players known so far.

    With `retracted`, also those that were taken back.

    >>> from maxin.storage import open_store
    >>> store = open_store("sqlite://")
    >>> _ = store.transact(lambda writer: writer.tell(PlayedMatch(None, 1, 0, 0.5), "me"))
    >>> [(match.first, match.score) for match in recorded_results(store, ["anna", "bo"])]
    [('bo', 0.5)]
    """
    for played in store.played(retracted=retracted):
        if max(played.first, played.second) >= len(names):  # they joined since
            names = [player.name for player in store.players()]
            if max(played.first, played.second) >= len(names):
                raise StoreFailed(
                    f"the store {store} is damaged: in the table maxin_told, a result names "
                    f"player {max(played.first, played.second)} of {len(names)}"
                )
        first, second = names[played.first], names[played.second]
        yield PlayedMatch(played.number, first, second, *played[3:])


def results_after(
    store: Store, after: int, count: int, players: tuple[int, ...] = (), *, size: int
) -> tuple[list[tuple[int, PlayedMatch[int]]], bool]:
    """The next results, those taken back included, with the numbers of their entries.

    Args:
        store: where they are.
        after: only those after the entry of this number.
        count: how many at most.
        players: only those of this player, or of these two against each other.
        size: how many characters their texts have together at most; one result may have more.

    Returns:
        the results, and whether these are all that `count` allows.
    """
    rows = select_results(retracted=True, players=players).where(TOLD.c.seq > after)
    found, is_whole = store.first_rows(rows.order_by(TOLD.c.seq).limit(count), size)
    return [(row.seq, read_played(store, row)) for row in found], is_whole


def latest_results(
    store: Store,
    count: int,
    *,
    before: int | None = None,
    players: tuple[int, ...] = (),
    retracted: bool = False,
) -> list[tuple[int, PlayedMatch[int]]]:
    """The latest results with the numbers of their entries, newest first, without what is `LARGE`.

    Args:
        store: where they are.
        count: how many at most.
        before: only those before the entry of this number.
        players: only those of this player, or of these two against each other.
        retracted: also those that were taken back.
    """
    rows = select_results(retracted=retracted, players=players, is_brief=True)
    if before is not None:
        rows = rows.where(TOLD.c.seq < before)
    found = store.query(rows.order_by(TOLD.c.seq.desc()).limit(count))
    return [(row.seq, read_played(store, row)) for row in found]


def data_after(source: Store | Writer, seq: int, key: str) -> list[tuple[int, dict[str, Any]]]:
    """The data of the results after entry `seq` in which a key occurs, with their entries' numbers.

    Those taken back are included.
    """
    is_there = (TOLD.c.seq > seq, has_key(key))
    rows = select(TOLD.c.seq, TOLD.c.data).where(*is_there).order_by(TOLD.c.seq)
    return [
        (row.seq, RowReader(source.url, TOLD, row).json("data", dict)) for row in source.query(rows)
    ]


class VoidMatch(NamedTuple):
    """A match that was given up; `seq` is the number of the entry that says so."""

    seq: int
    match: int
    first: int
    second: int
    time: float
    void: str


def void_after(
    store: Store, after: int, count: int, players: tuple[int, ...] = ()
) -> list[VoidMatch]:
    """The next matches that were given up; see `results_after`."""
    seats = (func.min(ASKED.c.first).label("one"), func.min(ASKED.c.second).label("two"))
    event = (EVENTS.c.seq, EVENTS.c.match, EVENTS.c.detail, EVENTS.c.time)
    rows = (
        select(*event, *seats)
        .join(ASKED, ASKED.c.match == EVENTS.c.match)
        .where(EVENTS.c.kind == "void", EVENTS.c.seq > after)
        .group_by(*event)
        .order_by(EVENTS.c.seq)
        .limit(count)
    )
    for player in players:
        rows = rows.where(or_(ASKED.c.first == player, ASKED.c.second == player))
    found = []
    for row in store.query(rows):
        reason = RowReader(store.url, EVENTS, row).json("detail", dict).get("reason", "")
        found.append(VoidMatch(row.seq, row.match, row.one, row.two, row.time, str(reason)))
    return found


def paused_players(store: Store | Writer) -> list[tuple[int, str]]:
    """The players who were paused for failures and have not changed since, and by whose failures.

    The worker is empty in what an earlier version wrote.
    """
    has_changed = exists().where(PLAYERS.c.player == EVENTS.c.player, PLAYERS.c.seq > EVENTS.c.seq)
    rows = select(EVENTS).where(EVENTS.c.kind == "paused", ~has_changed).order_by(EVENTS.c.seq)
    found = []
    for row in store.query(rows):
        detail = RowReader(store.url, EVENTS, row).json("detail", dict)
        found.append((row.player, str(detail.get("worker", ""))))
    return found


def last_failure(store: Store) -> tuple[str, str]:
    """The reason of the last attempt that failed, and the end of its output; empty if none has."""
    failed = select(EVENTS).where(EVENTS.c.kind == "failed").order_by(EVENTS.c.seq.desc())
    for row in store.query(failed.limit(1)):
        detail = RowReader(store.url, EVENTS, row).json("detail", dict)
        return str(detail.get("reason", "")), str(detail.get("log", ""))
    return "", ""


def last_hand_outs(connection: Connection) -> dict[int, tuple[float, str]]:
    """When each match that has a lease was last handed out, in seconds since 1970; its fence."""
    is_leased = ASKED.c.match.in_(select(LEASES.c.match))
    last = select(func.max(ASKED.c.seq)).where(is_leased).group_by(ASKED.c.match)
    rows = select(ASKED.c.match, ASKED.c.time, ASKED.c.seq, ASKED.c.digest)
    found = connection.execute(rows.where(ASKED.c.seq.in_(last)))
    return {row.match: (row.time, fence_of(row.seq, row.digest)) for row in found}


CountedRow = tuple[int, int, float, tuple[float, ...] | None, Judge | None, int]


def counted_results(connection: Connection, until: int) -> list[CountedRow]:
    """The results that stand after entry `until`, with how often each came; see `Counted`."""
    kinds = (TOLD.c.first, TOLD.c.second, TOLD.c.score, TOLD.c.games, judge_data())
    stands = (TOLD.c.seq <= until, ~is_retracted(until))
    rows = select(*kinds, func.count().label("times")).where(*stands).group_by(*kinds)
    return [read_counted(connection.engine.url, row) for row in connection.execute(rows)]


def read_counted(url: URL, row: Any) -> CountedRow:
    """A result with how often it came, in a row of results that are grouped and counted."""
    judge = None if row.data is None else RowReader(url, TOLD, row).judge()
    games = tuple(json.loads(row.games)) if row.games else None
    return row.first, row.second, row.score, games, judge, row.times


def recorded_lines(
    connection: Connection, source: str, lines: tuple[int, int]
) -> dict[int, tuple[Entry, bool]]:
    """The latest result of each line of `source`, and whether it stands.

    Only the lines from the first to the second of `lines` are read.
    """
    players = (TOLD.c.first, TOLD.c.second)
    fields = (TOLD.c.line, TOLD.c.seq, *players, TOLD.c.score, TOLD.c.games, judge_data())
    is_there = (TOLD.c.source == source, TOLD.c.line.between(*lines))
    rows = select(*fields, is_retracted().label("is_back")).where(*is_there).order_by(TOLD.c.seq)
    found = {}
    for row in connection.execute(rows):
        read = RowReader(connection.engine.url, TOLD, row)
        result = (row.first, row.second, row.score, read.games())
        entry = Entry(row.seq, "tell", None, *result, judge=read.judge())
        found[row.line] = (entry, not row.is_back)
    return found


class Unfinished(NamedTuple):
    """The matches of a record up to some entry, as far as they have no result.

    Args:
        unreported: who plays each match without a result, void ones included, by number.
        void: the numbers of all void matches, also of those with a late result, and of all whose
            result was retracted.
        requests: the requests that no match has fulfilled, oldest first.
        seats: (first, second, how many matches had these seats), in the order of the players; one
            that was handed out again counts once.
    """

    unreported: dict[int, Match]
    void: set[int]
    requests: list[Match]
    seats: list[tuple[int, int, int]]

    def pending(self) -> dict[int, Match]:
        """The matches that are neither reported nor void, by number.

        >>> Unfinished({3: Match(0, 1), 4: Match(1, 2)}, {3}, [], []).pending()
        {4: Match(first=1, second=2)}
        """
        numbers = self.unreported.keys() - self.void
        return {number: self.unreported[number] for number in numbers}


def read_unfinished(connection: Connection, until: int) -> Unfinished:
    """The matches and requests that are open after entry `until` of the record."""
    pair = (ASKED.c.first, ASKED.c.second)
    is_told = (TOLD.c.match == ASKED.c.match, TOLD.c.seq <= until)
    is_reported = exists().where(*is_told, ~is_retracted(until))
    unreported = select(ASKED.c.match, *pair).where(ASKED.c.seq <= until, ~is_reported)
    void = select(EVENTS.c.match).where(EVENTS.c.kind == "void", EVENTS.c.seq <= until)
    was_reported = RETRACTED.c.result == TOLD.c.seq
    retracted = select(TOLD.c.match).where(was_reported, RETRACTED.c.seq <= until)
    times = func.count(distinct(ASKED.c.match))
    seats = select(*pair, times).where(ASKED.c.seq <= until).group_by(*pair).order_by(*pair)
    return Unfinished(
        {number: Match(*players) for number, *players in connection.execute(unreported)},
        set(connection.execute(union(void, retracted)).scalars()) - {None},
        _open_requests(connection, until),
        [(first, second, count) for first, second, count in connection.execute(seats)],
    )


def _open_requests(connection: Connection, until: int) -> list[Match]:
    """The requests without a match; a match fulfils the oldest one for its seats."""
    pair = (EVENTS.c.first, EVENTS.c.second)
    is_request = (EVENTS.c.kind == REQUEST, EVENTS.c.seq <= until)
    requested = connection.execute(select(EVENTS.c.seq, *pair).where(*is_request)).all()
    if not requested:
        return []
    before = ASKED.alias()
    is_again = exists().where(before.c.match == ASKED.c.match, before.c.seq < ASKED.c.seq)
    seats = tuple_(ASKED.c.first, ASKED.c.second)
    asked = select(ASKED.c.seq, ASKED.c.first, ASKED.c.second).where(
        ASKED.c.seq <= until,
        ASKED.c.seq > min(row.seq for row in requested),
        seats.in_(select(*pair).where(*is_request)),
        ~is_again,
    )
    steps = [(seq, Match(*seats), True) for seq, *seats in requested]
    steps += [(seq, Match(*seats), False) for seq, *seats in connection.execute(asked)]
    waiting: dict[Match, deque[int]] = {}
    for seq, match, is_new in sorted(steps):
        queue = waiting.setdefault(match, deque())
        if is_new:
            queue.append(seq)
        elif queue:
            queue.popleft()
    left = sorted((seq, match) for match, queue in waiting.items() for seq in queue)
    return [match for _, match in left]
