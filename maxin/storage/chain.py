"""The chain of digests: every entry of the record is sealed together with all before it.

    digest(k) = BLAKE2b(digest(k - 1), table, row k)

An entry that was changed, removed or put in later breaks the chain at its place. The chain needs
no secret: whoever rewrites every digest after a change goes unnoticed, unless somebody has kept
the digest of the last entry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

from sqlalchemy import Table

SIZE = 16  # bytes of a digest
_dump = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def digest_of(before: str, table: Table, row: Mapping[str, Any]) -> str:
    """The digest of a row of the record that follows the entry with the digest `before`.

    >>> from maxin.storage.schema import EVENTS
    >>> row = dict.fromkeys(EVENTS.c.keys()) | {"seq": 1, "kind": "note", "detail": "{}"}
    >>> len(digest_of("", EVENTS, row))
    32
    """
    return digest_of_values(before, table.name, [row[name] for name in _columns(table)])


def digest_of_values(before: str, name: str, values: Sequence[Any]) -> str:
    """The digest of a row of the table `name`, given as its values in the order of the columns.

    >>> len(digest_of_values("", "maxin_events", [1, "note", None, None, None, None, "{}", 0.0]))
    32
    """
    return blake2b(_dump([before, name, *values]).encode(), digest_size=SIZE).hexdigest()


@cache
def _columns(table: Table) -> tuple[str, ...]:
    """The columns that a digest covers: all but itself."""
    return tuple(column.name for column in table.c if column.name != "digest")
