"""Items as they are stored: what people compare, a prompt and one output per player."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import BindParameter, bindparam, delete, exists, func, insert, select, update

from maxin.core import Match
from maxin.storage.schema import ITEMS, OUTPUTS, PAIRS

if TYPE_CHECKING:
    from maxin.storage.store import Store
    from maxin.storage.writer import Writer


class Output(NamedTuple):
    """What a player answered: its type, as in HTTP, and its content."""

    type: str
    body: bytes


class StoredItem(NamedTuple):
    """An item of the store; `outputs` by the numbers of the players."""

    number: int
    prompt: str
    outputs: dict[int, Output]
    was_shown: bool
    category: str


def has_items(store: Store) -> bool:
    """Whether there is anything to compare."""
    return bool(store.query(_ANY))


def read_item(writer: Writer, name: str) -> StoredItem | None:
    """The item of this name with all its outputs."""
    for item in writer.query(_NAMED, {"given": name}):
        rows = writer.query(_OUTPUTS, {"number": item.item})
        outputs = {row.player: Output(row.type, bytes(row.body)) for row in rows}
        return StoredItem(item.item, item.prompt, outputs, bool(item.shown), item.category)
    return None


def add_item(
    writer: Writer, name: str, prompt: str, outputs: Mapping[int, Output], category: str = ""
) -> None:
    """Add an item that is new."""
    number = writer.query(_LAST)[0][0] + 1
    row = {"item": number, "name": name, "prompt": prompt, "category": category}
    writer.query(insert(ITEMS), row)
    _write_outputs(writer, number, outputs)


def change_item(
    writer: Writer, number: int, prompt: str, outputs: Mapping[int, Output], category: str
) -> None:
    """Replace the prompt, the category and these outputs of an item."""
    writer.query(_SET, {"number": number, "to": prompt, "in": category})
    gone = ({"number": number, "by": player} for player in outputs)
    writer.query(delete(OUTPUTS).where(*_BY_ONE), *gone)
    _write_outputs(writer, number, outputs)


def _write_outputs(writer: Writer, item: int, outputs: Mapping[int, Output]) -> None:
    rows = ({"item": item, "player": player, **outputs[player]._asdict()} for player in outputs)
    writer.query(insert(OUTPUTS), *rows)


def read_output(store: Store, item: int, player: int) -> Output:
    """What a player answered to an item."""
    (row,) = store.query(_OUTPUT, {"number": item, "by": player})
    return Output(row.type, bytes(row.body))


def output_types(store: Store | Writer, item: int, match: Match) -> dict[int, str]:
    """The types of the two outputs of an item, by player."""
    found = store.query(_TYPES, {"number": item, **match._asdict()})
    return {row.player: row.type for row in found}


def count_outputs(writer: Writer) -> int:
    """How many outputs there are."""
    found: int = writer.query(_COUNT)[0][0]
    return found


def categories(writer: Writer) -> dict[int, str]:
    """The category of each item that has one."""
    return {row.item: row.category for row in writer.query(_CATEGORIES)}


def items_by_player(writer: Writer) -> dict[int, set[int]]:
    """The items of which each player has an output."""
    found: dict[int, set[int]] = {}
    for row in writer.query(_WHO):
        found.setdefault(row.player, set()).add(row.item)
    return found


def count_pairs(store: Store | Writer, players: Collection[int]) -> int:
    """How many pairs of outputs these players have: n (n - 1) / 2 for an item with n outputs."""
    rows = store.query(_COUNT_BY_ITEM, {"players": players})
    return sum(row.n * (row.n - 1) // 2 for row in rows)


_THIS, _BY = OUTPUTS.c.item == bindparam("number"), OUTPUTS.c.player == bindparam("by")
_BY_ONE = (_THIS, _BY)
_ANY = select(ITEMS.c.item).limit(1)
_SHOWN = exists().where(PAIRS.c.item == ITEMS.c.item).label("shown")
_NAMED = select(ITEMS, _SHOWN).where(ITEMS.c.name == bindparam("given"))
_LAST = select(func.coalesce(func.max(ITEMS.c.item), 0))
_SET = (
    update(ITEMS)
    .where(ITEMS.c.item == bindparam("number"))
    .values(prompt=bindparam("to"), category=bindparam("in"))
)
_CATEGORIES = select(ITEMS.c.item, ITEMS.c.category).where(ITEMS.c.category != "")
_OUTPUTS = select(OUTPUTS).where(_THIS)
_OUTPUT = _OUTPUTS.where(_BY)
_TYPES = select(OUTPUTS.c.player, OUTPUTS.c.type).where(
    _THIS, OUTPUTS.c.player.in_((bindparam("first"), bindparam("second")))
)
_COUNT = select(func.count()).select_from(OUTPUTS)
_WHO = select(OUTPUTS.c.item, OUTPUTS.c.player)
# The numbers are part of the statement, as SQLite may allow 999 parameters only.
THESE_PLAYERS: BindParameter[int] = bindparam("players", expanding=True, literal_execute=True)
_COUNT_BY_ITEM = (
    select(func.count().label("n"))
    .where(OUTPUTS.c.player.in_(THESE_PLAYERS))
    .group_by(OUTPUTS.c.item)
)
