"""One match of the record: who had it, its results, and what else was recorded about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Select, func, select

from maxin.core import Match
from maxin.storage.records import PlayedMatch, StoredEvent
from maxin.storage.results import SEEDS, read_played, select_results
from maxin.storage.rows import LARGEST, RowReader
from maxin.storage.schema import ASKED, RETRACTED, TOLD

if TYPE_CHECKING:
    from maxin.storage.store import Store


class HandOut(NamedTuple):
    """When a match was handed out, and to whom."""

    time: float
    worker: str


class Retraction(NamedTuple):
    """Why a result was taken back, by whom and when."""

    reason: str
    worker: str
    time: float


class StoredResult(NamedTuple):
    """A result with the number of its entry; `retraction` is None if it stands."""

    seq: int
    played: PlayedMatch[int]
    retraction: Retraction | None


class StoredMatch(NamedTuple):
    """A match as it is stored; one that was played elsewhere has no number, and one result.

    What is in a list is in the order of the record.
    """

    number: int | None
    players: Match
    seed: int | None
    handed_out: list[HandOut]
    results: list[StoredResult]
    events: list[StoredEvent]


def read_match(store: Store, number: int) -> StoredMatch | None:
    """The match of this number; None if there is none.

    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo"], seed=1)
    >>> tournament.tell(tournament.ask(), 1.0)
    True
    >>> read_match(tournament.store, 1).results[0].played.score, read_match(tournament.store, 2)
    (1.0, None)
    """
    if not 0 < number <= LARGEST:
        return None
    rows = store.query(select(ASKED).where(ASKED.c.match == number).order_by(ASKED.c.seq))
    if not rows:
        return None
    read = [RowReader(store.url, ASKED, row) for row in rows]
    players = Match(*read[0].pair(store.n_players()))
    seed = read[0].whole("seed", 0, SEEDS - 1)
    handed_out = [HandOut(one.time(), one.text("worker")) for one in read]
    results = _results(store, select_results(retracted=True).where(TOLD.c.match == number))
    events = list(store.events(match=number))
    return StoredMatch(number, players, seed, handed_out, results, events)


def read_elsewhere(store: Store, seq: int) -> StoredMatch | None:
    """The match without a number whose result is this entry; None if there is none."""
    own = (TOLD.c.seq == seq, TOLD.c.match.is_(None))
    for result in _results(store, select_results(retracted=True).where(*own)):
        players = Match(result.played.first, result.played.second)
        return StoredMatch(None, players, None, [], [result], [])
    return None


def last_match(store: Store) -> int:
    """The number of the last match that was handed out; 0 if there is none."""
    return store.query(select(func.max(ASKED.c.match)))[0][0] or 0


def _results(store: Store, statement: Select[tuple[object, ...]]) -> list[StoredResult]:
    rows = store.query(statement.order_by(TOLD.c.seq))
    back = select(RETRACTED).where(RETRACTED.c.result.in_([row.seq for row in rows]))
    retractions = {
        row.result: Retraction(row.reason, row.worker, RowReader(store.url, RETRACTED, row).time())
        for row in store.query(back)
    }
    return [
        StoredResult(row.seq, read_played(store, row), retractions.get(row.seq)) for row in rows
    ]
