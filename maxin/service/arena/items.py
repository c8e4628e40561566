"""Items in the store: they are added once, and do not change once somebody has seen them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from sqlalchemy import bindparam, delete, exists, func, insert, select, update

from maxin.core import InvalidInput
from maxin.core.text import listed
from maxin.service.access.tokens import SHELL
from maxin.service.arena.item_files import Item, Output
from maxin.storage import Store, Writer
from maxin.storage.schema import ITEMS, OUTPUTS, PAIRS, PLAYERS
from maxin.tournament import Tournament


class AddedItems(NamedTuple):
    """How many items are new, were changed or got more outputs, and were there already.

    `n_lone` of them have one output alone, and are not shown until they have another.
    """

    n_new: int
    n_changed: int
    n_same: int
    n_lone: int = 0


class _StoredItem(NamedTuple):
    """An item of the store; `outputs` by the numbers of the players."""

    number: int
    prompt: str
    outputs: dict[int, Output]
    was_shown: bool


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


def has_items(store: Store) -> bool:
    """Whether there is anything to compare.

    >>> from maxin.storage import open_store
    >>> has_items(open_store("sqlite://"))
    False
    """
    with store.one_moment() as connection:
        return connection.execute(select(ITEMS.c.item).limit(1)).first() is not None


def _check(items: Sequence[Item], writer: Writer) -> None:
    numbers = _numbers(writer)
    for item in items:
        found = _stored(writer, item.name)
        if found is not None:
            _check_change(item, found, _numbered(item, numbers))


def _numbers(writer: Writer) -> dict[str, int]:
    """The players by name, also those who were removed."""
    rows = writer.query(select(PLAYERS.c.name, PLAYERS.c.player).order_by(PLAYERS.c.player))
    return {row.name: row.player for row in rows}


def _add(items: Sequence[Item], writer: Writer) -> AddedItems:
    _check(items, writer)
    numbers = _numbers(writer)
    last = writer.query(select(func.coalesce(func.max(ITEMS.c.item), 0)))[0][0]
    counts = {"new": 0, "changed": 0, "same": 0, "lone": 0}
    for item in items:
        found, outputs = _stored(writer, item.name), _numbered(item, numbers)
        counts["lone"] += len({*outputs, *(found.outputs if found else ())}) < 2
        if found is None:
            last += 1
            writer.query(insert(ITEMS), {"item": last, "name": item.name, "prompt": item.prompt})
            _write_outputs(writer, last, outputs)
            counts["new"] += 1
            continue
        is_same = found.prompt == item.prompt and found.outputs == {**found.outputs, **outputs}
        counts["same" if is_same else "changed"] += 1
        if not is_same:
            where = ITEMS.c.item == found.number
            writer.query(update(ITEMS).where(where).values(prompt=item.prompt))
            _write_outputs(writer, found.number, outputs)
    if counts["new"] or counts["changed"]:  # pages are made again, with a link to the votes
        about = {"new": counts["new"], "changed": counts["changed"]}
        writer.event("admin", token=SHELL, action="add items", **about)
    return AddedItems(*counts.values())


def _numbered(item: Item, numbers: Mapping[str, int]) -> dict[int, Output]:
    """The outputs by the numbers of their players; those who have none yet are left out."""
    return {numbers[name]: output for name, output in item.outputs.items() if name in numbers}


def _stored(writer: Writer, name: str) -> _StoredItem | None:
    shown = exists().where(PAIRS.c.item == ITEMS.c.item)
    found = writer.query(select(ITEMS, shown.label("shown")).where(ITEMS.c.name == name))
    if not found:
        return None
    (item,) = found
    rows = writer.query(select(OUTPUTS).where(OUTPUTS.c.item == item.item))
    outputs = {row.player: Output(row.type, bytes(row.body)) for row in rows}
    return _StoredItem(item.item, item.prompt, outputs, bool(item.shown))


def _check_change(item: Item, found: _StoredItem, outputs: Mapping[int, Output]) -> None:
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


def _write_outputs(writer: Writer, item: int, outputs: Mapping[int, Output]) -> None:
    where = (OUTPUTS.c.item == item, OUTPUTS.c.player == bindparam("of"))
    writer.query(delete(OUTPUTS).where(*where), *({"of": player} for player in outputs))
    rows: Iterable[dict[str, object]] = (
        {"item": item, "player": player, "type": output.type, "body": output.body}
        for player, output in outputs.items()
    )
    writer.query(insert(OUTPUTS), *rows)
