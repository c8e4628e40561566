"""The shelf: which players have an output for which item, and how often each item was shown."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Set
from typing import Any

from sqlalchemy import BindParameter, bindparam, func, select

from maxin.storage.schema import OUTPUTS, PAIRS
from maxin.tournament.tickets.wishes import WishGroup


class Shelf:
    """What can be shown, in memory; it is read again when outputs were added.

    Only the order in which items are chosen depends on the counts, so several services on one
    store may each count what they show.

    Args:
        rng: chooses among items that were shown equally often.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._group: WishGroup | None = None  # in which we looked last
        self._n_outputs = -1
        self._items: dict[int, set[int]] = {}  # by player
        self._shown: Counter[int] = Counter()
        self._is_news = True

    def is_news(self) -> bool:
        """Whether this is the first call since there were outputs that are new.

        >>> shelf = Shelf(random.Random(1))
        >>> [int(shelf.is_news()) for _ in range(2)]
        [1, 0]
        """
        is_news, self._is_news = self._is_news, False
        return is_news

    def is_empty(self, group: WishGroup) -> bool:
        """Whether there is nothing to show."""
        self._refresh(group)
        return not self._items

    def common(self, group: WishGroup, low: int, high: int) -> Set[int]:
        """The items of which both players have an output."""
        self._refresh(group)
        return self._items.get(low, set()) & self._items.get(high, set())

    def least_shown(self, items: Set[int]) -> int:
        """One of the items that were shown least often; there must be one.

        >>> Shelf(random.Random(1)).least_shown({7})
        7
        """
        fewest = min(self._shown[item] for item in items)
        return self._rng.choice(sorted(item for item in items if self._shown[item] == fewest))

    def note(self, item: int) -> None:
        """Count an item as shown once more."""
        self._shown[item] += 1

    def _refresh(self, group: WishGroup) -> None:
        if group is self._group:
            return
        self._group = group
        query = group.writer.query
        n_outputs = query(select(func.count()).select_from(OUTPUTS))[0][0]
        if n_outputs == self._n_outputs:
            return
        self._n_outputs, self._is_news = n_outputs, True
        found: defaultdict[int, set[int]] = defaultdict(set)
        for row in query(select(OUTPUTS.c.item, OUTPUTS.c.player)):
            found[row.player].add(row.item)
        self._items = dict(found)
        counts = query(select(PAIRS.c.item, func.count().label("times")).group_by(PAIRS.c.item))
        self._shown = Counter({row.item: row.times for row in counts})


def n_left(group: WishGroup, voter: str) -> int:
    """How many pairs of outputs a voter can still compare: of active players, on all items.

    >>> from maxin.tournament import Tournament
    >>> from maxin.tournament.tickets.wishes import WorkWish
    >>> tournament = Tournament(["anna", "bo"])
    >>> tournament.batch([WorkWish(lambda group: n_left(group, "k3x0"))])
    [0]
    """
    active = {"active": group.tickets.state.active(), "who": voter}
    seen: int = group.writer.query(_N_SEEN, active)[0][0]
    return n_pairs(row.n for row in group.writer.query(N_OUTPUTS, active)) - seen


def n_pairs(counts: Iterable[int]) -> int:
    """How many pairs of outputs there are, of items with so many outputs each: sum n (n - 1) / 2.

    >>> n_pairs([4, 2, 1])
    7
    """
    return sum(n * (n - 1) // 2 for n in counts)


# The numbers are part of the statement, as SQLite may allow 999 parameters only.
_ACTIVE: BindParameter[Any] = bindparam("active", expanding=True, literal_execute=True)
N_OUTPUTS = (
    select(func.count().label("n")).where(OUTPUTS.c.player.in_(_ACTIVE)).group_by(OUTPUTS.c.item)
)
_SEEN = (PAIRS.c.low.in_(_ACTIVE), PAIRS.c.high.in_(_ACTIVE))
_N_SEEN = select(func.count()).where(PAIRS.c.voter == bindparam("who"), *_SEEN)
N_SEEN_BY_ALL = select(PAIRS.c.voter, func.count().label("n")).where(*_SEEN).group_by(PAIRS.c.voter)
