"""Matches chosen ahead: one process chooses for all who ask within the next moment.

Where many processes share a store, each would have to learn all results before it chooses, and
have the store's lock twice per match. So whoever chooses leaves the next matches in the store, and
the others take them with the results they bring.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from maxin.core import Match

if TYPE_CHECKING:
    from maxin.storage.rows import RowReader

FRESH_SECONDS = 1.0  # how long after they were chosen matches may be handed out, or awaited


class Ahead(NamedTuple):
    """The next matches: match `asked` + 1 has the first pair of players, and so on.

    A number that gets other players, because somebody has chosen for themselves, skips its pair.
    Without matches, it says who is choosing them.

    Args:
        by: the process that chose them.
        terms: when it stops; those who stop otherwise have to look at the results themselves.
        asked: the number of the last match that was handed out then.
        changed: the last entry that changed what may be asked; see `Writer.changed`.
        at: when they were chosen, by the clock of the store.
        matches: the players.

    >>> ahead = Ahead("me", "95 %", 7, 3, 1000.0, [Match(2, 0), Match(1, 2)])
    >>> ahead.match(9, 3), ahead.match(9, 8), ahead.match(10, 3)
    (Match(first=1, second=2), None, None)
    >>> [ahead.is_for(*who_and_when) for who_and_when in [("b", 8, 1000.2), ("b", 8, 1002.0)]]
    [True, False]
    >>> str(ahead)
    '["me","95 %",7,3,1000.0,[[2,0],[1,2]]]'
    """

    by: str
    terms: str
    asked: int
    changed: int
    at: float
    matches: Sequence[Match]

    @classmethod
    def read(cls, reader: RowReader) -> Self | None:
        """What the head holds; None if it holds none."""
        if not reader.text("ahead"):
            return None
        found = reader.json("ahead", list)
        kinds = [type(value) for value in found]
        if kinds != [str, str, int, int, float, list] or not all(map(_is_match, found[-1])):
            reader.fail("ahead must be who chose which matches, when, and on what terms")
        by, terms, asked, changed, at, matches = found
        return cls(by, terms, asked, changed, at, [Match(*match) for match in matches])

    def __str__(self) -> str:
        return json.dumps(self, separators=(",", ":"))

    def is_for(self, worker: str, asked: int, now: float) -> bool:
        """Whether this process may take matches from here, the last handed out being `asked`.

        Whoever chose them has others to choose as soon as half of them are gone.
        """
        has_half = 2 * (asked - self.asked) < len(self.matches)
        return self.is_fresh(now) and (worker != self.by or has_half)

    def is_fresh(self, now: float) -> bool:
        """Whether the matches, or the promise of some, still hold."""
        return 0.0 <= now - self.at < FRESH_SECONDS

    def match(self, number: int, changed: int) -> Match | None:
        """The match of this number; None if it was not chosen, or if that is no longer valid."""
        place = number - self.asked - 1
        is_there = self.changed == changed and 0 <= place < len(self.matches)
        return self.matches[place] if is_there else None


def _is_match(value: Any) -> bool:
    """Whether a value is two players."""
    is_pair = isinstance(value, list) and [type(player) for player in value] == [int, int]
    return is_pair and min(value) >= 0 and value[0] != value[1]
