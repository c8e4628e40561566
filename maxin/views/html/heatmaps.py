"""Heatmaps: one cell per pair of players, coloured by the style sheet.

Shares of points have the classes `d0` (all lost) to `d10` (all won), an even score is `d5`.
Numbers of matches have the classes `n1` (few) to `n6` (most).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from maxin.core.text import counted, shortened
from maxin.views.crosstable import Crosstable
from maxin.views.formats import points

TABLE = 40  # players: up to here the crosstable is a table, with a number in each cell
DENSE = 24  # players: with more, the cells of the table are narrower
CHARACTERS = 120  # that fit into a row of the table
NAME = 40  # characters of a name in a tooltip
TITLES = 50  # players: up to here each cell of a drawing has a tooltip; they take 0.5 MB


def share_class(score: float, n_matches: float) -> str:
    """The class of a score; a win and a loss are added, so that a single match stays pale.

    >>> share_class(1.0, 1), share_class(19.5, 20)
    ('d7', 'd9')
    """
    return f"d{math.floor(10.0 * (score + 1.0) / (n_matches + 2.0) + 0.5)}"


def count_class(n_matches: float, most: float) -> str:
    """The class of a number of matches, on a log scale up to the most of any pair.

    >>> count_class(1, most=100), count_class(100, most=100)
    ('n1', 'n6')
    """
    return f"n{max(1, math.ceil(6.0 * math.log1p(n_matches) / math.log1p(most) - 1e-9))}"


class Cell(NamedTuple):
    """A cell of the crosstable as a table shows it; `n_matches` is 0 for a pair that never met."""

    kind: str
    title: str
    points: float
    n_matches: int


class CrosstableGrid:
    """A crosstable as a table of cells.

    Args:
        table: the points and matches.

    >>> from maxin.ratings import Tally
    >>> tally = Tally(2)
    >>> tally.add_many([0, 1], [1, 0], [1.0, 0.5])
    >>> grid = CrosstableGrid(Crosstable.of(["anna", "bo"], tally))
    >>> [[cell.kind for cell in row] for row in grid.rows()]
    [['self', 'd6'], ['d4', 'self']]
    >>> grid.cell(0, 1).title
    'anna scored 1½ in 2 matches against bo'
    """

    def __init__(self, table: Crosstable) -> None:
        self.table = table
        self.is_dense = len(table) > DENSE
        # A slash, a gap, and points that are about as long as the number of matches; otherwise only
        # the number of matches fits.
        room = 2 * len(str(table.n_met.max(initial=0))) + 2
        self.has_points = len(table) * room <= CHARACTERS

    def rows(self) -> Iterator[list[Cell]]:
        """The cells, row by row."""
        return ([self.cell(i, j) for j in range(len(self.table))] for i in range(len(self.table)))

    def cell(self, i: int, j: int) -> Cell:
        """What player i scored against player j."""
        score, n_matches = float(self.table.points[i, j]), int(self.table.n_met[i, j])
        if not n_matches:
            return Cell("self" if i == j else "unmet", "", 0.0, 0)
        kind, title = share_class(score, n_matches), _score(self.table, i, j)
        return Cell(kind, title, score, n_matches)


def share_map(table: Crosstable) -> Markup:
    """The share of points of each row's player against each column's, as a drawing."""

    def kind(i: int, j: int) -> str:
        return share_class(table.points[i, j], table.n_met[i, j])

    def title(i: int, j: int) -> str:
        return _score(table, i, j)

    return _drawing(
        "Share of points of each row's player against each column's", table, kind, title
    )


def coverage_map(table: Crosstable) -> Markup:
    """The number of matches of each pair, as a drawing."""
    most = float(table.n_met.max(initial=1))

    def kind(i: int, j: int) -> str:
        return count_class(table.n_met[i, j], most)

    def title(i: int, j: int) -> str:
        met = counted(int(table.n_met[i, j]), "match")
        return f"{shortened(table.names[i], NAME)} and {shortened(table.names[j], NAME)}: {met}"

    return _drawing("Number of matches of each pair", table, kind, title)


def _score(table: Crosstable, i: int, j: int) -> str:
    one, other = shortened(table.names[i], NAME), shortened(table.names[j], NAME)
    met = counted(int(table.n_met[i, j]), "match")
    return f"{one} scored {points(table.points[i, j])} in {met} against {other}"


Words = Callable[[int, int], str]


def _drawing(title: str, table: Crosstable, kind: Words, cell_title: Words) -> Markup:
    """A square with one small cell per pair that met; the background shows where none did."""
    met = [(i, j) for i, j in np.argwhere(table.n_met > 0).tolist()]
    if len(table) <= TITLES:
        cell = Markup('<path class="{}" d="{}"><title>{}</title></path>')
        cells = Markup().join(
            cell.format(kind(i, j), _square(i, j), cell_title(i, j)) for i, j in met
        )
    else:
        cells = _merged(met, kind)
    return Markup(
        '<svg class="map" viewBox="0 0 {n} {n}" role="img"><title>{title}</title>'
        '<path class="ground" d="M0 0h{n}v{n}h-{n}z"/>{cells}</svg>'
    ).format(n=len(table), title=title, cells=cells)


def _merged(met: list[tuple[int, int]], kind: Words) -> Markup:
    """One path per colour: tens of thousands of cells in a page that still opens at once."""
    squares: defaultdict[str, list[str]] = defaultdict(list)
    for i, j in met:
        squares[kind(i, j)].append(_square(i, j))
    path = Markup('<path class="{}" d="{}"/>')
    return Markup().join(path.format(name, "".join(all_)) for name, all_ in squares.items())


def _square(i: int, j: int) -> str:
    return f"M{j} {i}h1v1h-1z"
