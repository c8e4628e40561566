"""What a record leaves open: matches without a result, requests, and who sat where how often."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from sqlalchemy import Connection, distinct, exists, func, select, tuple_, union

from maxin.core import Match
from maxin.storage.entries import is_retracted
from maxin.storage.schema import ASKED, EVENTS, REQUEST, RETRACTED, TOLD


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
    """What is open after entry `until` of the record."""
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
