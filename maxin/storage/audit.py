"""The chain of digests, and its audit: whether every entry is there, once, in order and unchanged.

Every entry of the record is sealed together with all before it:

    digest(k) = BLAKE2b(digest(k - 1), table, row k)

An entry that was changed, removed or put in later breaks the chain at its place. The chain needs
no secret: whoever rewrites every digest after a change goes unnoticed, unless somebody has kept
the digest of the last entry.

The audit reads the tables in the order of the entries' numbers, one page each at a time, so its
memory does not grow with the record. After a break it continues with the digest that is stored, so
one change is one problem.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from hashlib import blake2b
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Table, func, select

from maxin.core.text import visible
from maxin.storage.ahead import Ahead
from maxin.storage.database.errors import StoreFailed, StoreLost
from maxin.storage.rows import RowReader
from maxin.storage.schema import (
    ASKED,
    EVENTS,
    HEAD,
    PLAYERS,
    RECORD,
    REQUEST,
    RETRACTED,
    SETTINGS,
    TOLD,
)

SIZE = 16  # bytes of a digest
PAGE = 2_000  # rows of a table read at a time
MOST = 20  # problems that are listed; the rest are counted
SEATS = {PLAYERS: (), RETRACTED: (), ASKED: ("first", "second"), TOLD: ("first", "second")}
SEATS[EVENTS] = ("player", "first", "second")  # the columns that name players, or nobody

Reading = Callable[[], AbstractContextManager[Connection]]


def digest_of(before: str, table: Table, row: Mapping[str, Any]) -> str:
    """The digest of a row of the record that follows the entry with the digest `before`."""
    return digest_of_values(before, table.name, [row[name] for name in _columns(table)])


def digest_of_values(before: str, name: str, values: Sequence[Any]) -> str:
    """The digest of a row of the table `name`, given as its values in the order of the columns.

    >>> digest_of_values("", "maxin_events", [1, "note", None, None, None, None, "{}", 0.0])
    '78a30cf960d6ff90cb2b7444db01c267'
    """
    return blake2b(_dump([before, name, *values]).encode(), digest_size=SIZE).hexdigest()


_dump = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


@cache
def _columns(table: Table) -> tuple[str, ...]:
    """The columns that a digest covers: all but itself."""
    return tuple(column.name for column in table.c if column.name != "digest")


class Audit(NamedTuple):
    """The size of the record, and its problems.

    Args:
        n_entries: the number of the last entry.
        n_results: how many results there are, without those that were retracted.
        n_unsealed: how many entries come from an older version and have no digest.
        digest: that of the last entry.
        known_until: the number of the entry that has the digest which was looked for.
        problems: sentences; if there are many, the last one counts the rest.
    """

    n_entries: int
    n_results: int
    n_unsealed: int
    digest: str
    known_until: int | None
    problems: list[str]


class SealedRow(NamedTuple):
    """A row of the record as it is stored; `values` are all but the digest."""

    seq: int
    table: Table
    values: Sequence[Any]
    digest: Any

    def value(self, name: str) -> Any:
        """The value of a column."""
        return self.values[_PLACES[self.table][name]]

    def described(self) -> str:
        """The entry in a sentence."""
        if self.table is PLAYERS:
            return f"player {visible(repr(self.value('name')))}"
        if self.table is RETRACTED:
            return f"the retraction of entry {visible(str(self.value('result')))}"
        number = self.value("match")
        of_match = "" if number is None else f" of match {visible(str(number))}"
        if self.table is ASKED:
            return f"the ticket{of_match}"
        if self.table is TOLD:
            return f"the result{of_match}" if of_match else "an imported result"
        kind = self.value("kind")
        return f"the event {visible(repr('request' if kind == REQUEST else kind))}{of_match}"

    def digest_after(self, before: str) -> str | None:
        """The digest that the row must have after an entry with the digest `before`."""
        try:
            return digest_of_values(before, self.table.name, self.values)
        except TypeError:  # bytes, which no entry has
            return None


_PLACES = {table: {name: place for place, name in enumerate(table.c.keys())} for table in RECORD}


def limited(problems: Sequence[str], n_more: int = 0) -> list[str]:
    """The first problems, and how many more there are.

    >>> limited(["a", "b"]), limited(["a"] * 30)[-1]
    (['a', 'b'], 'and 10 more problems')
    """
    n_more += max(0, len(problems) - MOST)
    more = [f"and {n_more:,} more problem{'s' * (n_more > 1)}"] if n_more else []
    return [*problems[:MOST], *more]


def audit(reading: Reading, one_moment: Reading, digest: str = "") -> Audit:
    """Audit the record; entries that are written meanwhile are left out.

    Args:
        reading: opens a connection for one read.
        one_moment: opens one whose reads all see the same moment.
        digest: one that the record had before, or how it begins.

    >>> from maxin.storage import open_store
    >>> store = open_store("sqlite://")
    >>> store.transact(lambda writer: writer.event("note", text="hello"))
    1
    >>> store.audit().n_entries
    1
    """
    auditor = _Auditor(digest)
    try:
        _check_file(reading, auditor)
        _check_record(reading, one_moment, auditor)
    except StoreLost:
        raise
    except StoreFailed as error:
        auditor.add(f"the record cannot be read after entry {auditor.last}: {error}")
    return auditor.report()


def _check_record(reading: Reading, one_moment: Reading, auditor: _Auditor) -> None:
    """Give every entry to the auditor."""
    ends = [select(func.max(table.c.seq)).scalar_subquery() for table in RECORD]
    with one_moment() as connection:
        found = connection.execute(select(HEAD, *ends)).one()
        reader = RowReader(connection.engine.url, HEAD, found)
        settings = {str(row.key): str(row.value) for row in connection.execute(select(SETTINGS))}
    head = dict(zip(HEAD.c.keys(), found, strict=False))
    for name in ("seq", "asked", "changed", "unsealed"):
        if not isinstance(head[name], int):  # a column of SQLite can hold any type
            auditor.add(f"{name} must be a whole number in the head; it is {head[name]!r}")
            return
    auditor.head = head
    Ahead.read(reader)
    last = max(end or 0 for end in found[len(head) :])
    rows = heapq.merge(*(_rows(reading, table, last) for table in RECORD), key=_seq)
    for seq, group in itertools.groupby(rows, key=_seq):
        auditor.take(seq, list(group))
    auditor.finish(settings)


_seq = attrgetter("seq")


def _rows(reading: Reading, table: Table, last: int) -> Iterator[SealedRow]:
    """The rows of a table up to number `last`, in order."""
    statement = select(table).where(table.c.seq <= last).order_by(table.c.seq).limit(PAGE)
    page: Sequence[Row[Any]] = ()
    while True:
        rest = statement.where(table.c.seq > page[-1].seq) if page else statement
        with reading() as connection:
            page = connection.execute(rest).all()
        for row in page:
            yield SealedRow(row[0], table, row[:-1], row[-1])
        if len(page) < PAGE:
            return


def _check_file(reading: Reading, auditor: _Auditor) -> None:
    """Have SQLite check its file; a server has no such check."""
    with reading() as connection:
        if connection.dialect.name != "sqlite":
            return
        found = connection.exec_driver_sql(f"PRAGMA integrity_check({MOST})").scalars().all()
    for line in found:
        if line != "ok":
            auditor.add(f"SQLite finds the file damaged: {visible(line)}")


class _Auditor:
    """Takes the entries in order, and collects problems."""

    def __init__(self, wanted: str) -> None:
        self.head: dict[str, Any] = {}
        self.last = 0  # the number of the last entry taken
        self._wanted = wanted
        self._problems: list[str] = []
        self._n_problems = 0
        self._is_found = False  # whether an entry has the digest that is wanted
        self._known_until: int | None = None
        # The digests that the last entry may have: the one stored and, if that one is wrong, the
        # one that follows from its content. None after a gap: any may be right.
        self._before: list[str] | None = [""]
        self._broken: list[SealedRow] = []  # first and last of the entries that do not follow
        self._is_intact = True
        self._is_sealed = False
        self._last_row: SealedRow | None = None
        self._n_results = self._n_unsealed = self._asked = self._changed = 0
        self._players: set[int] = set()
        self._settings: dict[str, Any] = {}

    def add(self, problem: str) -> None:
        """Note a problem."""
        self._n_problems += 1
        if self._n_problems <= MOST:
            self._problems.append(problem)

    def report(self) -> Audit:
        """The audit of the entries taken so far."""
        if self._wanted and not self._is_found:
            self.add(
                f"no unchanged entry has the digest {self._wanted}: the record was rewritten, "
                "or the digest is that of another store"
            )
        listed = limited(self._problems, max(0, self._n_problems - MOST))
        digest = self._last_row.digest if self._last_row is not None else ""
        counts = (self.last, self._n_results, self._n_unsealed)
        return Audit(*counts, str(digest or ""), self._known_until, listed)

    def take(self, seq: int, rows: list[SealedRow]) -> None:
        """Take the rows that have the next number; there should be one."""
        if seq < 1:
            self._break(f"entry {seq}, {rows[0].described()}, is out of order: the first is 1")
            return
        self._check_gap(seq - 1)
        row = rows[0]
        if len(rows) > 1:
            found = " and as ".join(row.described() for row in rows)
            self._break(f"entry {seq} occurs {len(rows)} times: as {found}")
            row = next((row for row in rows if self._fits(row)), row)
        is_right = self._check_seal(row)
        self.last, self._last_row = seq, row
        self._count(row)
        if is_right:
            self._check_content(row)

    def finish(self, settings: dict[str, str]) -> None:
        """Compare the head and the table of settings with the record."""
        self._check_gap(min(self.head["seq"], self.last))
        head, last = self.head, self._last_row
        is_end = self.last == head["seq"]
        if not is_end:
            self._is_intact = False
            self.add(
                f"the head says {_entries(head['seq'])}, the record ends with entry {self.last}"
            )
        is_known = self._before is None or head["digest"] in self._before
        if is_end and not is_known and not self._broken:
            where = "an empty record" if last is None else f"entry {last.seq}, {last.described()}"
            self.add(f"the digest in the head is not that of {where}")
        self._end_break()
        self._check_counts()
        self._check_settings(settings)

    # The chain

    def _check_gap(self, end: int) -> None:
        """Note the entries that are missing after the last one, up to number `end`."""
        end = min(end, self.head["seq"])
        if end <= self.last:
            return
        first = self.last + 1
        numbers = f"entry {first} is" if first == end else f"entries {first} to {end} are"
        self._break(f"{numbers} missing")
        self._before = None

    def _fits(self, row: SealedRow) -> bool:
        """Whether the row can follow the entry before."""
        if row.digest is None:
            return not self._is_sealed and row.seq <= self.head["unsealed"]
        if self._before is None:
            return isinstance(row.digest, str)
        return any(row.digest_after(before) == row.digest for before in self._before)

    def _check_seal(self, row: SealedRow) -> bool:
        """Follow the chain to this row; returns whether it is right."""
        if row.digest is None and not self._is_sealed and row.seq <= self.head["unsealed"]:
            self._n_unsealed += 1
            self._before = [""]
            return True
        self._is_sealed |= row.digest is not None
        if self._fits(row):
            self._end_break()
            self._before = [row.digest]
            if self._wanted and not self._is_found and row.digest.startswith(self._wanted):
                self._is_found = True
                self._known_until = row.seq if self._is_intact else None
            return True
        self._is_intact = False
        self._broken = [*self._broken[:1], row]
        computed = row.digest_after((self._before or [""])[0])
        self._before = [digest for digest in (row.digest, computed) if isinstance(digest, str)]
        return False

    def _break(self, problem: str) -> None:
        self._end_break()
        self._is_intact = False
        self.add(problem)

    def _end_break(self) -> None:
        """Note the entries in a row that do not follow those before them."""
        if not self._broken:
            return
        first, last = self._broken[0], self._broken[-1]
        if first is last:
            self.add(f"entry {first.seq}, {first.described()}, was changed")
        else:
            joint = "and" if last.seq == first.seq + 1 else "to"
            self.add(
                f"entries {first.seq} {joint} {last.seq}, {first.described()} {joint} "
                f"{last.described()}, do not follow each other: they were changed, put in or "
                "put out of order"
            )
        self._broken = []

    # The content

    def _count(self, row: SealedRow) -> None:
        """Collect the counts that the head and the settings must match."""
        if row.table is ASKED and isinstance(row.value("match"), int):
            self._asked = max(self._asked, row.value("match"))
        is_imported = row.table is TOLD and row.value("match") is None
        is_request = row.table is EVENTS and row.value("kind") == REQUEST
        if row.table in (PLAYERS, RETRACTED) or is_imported or is_request:
            self._changed = row.seq
        self._n_results += (row.table is TOLD) - (row.table is RETRACTED)
        if row.table is EVENTS and row.value("kind") == "settings":
            try:
                self._settings |= json.loads(row.value("detail"))
            except (TypeError, ValueError):  # it was changed, which the chain shows
                self._is_intact = False

    def _check_content(self, row: SealedRow) -> None:
        """Check the values that no writer of ours can have written."""
        if row.table is PLAYERS:
            self._players.add(row.value("player"))
        if row.table is TOLD:
            score = row.value("score")
            if not isinstance(score, float) or not 0.0 <= score <= 1.0:
                self.add(
                    f"entry {row.seq}, {row.described()}, has the score {score!r}, "
                    "which must be in [0, 1]"
                )
        for name in SEATS[row.table]:
            player = row.value(name)
            if self._is_intact and player is not None and player not in self._players:
                self._players.add(player)  # it is named once
                self.add(f"entry {row.seq}, {row.described()}, has the unknown player {player!r}")

    def _check_counts(self) -> None:
        """Compare the head's numbers with the record, unless something is wrong with that."""
        if not self._is_intact:
            return
        head = self.head
        if head["asked"] != self._asked:
            self.add(
                f"the head says that the last match is {head['asked']}, "
                f"the record says {self._asked}"
            )
        if head["unsealed"] != self._n_unsealed:
            self.add(
                f"the head says that {_entries(head['unsealed'])} have no digest, "
                f"in the record it is {self._n_unsealed}"
            )
        changed = max(self._changed, self._n_unsealed)
        if head["changed"] != changed:
            self.add(
                f"the head says that players last changed with entry {head['changed']}, "
                f"the record says {changed}"
            )

    def _check_settings(self, stored: dict[str, str]) -> None:
        """Compare the table of settings with the record; an older version recorded none."""
        if not self._is_intact:
            return
        recorded = {key: json.dumps(value) for key, value in self._settings.items()}
        for key in sorted(recorded.keys() | stored.keys()):
            if key not in recorded and self._n_unsealed:
                continue
            here, there = stored.get(key, "missing"), recorded.get(key, "missing")
            if here != there:
                self.add(
                    f"the setting {visible(key)!r} is {visible(str(here))} in the table of "
                    f"settings and {visible(there)} in the record"
                )


def _entries(number: int) -> str:
    return f"{number} {'entry' if number == 1 else 'entries'}"
