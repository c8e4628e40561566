"""The latest results of a store, newest first: what a page shows without reading the record."""

from __future__ import annotations

from sqlalchemy import func, or_, select

from maxin.storage.entries import is_retracted
from maxin.storage.records import PlayedMatch
from maxin.storage.rows import RowReader, read_played
from maxin.storage.schema import ASKED, RETRACTED, TOLD
from maxin.storage.store import Store


def latest_results(
    store: Store,
    count: int,
    *,
    before: int | None = None,
    players: tuple[int, ...] = (),
    retracted: bool = False,
) -> list[tuple[int, PlayedMatch[int]]]:
    """The latest results with the numbers of their entries.

    Args:
        store: where they are.
        count: how many at most.
        before: only those before the entry of this number.
        players: only those of this player, or of these two against each other.
        retracted: also those that were taken back.

    >>> from maxin.storage import open_store
    >>> latest_results(open_store("sqlite://"), 5)
    []
    """
    seed = select(func.min(ASKED.c.seed)).where(ASKED.c.match == TOLD.c.match)
    reason = select(RETRACTED.c.reason).where(RETRACTED.c.result == TOLD.c.seq)
    others = (seed.scalar_subquery().label("seed"), reason.scalar_subquery().label("retracted"))
    rows = select(TOLD, *others).order_by(TOLD.c.seq.desc()).limit(count)
    if before is not None:
        rows = rows.where(TOLD.c.seq < before)
    for player in players:
        rows = rows.where(or_(TOLD.c.first == player, TOLD.c.second == player))
    if not retracted:
        rows = rows.where(~is_retracted())
    with store.one_moment() as connection:
        found = connection.execute(rows).all()
    return [(row.seq, read_played(RowReader(store.url, TOLD, row))) for row in found]
