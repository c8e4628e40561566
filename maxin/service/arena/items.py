"""Items in the store: they are added once, and do not change once somebody has seen them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from maxin.core import InvalidInput
from maxin.core.text import listed
from maxin.service.access.tokens import SHELL
from maxin.service.arena.item_files import Item
from maxin.storage import Writer
from maxin.storage.votes.items import Output, StoredItem, add_item, change_item, read_item
from maxin.tournament import Tournament
from maxin.tournament.players import entrants
from maxin.tournament.record.commands import AddPlayers, apply
from maxin.tournament.record.record import Needs
from maxin.tournament.record.transaction import Transaction
from maxin.tournament.tournament import session_of
from maxin.worker.source import CORRECTION


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
    after that, only outputs of further players can be added. Its category, which voters do not
    see, can be replaced at any time; votes keep the one that they were given in.

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
    added: AddedItems = session_of(tournament).answer(AddItems(items, add_players))
    return added


@dataclass(frozen=True)
class AddItems:
    """Add items, and with `add_players` those players that they name; see `add_items`."""

    items: Sequence[Item]
    add_players: bool = False

    @property
    def rank(self) -> int:
        """It comes before results and asks."""
        return CORRECTION

    @property
    def needs(self) -> Needs:
        """The record is read only if players join."""
        return Needs.PLAYERS if self.add_players else Needs.NOTHING


@apply.register
def _(command: AddItems, transaction: Transaction) -> AddedItems:
    items, writer = command.items, transaction.writer
    rows = writer.players()
    numbers = {row.name: row.player for row in rows}  # also those who were removed
    unknown = _unknown(items, {row.name for row in rows if row.state != "removed"})
    if unknown and not command.add_players:
        place = next(item.place for item in items if not item.outputs.keys().isdisjoint(unknown))
        raise InvalidInput(
            f"{place or 'an item'}: no players named {listed(unknown)}; --add-players, or "
            "add_players=True in Python, lets them join"
        )
    for item in items:
        _check_change(item, read_item(writer, item.name), _numbered(item, numbers))
    if unknown:
        names = apply(AddPlayers(entrants(unknown)), transaction)
        numbers = {name: number for number, name in enumerate(names)}
    return _add(items, numbers, writer)


def _unknown(items: Sequence[Item], known: Set[str]) -> list[str]:
    """The players whom items name and who are not known, in the order of the items."""
    named = dict.fromkeys(name for item in items for name in item.outputs)
    return [name for name in named if name not in known]


def _add(items: Sequence[Item], numbers: Mapping[str, int], writer: Writer) -> AddedItems:
    counts = {"new": 0, "changed": 0, "same": 0, "lone": 0}
    for item in items:
        found, outputs = read_item(writer, item.name), _numbered(item, numbers)
        counts["lone"] += len({*outputs, *(found.outputs if found else ())}) < 2
        if found is None:
            add_item(writer, item.name, item.prompt, outputs, item.category)
            counts["new"] += 1
            continue
        category = item.category or found.category
        is_same = found.prompt == item.prompt and found.outputs == {**found.outputs, **outputs}
        is_same = is_same and found.category == category
        counts["same" if is_same else "changed"] += 1
        if not is_same:
            change_item(writer, found.number, item.prompt, outputs, category)
    if counts["new"] or counts["changed"]:  # pages are made again, with a link to the votes
        about = {"new": counts["new"], "changed": counts["changed"]}
        writer.event("admin", token=SHELL, action="add items", **about)
    return AddedItems(*counts.values())


def _numbered(item: Item, numbers: Mapping[str, int]) -> dict[int, Output]:
    """The outputs by the numbers of their players; those who have none yet are left out."""
    return {numbers[name]: output for name, output in item.outputs.items() if name in numbers}


def _check_change(item: Item, found: StoredItem | None, outputs: Mapping[int, Output]) -> None:
    """Raise if an item that people have seen would change."""
    if found is None:
        return
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
