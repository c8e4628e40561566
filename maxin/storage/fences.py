"""Fences: which entry, of which history, has handed a match out.

A store that was restored from a backup counts its entries and its matches on from there, so the
same numbers come again. The digest of an entry covers all entries before it and the time when it
was written, so it differs between two histories, however long their common beginning is.
"""

from __future__ import annotations

import re

from maxin.core import InvalidInput

SEAL = 16  # hexadecimal digits of a digest: 64 bits
_RULE = re.compile(r"([1-9][0-9]{0,17})(?:-([0-9a-f]{16}))?", re.ASCII)


def fence_of(entry: int, digest: str | None) -> str:
    """The fence of a match that this entry hands out; an older version's has no digest.

    >>> fence_of(101, "78a30cf960d6ff90cb2b7444db01c267"), fence_of(7, None)
    ('101-78a30cf960d6ff90', '7')
    """
    return f"{entry}-{digest[:SEAL]}" if digest else str(entry)


def entry_of(fence: str) -> int:
    """The number of the entry in a fence.

    >>> entry_of("101-78a30cf960d6ff90")
    101
    """
    found = _RULE.fullmatch(fence)
    if found is None:
        raise InvalidInput(
            f"a fence must be as the ticket has it, such as 101-78a30cf960d6ff90; got {fence!r:.80}"
        )
    return int(found[1])


def fits(fence: str, digest: str | None) -> bool:
    """Whether a fence is that of an entry with this digest; one without a digest fits any.

    >>> fits("101-78a30cf960d6ff90", "78a30cf960d6ff90cb2b7444db01c267"), fits("101", "78")
    (True, True)
    """
    _, _, seal = fence.partition("-")
    return not seal or seal == str(digest or "")[:SEAL]
