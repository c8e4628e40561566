"""The record as one sequence: rows of all tables in the order they were committed."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    Float,
    Text,
    case,
    cast,
    literal,
    null,
    select,
    union_all,
)

from maxin.storage.records import Entry
from maxin.storage.schema import ASKED, EVENTS, PLAYERS, REQUEST, TOLD

PAGE = 20_000  # rows read at a time, so that a long record needs little memory


def read_entries(connection: Connection, after: int) -> list[Entry]:
    """The next page of the record after `after`; empty at its end."""
    return [_entry(row) for row in connection.execute(_statement(after))]


def _entry(row: Any) -> Entry:
    entry = Entry._make(row)
    if row.games is None:
        return entry
    return entry._replace(games=tuple(json.loads(row.games)))


def _statement(after: int) -> Any:
    """The statement whose rows are the fields of `Entry`."""
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
    )
    pair = (ASKED.c.first, ASKED.c.second)
    asked = select(ASKED.c.seq, literal("ask"), ASKED.c.match, *pair, number, words, words, words)
    result = (TOLD.c.first, TOLD.c.second, TOLD.c.score, TOLD.c.games)
    told = select(TOLD.c.seq, literal("tell"), TOLD.c.match, *result, words, words)
    kind = case((EVENTS.c.kind == REQUEST, literal("request")), else_=EVENTS.c.kind)
    seats = (EVENTS.c.first, EVENTS.c.second)
    events = select(EVENTS.c.seq, kind, EVENTS.c.match, *seats, number, words, words, words)
    return (
        union_all(
            players.where(PLAYERS.c.seq > after),
            asked.where(ASKED.c.seq > after),
            told.where(TOLD.c.seq > after),
            events.where(EVENTS.c.seq > after, EVENTS.c.kind.in_(("void", REQUEST))),
        )
        .order_by("seq")
        .limit(PAGE)
    )


def recorded_lines(
    connection: Connection, source: str, lines: tuple[int, int]
) -> dict[int, tuple[int, int, float]]:
    """First, second and score of the results imported from `source`, by line.

    Only the lines from the first to the second of `lines` are read.
    """
    fields = (TOLD.c.line, TOLD.c.first, TOLD.c.second, TOLD.c.score)
    rows = select(*fields).where(TOLD.c.source == source, TOLD.c.line.between(*lines))
    return {row.line: (row.first, row.second, row.score) for row in connection.execute(rows)}
