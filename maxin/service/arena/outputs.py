"""What can be shown: which players have an output for which item, and how often it was shown."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Set

from maxin.storage import items, pairs
from maxin.tournament.record.transaction import Transaction


class OutputIndex:
    """The items of each player, in memory; read again when outputs were added.

    Only the order in which items are chosen depends on the counts, so several services on one
    store may each count what they show.

    Args:
        rng: chooses among items that were shown equally often.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._transaction: Transaction | None = None  # in which we looked last
        self._n_outputs = -1
        self._items: dict[int, set[int]] = {}  # by player
        self._shown: Counter[int] = Counter()
        self._is_news = True

    def is_news(self) -> bool:
        """Whether this is the first call since there were outputs that are new."""
        is_news, self._is_news = self._is_news, False
        return is_news

    def is_empty(self, transaction: Transaction) -> bool:
        """Whether there is nothing to show."""
        self._refresh(transaction)
        return not self._items

    def common(self, transaction: Transaction, low: int, high: int) -> Set[int]:
        """The items of which both players have an output."""
        self._refresh(transaction)
        return self._items.get(low, set()) & self._items.get(high, set())

    def least_shown(self, items: Set[int]) -> int:
        """One of the items that were shown least often; there must be one.

        >>> OutputIndex(random.Random(1)).least_shown({7})
        7
        """
        fewest = min(self._shown[item] for item in items)
        return self._rng.choice(sorted(item for item in items if self._shown[item] == fewest))

    def note(self, item: int) -> None:
        """Count an item as shown once more."""
        self._shown[item] += 1

    def _refresh(self, transaction: Transaction) -> None:
        if transaction is self._transaction:
            return
        self._transaction = transaction
        n_outputs = items.count_outputs(transaction.writer)
        if n_outputs == self._n_outputs:
            return
        self._n_outputs, self._is_news = n_outputs, True
        self._items = items.items_by_player(transaction.writer)
        self._shown = pairs.times_shown(transaction.writer)


def n_left(transaction: Transaction, voter: str) -> int:
    """How many pairs of outputs a voter can still compare: of active players, on all items.

    >>> from maxin.tournament import Tournament
    >>> from maxin.tournament.record.commands import Act
    >>> tournament = Tournament(["anna", "bo"])
    >>> tournament.apply([Act(lambda transaction: n_left(transaction, "k3x0"))])
    [0]
    """
    active = transaction.state.active()
    seen = pairs.count_seen(transaction.writer, active, voter)
    return items.count_pairs(transaction.writer, active) - seen[voter]
