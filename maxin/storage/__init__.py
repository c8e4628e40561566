"""The store: an append-only record of players, matches, results and events.

`open_store` opens a URL: `sqlite:///league.db` or `postgresql://...`. The record is the truth;
ratings and schedules are derived from it, and a snapshot of them is only a shortcut.
"""

from maxin.storage.audit import Audit
from maxin.storage.database.engine import NoStore, StoreFailed, StoreLost
from maxin.storage.database.outage import caller_waits, outlast
from maxin.storage.records import (
    AWAY,
    Counted,
    Entry,
    Lease,
    PlayedMatch,
    PlayerRow,
    PlayerState,
    StoredEvent,
)
from maxin.storage.store import Store, open_store
from maxin.storage.unfinished import Unfinished
from maxin.storage.writer import Writer

__all__ = [
    "AWAY",
    "Audit",
    "Counted",
    "Entry",
    "Lease",
    "NoStore",
    "PlayedMatch",
    "PlayerRow",
    "PlayerState",
    "Store",
    "StoreFailed",
    "StoreLost",
    "StoredEvent",
    "Unfinished",
    "Writer",
    "caller_waits",
    "open_store",
    "outlast",
]
