"""The leaderboard of a page: some rows as HTML, and all of them as data that a script shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from maxin.views.columns import Column
from maxin.views.html.drawings import (
    interval,
    interval_axis,
    interval_marks,
    interval_places,
    interval_title,
)
from maxin.views.overview import Leaders
from maxin.views.standings import Leaderboard, Standing


class BoardRow(NamedTuple):
    """A row as people read it: `kind` is its class, `cells` are those after the interval."""

    kind: str
    rank: str
    player: str
    options: str
    cells: list[str]
    interval: Markup


class PageBoard:
    """A leaderboard on a page.

    Args:
        leaderboard: all rows; they set the axis and the columns.
        leaders: the rows that are on the page.
        candidates: the players who may still be in the top.
        options: a line for each player with options.

    >>> rows = [Standing(1, "anna", 120.0, 70.0, 170.0, 0.9, 12, 0.75, 8, 2, 2, "active")]
    >>> board = PageBoard(Leaderboard(rows), Leaders(tuple(rows), (), 0, 1), ["anna"])
    >>> [(row.kind, row.cells[:2]) for row in board.best]
    [('candidate', ['+120', '50'])]
    """

    def __init__(
        self,
        leaderboard: Leaderboard,
        leaders: Leaders,
        candidates: Collection[str],
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.leaderboard, self.leaders = leaderboard, leaders
        self._candidates, self._options = frozenset(candidates), options or {}
        self._axis = interval_axis(leaderboard)

    @cached_property
    def columns(self) -> list[Column[Standing]]:
        """Those after rank, player and interval, which every page draws."""
        return self.leaderboard.table.shown()[2:]

    @cached_property
    def best(self) -> list[BoardRow]:
        """The first rows on the page."""
        return list(self._rows(self.leaders.best))

    @cached_property
    def others(self) -> list[BoardRow]:
        """The candidates rated below them."""
        return list(self._rows(self.leaders.others))

    @property
    def marks(self) -> Markup:
        """The numbers above the intervals."""
        return interval_marks(self._axis, self.leaderboard.anchor)

    def data(self) -> Markup:
        """All rows as JSON: kind, rank, name, options, interval in per cent, its title, cells."""
        rows = [
            [
                self._kind(row),
                _rank(row),
                row.player,
                self._options.get(row.player, ""),
                interval_places(row, self._axis),
                interval_title(row, self.leaderboard.anchor),
                *self._cells(row),
            ]
            for row in self.leaderboard
        ]
        return Markup(htmlsafe_json_dumps(rows, separators=(",", ":"), ensure_ascii=False))

    def _rows(self, rows: Sequence[Standing]) -> Iterator[BoardRow]:
        for row in rows:
            drawn = interval(row, self._axis, self.leaderboard.anchor)
            options = self._options.get(row.player, "")
            yield BoardRow(
                self._kind(row), _rank(row), row.player, options, self._cells(row), drawn
            )

    def _kind(self, row: Standing) -> str:
        if row.player in self._candidates:
            return "candidate"
        return "away" if row.state != "active" else ""

    def _cells(self, row: Standing) -> list[str]:
        """What stands after the interval, in the order of the columns."""
        return [column.on_page(row) for column in self.columns]


def _rank(row: Standing) -> str:
    return "" if row.rank is None else str(row.rank)
