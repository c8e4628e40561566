"""Columns, each declared once: text, CSV, Markdown, JSON, HTML and the API's schema follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_type_hints

from maxin.core.text import aligned, csv_line, html_table, markdown, table, width
from maxin.views.formats import DASH, chance, number, on_page, tenths, whole
from maxin.views.formats import signed as signed_on_page

Row = TypeVar("Row")

ESSENTIAL, USUAL, SPARE = range(3)  # how soon a narrow terminal leaves a column out


class Format(NamedTuple):
    """How a value is written in text, and on a page; None is left empty, or a dash on a page."""

    text: Callable[[Any], str] = str
    page: Callable[[Any], str] = str


def signed(rating: float) -> str:
    """Elo points with their sign.

    >>> signed(12.4), signed(-0.2)
    ('+12', '+0')
    """
    return f"{round(rating):+d}"


PLAIN = Format()
COUNT = Format(str, number)
WHOLE = Format("{:.0f}".format, number)
SHARE = Format(tenths, on_page(tenths))
CHANCE = Format(chance, on_page(chance))
RATING = Format(signed, signed_on_page)
ANCHORED = Format("{:.0f}".format, "{:.0f}".format)  # a rating where an anchor sets the scale


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table: for programs if it has a key, for people if it has a title.

    Args:
        key: its name in CSV, JSON, data frames and the schema.
        title: its name in text, Markdown and HTML.
        read: what people read of a row; by default what programs get.
        value: what programs get; by default the field of the row with the name `key`.
        format: how it is written for people.
        kind: the type of the value; by default that of the field.
        meaning: a description for the schema, and on a page if only people have the column.
        left: whether it holds words, which are aligned to the left and may be cut.
        sort: the order in which sorting by it begins; "" if a page does not sort by it.
        is_shown: whether people see it now.
        is_shown_if_any: whether people see it only if some row has a text in it.
        priority: of a terminal that is too narrow for all.
    """

    key: str = ""
    title: str = ""
    read: Callable[[Row], Any] | None = None
    value: Callable[[Row], Any] | None = None
    format: Format = PLAIN
    kind: Any = None
    meaning: str = ""
    left: bool = False
    sort: Literal["ascending", "descending", ""] = "descending"
    is_shown: bool = True
    is_shown_if_any: bool = False
    priority: int = USUAL

    def of(self, row: Row) -> Any:
        """What programs get."""
        return getattr(row, self.key) if self.value is None else self.value(row)

    def text(self, row: Row) -> str:
        """What people read in text and Markdown."""
        value = self._read(row)
        return "" if value is None else self.format.text(value)

    def on_page(self, row: Row) -> str:
        """What people read on a page."""
        value = self._read(row)
        return DASH if value is None else self.format.page(value)

    def kind_in(self, row: type[Row]) -> Any:
        """The type of what programs get from such rows."""
        return get_type_hints(row)[self.key] if self.kind is None else self.kind

    @property
    def heading(self) -> str:
        """The title on a page."""
        return whole(self.title[:1].upper() + self.title[1:])

    def _read(self, row: Row) -> Any:
        return self.of(row) if self.read is None else self.read(row)


@dataclass(frozen=True)
class DataTable(Generic[Row]):
    r"""Rows under declared columns, in every format.

    Args:
        columns: those for programs and those for people.
        rows: all of them.
        name: of the rows in JSON.
        facts: what else JSON has.
        title: a line above the text.
        below: lines right below the text's table.
        notes: further lines of the text.
        empty: the whole text if there are no rows.
        brief: the rows of the text; by default all.
        is_csv_read: whether CSV has the columns that people read.

    >>> columns = [Column("player", "player", left=True), Column("score", "score", format=SHARE)]
    >>> Found = NamedTuple("Found", [("player", str), ("score", float)])
    >>> found = DataTable(columns, [Found("anna", 0.75)], "found")
    >>> print(found.text(80))
    player  score
    anna    75.0 %
    >>> found.csv(), found.document()
    ('player,score\nanna,0.75\n', {'found': [{'player': 'anna', 'score': 0.75}]})
    """

    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    name: str = "rows"
    facts: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    below: Sequence[str] = ()
    notes: Sequence[str] = ()
    empty: str = ""
    brief: Sequence[Row] | None = None
    is_csv_read: bool = False

    @property
    def keyed(self) -> list[Column[Row]]:
        """The columns for programs."""
        return [column for column in self.columns if column.key]

    def shown(self, rows: Sequence[Row] | None = None) -> list[Column[Row]]:
        """The columns that people see of some rows, by default of all."""
        some = self.rows if rows is None else rows
        return [
            column
            for column in self.columns
            if column.title
            and column.is_shown
            and (not column.is_shown_if_any or any(map(column.text, some)))
        ]

    def records(self) -> list[dict[str, Any]]:
        """An object per row."""
        keyed = self.keyed
        return [{column.key: column.of(row) for column in keyed} for row in self.rows]

    def document(self) -> dict[str, Any]:
        """The facts and the rows, as JSON can hold them."""
        return {**self.facts, self.name: self.records()}

    def csv(self, *, raw: bool = False) -> str:
        """One line per row, after a line of names; see `csv_line` for `raw`."""
        if self.is_csv_read:
            header, cells = self._read(self.shown(), self.rows)
        else:
            keyed = self.keyed
            header = [column.key for column in keyed]
            cells = [[_cell(column.of(row)) for column in keyed] for row in self.rows]
        return "".join(csv_line(line, raw=raw) for line in [header, *cells])

    def markdown(self) -> str:
        """A Markdown table."""
        shown = self.shown()
        return "".join(markdown(*self._read(shown, self.rows), _left(shown)))

    def html(self, most: int) -> str:
        """The first rows as an HTML table for a notebook."""
        shown = self.shown()
        return html_table(*self._read(shown, self.rows[:most]), _left(shown))

    def text(self, room: int | None = None) -> str:
        """A table, no wider than `room` columns if that is possible, and lines around it.

        The columns that are missed least are left out until it fits.
        """
        if not self.rows and self.empty:
            return self.empty
        rows = self.rows if self.brief is None else self.brief
        parts = [self.title] if self.title else []
        if rows or not self.notes:
            parts.append("\n".join([self._drawn(rows, room), *self.below]))
        return "\n\n".join([*parts, "\n".join(self.notes)] if self.notes else parts)

    def _drawn(self, rows: Sequence[Row], room: int | None) -> str:
        shown = self.shown(rows)
        if room is None:
            return aligned(*self._read(shown, rows), _left(shown))
        spare = [column for column in shown if column.priority == SPARE]
        while True:
            header, cells = self._read(shown, rows)
            drawn = table(header, cells, words=_left(shown), room=room)
            if not spare or max(map(width, drawn.split("\n"))) <= room:
                return drawn
            shown.remove(spare.pop(0))

    def _read(
        self, shown: Sequence[Column[Row]], rows: Sequence[Row]
    ) -> tuple[list[str], list[list[str]]]:
        header = [column.title for column in shown]
        return header, [[column.text(row) for column in shown] for row in rows]


def _left(shown: Sequence[Column[Any]]) -> list[int]:
    return [place for place, column in enumerate(shown) if column.left]


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
