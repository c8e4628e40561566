"""Slices of a record: its results counted by the value of a field of their data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    URL,
    ColumnElement,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal,
    select,
)

from maxin.core import InvalidInput
from maxin.storage.entries import has_key, is_retracted, judge_data
from maxin.storage.records import Judge
from maxin.storage.results import read_counted
from maxin.storage.rows import RowReader
from maxin.storage.schema import TOLD

if TYPE_CHECKING:
    from maxin.storage.store import Store

LONGEST = 100  # characters of the name of a slice
SAMPLED = 1_000  # results in which one looks for the fields that there are
SAMPLE_SIZE = 1 << 22  # characters of their data, at most


class CountedSlice(NamedTuple):
    """How often a result came in a slice, as in `Counted`; `name` is None without a value."""

    name: str | None
    first: int
    second: int
    score: float
    games: tuple[float, ...] | None
    judge: Judge | None
    times: int


def slice_name(data: Mapping[str, Any] | None, field: str) -> str | None:
    """The slice of a result: the value of a field of its data; None if it has none.

    A value is a text, a number, true or false. Null and a blank text are no value. Without one, it
    is that of the games, if all have the same one.

    >>> slice_name({"category": " code "}, "category"), slice_name({"turns": 2}, "turns")
    ('code', '2')
    >>> slice_name({"category": ""}, "category"), slice_name(None, "category")
    (None, None)
    >>> slice_name({"games": [{"opening": "e4"}, {"opening": "e4"}]}, "opening")
    'e4'
    """
    value = (data or {}).get(field)
    if value is None:
        return _name_of_games((data or {}).get("games"), field)
    if isinstance(value, dict | list):
        raise InvalidInput(
            f"results can be sliced by a text, a number, true or false; a value of {field!r} is "
            f"{'an object' if isinstance(value, dict) else 'a list'}"
        )
    text = value.strip() if isinstance(value, str) else json.dumps(value)
    if len(text) > LONGEST:
        raise InvalidInput(
            f"a value of {field!r} must have at most {LONGEST} characters to name a slice; got "
            f"{len(text):,}: {text[:40]!r}"
        )
    return "".join(sign if sign.isprintable() else " " for sign in text) or None


def _name_of_games(games: object, field: str) -> str | None:
    parts = games if isinstance(games, list) else []
    names = {slice_name(part, field) if isinstance(part, Mapping) else None for part in parts}
    return names.pop() if len(names) == 1 else None


def counted_slices(store: Store, field: str, until: int) -> list[CountedSlice]:
    """The results that stand after entry `until`, with how often each came in each slice."""
    found = (TOLD.c.first, TOLD.c.second, TOLD.c.score, TOLD.c.games)
    value, stands = _value(store.url, field), (TOLD.c.seq <= until, ~is_retracted(until))
    listed = select(*found, judge_data(), value.label("value")).where(*stands).subquery()
    kinds = list(listed.c)
    counted = select(*kinds, func.count().label("times")).group_by(*kinds)
    return [
        CountedSlice(_name(row.value, field), *read_counted(store.url, row))
        for row in store.query(counted, {"field": field})
    ]


def slices_of_results(store: Store, field: str, until: int) -> dict[int, str]:
    """The slice of each result up to entry `until` that has one, by the number of its entry."""
    rows = select(TOLD.c.seq, _value(store.url, field).label("value"))
    rows = rows.where(TOLD.c.seq <= until, has_key(field))
    found = {}
    for row in store.query(rows, {"field": field}):
        name = _name(row.value, field)
        if name is not None:
            found[row.seq] = name
    return found


def latest_data(store: Store) -> list[dict[str, Any]]:
    """The data of the latest results that have some, the newest first; of some of them."""
    rows = select(TOLD.c.seq, TOLD.c.data).where(TOLD.c.data.is_not(None))
    rows = rows.order_by(TOLD.c.seq.desc()).limit(SAMPLED)
    found, _ = store.first_rows(rows, SAMPLE_SIZE)
    return [RowReader(store.url, TOLD, row).json("data", dict) for row in found]


@lru_cache(maxsize=1024)
def _name(found: str | None, field: str) -> str | None:
    if found is None:
        return None
    value = json.loads(found)
    return slice_name(value if isinstance(value, dict) else {field: value[0]}, field)


def _value(url: URL, field: str) -> ColumnElement[str]:
    """The value of the parameter `field` in the data of a row, in a list of JSON.

    Without one, it is an object with the games of the data, or null.
    """
    wanted = bindparam("field", type_=Text)
    if url.get_backend_name() == "postgresql":
        from sqlalchemy.dialects import postgresql  # not for those who have no server

        parsed = cast(TOLD.c.data, postgresql.JSON)
        value: Any = cast(parsed.op("->")(wanted), Text)
        games: Any = cast(parsed.op("->")(literal("games", Text)), Text)
    else:
        each = func.json_each(TOLD.c.data).table_valued("key", "value", "type")
        plain = {"true": "true", "false": "false", "null": "null", "array": "[]", "object": "{}"}
        quoted = func.json_quote(each.c.value, type_=Text)
        json_text = case(plain, value=each.c.type, else_=quoted)
        value = select(json_text).where(each.c.key == wanted).limit(1).scalar_subquery()
        is_list = func.json_type(TOLD.c.data, "$.games") == "array"
        games = case((is_list, func.json_extract(TOLD.c.data, "$.games", type_=Text)))
    given = literal("[") + value + literal("]")
    return case(
        (has_key(field), func.coalesce(given, literal('{"games": ') + games + literal("}")))
    )
