"""The store: an append-only record of players, asked and told matches, and events.

`open_store` opens a URL: `sqlite:///league.db` or `postgresql://...`. The record is the truth;
ratings and schedules are derived from it, and a snapshot of them is only a shortcut.
"""

from maxin.storage.engine import StoreFailed, StoreLost
from maxin.storage.records import Asking, Entry, Event, Lease, PlayerRow, Telling, ToldRow
from maxin.storage.store import Store, open_store
from maxin.storage.writer import Writer

__all__ = [
    "Asking",
    "Entry",
    "Event",
    "Lease",
    "PlayerRow",
    "Store",
    "StoreFailed",
    "StoreLost",
    "Telling",
    "ToldRow",
    "Writer",
    "open_store",
]
