"""The results in a store, with the players' names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maxin.storage import PlayedMatch, Store, StoreFailed


def recorded_results(
    store: Store, names: Sequence[str], *, retracted: bool = False
) -> Iterator[PlayedMatch[str]]:
    """Every result, in the order they were recorded; `names` are the players known so far.

    With `retracted`, also those that were taken back.

    >>> from maxin.storage import open_store
    >>> store = open_store("sqlite://")
    >>> _ = store.transact(lambda writer: writer.tell(PlayedMatch(None, 1, 0, 0.5), "me"))
    >>> [(match.first, match.score) for match in recorded_results(store, ["anna", "bo"])]
    [('bo', 0.5)]
    """
    for played in store.played(retracted=retracted):
        if max(played.first, played.second) >= len(names):  # they joined since
            names = [player.name for player in store.players()]
            if max(played.first, played.second) >= len(names):
                raise StoreFailed(
                    f"the store {store} is damaged: in the table maxin_told, a result names "
                    f"player {max(played.first, played.second)} of {len(names)}"
                )
        first, second = names[played.first], names[played.second]
        yield PlayedMatch(played.number, first, second, *played[3:])
