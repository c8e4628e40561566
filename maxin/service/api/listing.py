"""Lists that are read a page at a time, in the order of the record."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, or_, select

from maxin.service.access.tokens import read_tokens
from maxin.service.pages.shown import worker_name
from maxin.storage import Store
from maxin.storage.rows import RowReader, read_played
from maxin.storage.schema import ASKED, EVENTS, RETRACTED, TOLD


def list_results(
    store: Store, after: int, limit: int, player: int | None = None
) -> list[dict[str, Any]]:
    """The results after an entry, with players by number; of one player, or of all.

    >>> from maxin.storage import open_store
    >>> len(list_results(open_store("sqlite://"), 0, 10))
    0
    """
    seed = select(func.min(ASKED.c.seed)).where(ASKED.c.match == TOLD.c.match)
    reason = select(RETRACTED.c.reason).where(RETRACTED.c.result == TOLD.c.seq)
    others = (seed.scalar_subquery().label("seed"), reason.scalar_subquery().label("retracted"))
    rows = select(TOLD, *others).where(TOLD.c.seq > after).order_by(TOLD.c.seq).limit(limit)
    if player is not None:
        rows = rows.where(or_(TOLD.c.first == player, TOLD.c.second == player))
    with store.one_moment() as connection:
        found = connection.execute(rows).all()
    listed = []
    for row in found:
        played = read_played(RowReader(store.url, TOLD, row))._asdict()
        number, worker = played.pop("number"), worker_name(played.pop("worker") or "")
        listed.append({"seq": row.seq, "match": number, **played, "worker": worker})
    return listed


def list_void(
    store: Store, after: int, limit: int, player: int | None = None
) -> list[dict[str, Any]]:
    """The matches given up after an entry, with players by number; of one player, or of all.

    >>> from maxin.storage import open_store
    >>> len(list_void(open_store("sqlite://"), 0, 10))
    0
    """
    seats = (func.min(ASKED.c.first).label("one"), func.min(ASKED.c.second).label("two"))
    rows = (
        select(EVENTS.c.seq, EVENTS.c.match, EVENTS.c.detail, EVENTS.c.time, *seats)
        .join(ASKED, ASKED.c.match == EVENTS.c.match)
        .where(EVENTS.c.kind == "void", EVENTS.c.seq > after)
        .group_by(EVENTS.c.seq, EVENTS.c.match, EVENTS.c.detail, EVENTS.c.time)
        .order_by(EVENTS.c.seq)
        .limit(limit)
    )
    if player is not None:
        rows = rows.where(or_(ASKED.c.first == player, ASKED.c.second == player))
    with store.one_moment() as connection:
        found = connection.execute(rows).all()
    return [
        {
            "seq": row.seq,
            "match": row.match,
            "first": row.one,
            "second": row.two,
            "time": row.time,
            "void": str(RowReader(store.url, EVENTS, row).json("detail", dict).get("reason", "")),
        }
        for row in found
    ]


def list_tokens(store: Store) -> dict[str, Any]:
    """All tokens without their digests.

    >>> from maxin.storage import open_store
    >>> len(list_tokens(open_store("sqlite://"))["rows"])
    0
    """
    rows = [row._asdict() for row in read_tokens(store)]
    return {"rows": [{key: row[key] for key in row if key != "digest"} for row in rows]}


def list_audit(store: Store, after: int, limit: int) -> dict[str, Any]:
    """What was done by admins after an entry.

    >>> from maxin.storage import open_store
    >>> len(list_audit(open_store("sqlite://"), 0, 10)["rows"])
    0
    """
    rows = select(EVENTS).where(EVENTS.c.kind == "admin", EVENTS.c.seq > after)
    with store.one_moment() as connection:
        found = connection.execute(rows.order_by(EVENTS.c.seq).limit(limit)).all()
    listed: list[dict[str, Any]] = []
    for row in found:
        detail = RowReader(store.url, EVENTS, row).json("detail", dict)
        by, action = str(detail.pop("token", "")), str(detail.pop("action", ""))
        entry = {"seq": row.seq, "time": row.time, "match": row.match}
        listed.append({**entry, "token": by, "action": action, "detail": detail})
    return {"rows": listed, "next": listed[-1]["seq"] if len(listed) == limit else None}
