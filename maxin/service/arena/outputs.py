"""What can be shown: which players have an output for which item, and how often it was shown."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Set

from maxin.storage.votes import items, pairs
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
        self._categories: dict[int, str] = {}
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

        It is of the category that was shown least often, so that all categories are drawn evenly,
        however many items they have. Items without a category are one more.
        """
        found = self._of_rarest_category(items) if self._categories else items
        fewest = min(self._shown[item] for item in found)
        return self._rng.choice(sorted(item for item in found if self._shown[item] == fewest))

    def _of_rarest_category(self, items: Set[int]) -> Set[int]:
        """Those of the categories that were shown least often."""
        shown = Counter[str]()
        for item, times in self._shown.items():
            shown[self._categories.get(item, "")] += times
        fewest = min(shown[self._categories.get(item, "")] for item in items)
        return {item for item in items if shown[self._categories.get(item, "")] == fewest}

    def note(self, item: int) -> None:
        """Count an item as shown once more."""
        self._shown[item] += 1

    def _refresh(self, transaction: Transaction) -> None:
        if transaction is self._transaction:
            return
        self._transaction = transaction
        self._categories = items.categories(transaction.writer)
        n_outputs = items.count_outputs(transaction.writer)
        if n_outputs == self._n_outputs:
            return
        self._n_outputs, self._is_news = n_outputs, True
        self._items = items.items_by_player(transaction.writer)
        self._shown = pairs.times_shown(transaction.writer)


def n_left(transaction: Transaction, voter: str) -> int:
    """How many pairs of outputs a voter can still compare: of active players, on all items."""
    active = transaction.state.active()
    seen = pairs.count_seen(transaction.writer, active, voter)
    return items.count_pairs(transaction.writer, active) - seen[voter]
