"""Items in the store: they are added once, and do not change once somebody has seen them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from maxin.core import InvalidInput
from maxin.core.text import listed
from maxin.service.access.tokens import SHELL
from maxin.service.arena.item_files import Item
from maxin.storage import Store, Writer
from maxin.storage.items import Output, StoredItem, add_item, change_item, read_item
from maxin.tournament import Tournament


class AddedItems(NamedTuple):
    """How many items are new, were changed or got more outputs, and were there already.

    `n_lone` of them have one output alone, and are not shown until they have another.
    """

    n_new: int
    n_changed: int
    n_same: int
    n_lone: int = 0


def add_items(
    tournament: Tournament, items: Sequence[Item], *, add_players: bool = False
) -> AddedItems:
    """Add items in one transaction; those that are there already are left as they are.

    An item is known by its name. Its prompt and outputs can be replaced until it is first shown;
    after that, only outputs of further players can be added.

    Args:
        tournament: whose players have made the outputs.
        items: what `read_items` returns.
        add_players: let unknown names join as players, instead of refusing them.

    >>> tournament = Tournament(["anna", "bo"])
    >>> outputs = {name: Output("text/plain", b"Hello!") for name in tournament.names}
    >>> greeting = Item("greeting", "Say hello.", outputs)
    >>> add_items(tournament, [greeting]), add_items(tournament, [greeting]).n_same
    (AddedItems(n_new=1, n_changed=0, n_same=0, n_lone=0), 1)
    """
    if add_players:
        unknown = _unknown(items, tournament.store)
        tournament.store.transact(partial(_check, items))  # nobody joins if an item is refused
        if unknown:
            tournament.add(*unknown)
    return store_items(tournament.store, items)


def store_items(store: Store, items: Sequence[Item]) -> AddedItems:
    """Add items whose players are all in the store; see `add_items`.

    It needs no tournament, which would have to be read.

    >>> store = Tournament(["anna"]).store
    >>> outputs = {"anna": Output("text/plain", b"Hello!")}
    >>> store_items(store, [Item("greeting", "Say hello.", outputs)]).n_lone
    1
    """
    unknown = _unknown(items, store)
    if unknown:
        place = next(item.place for item in items if not item.outputs.keys().isdisjoint(unknown))
        raise InvalidInput(
            f"{place or 'an item'}: no players named {listed(unknown)}; --add-players, or "
            "add_players=True in Python, lets them join"
        )
    return store.transact(partial(_add, items))


def _unknown(items: Sequence[Item], store: Store) -> list[str]:
    """The players whom items name and the store has not, in the order of the items."""
    known = {row.name for row in store.players() if row.state != "removed"}
    named = dict.fromkeys(name for item in items for name in item.outputs)
    return [name for name in named if name not in known]


def _check(items: Sequence[Item], writer: Writer) -> None:
    numbers = _numbers(writer)
    for item in items:
        found = read_item(writer, item.name)
        if found is not None:
            _check_change(item, found, _numbered(item, numbers))


def _numbers(writer: Writer) -> dict[str, int]:
    """The players by name, also those who were removed."""
    return {row.name: row.player for row in writer.players()}


def _add(items: Sequence[Item], writer: Writer) -> AddedItems:
    _check(items, writer)
    numbers = _numbers(writer)
    counts = {"new": 0, "changed": 0, "same": 0, "lone": 0}
    for item in items:
        found, outputs = read_item(writer, item.name), _numbered(item, numbers)
        counts["lone"] += len({*outputs, *(found.outputs if found else ())}) < 2
        if found is None:
            add_item(writer, item.name, item.prompt, outputs)
            counts["new"] += 1
            continue
        is_same = found.prompt == item.prompt and found.outputs == {**found.outputs, **outputs}
        counts["same" if is_same else "changed"] += 1
        if not is_same:
            change_item(writer, found.number, item.prompt, outputs)
    if counts["new"] or counts["changed"]:  # pages are made again, with a link to the votes
        about = {"new": counts["new"], "changed": counts["changed"]}
        writer.event("admin", token=SHELL, action="add items", **about)
    return AddedItems(*counts.values())


def _numbered(item: Item, numbers: Mapping[str, int]) -> dict[int, Output]:
    """The outputs by the numbers of their players; those who have none yet are left out."""
    return {numbers[name]: output for name, output in item.outputs.items() if name in numbers}


def _check_change(item: Item, found: StoredItem, outputs: Mapping[int, Output]) -> None:
    """Raise if an item that people have seen would change."""
    others = [
        player
        for player in outputs
        if found.outputs.get(player, outputs[player]) != outputs[player]
    ]
    if found.was_shown and (item.prompt != found.prompt or others):
        what = "another prompt" if item.prompt != found.prompt else "another output"
        raise InvalidInput(
            f"{item.place or 'an item'}: item {item.name!r} has {what} in the store, and people "
            "have seen it; give the new one another name"
        )
