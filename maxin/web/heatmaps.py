"""Maps of who met whom: a cell per pair, players in the order given, coloured by the style sheet.

Shares of points take the classes `d0` (all lost) to `d10` (all won), with an even `d5`; numbers
of matches take `n1` (few) to `n6` (most).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from maxin.web.markup import count, short, text

IN_WORDS = 40  # players: up to here a cell has room for a number
DENSE = 24  # players: with more, cells move together
CHARACTERS = 120  # that a row of cells has room for
WITH_TITLES = 100  # players: up to here each cell of a drawing has a tooltip

Values = NDArray[np.float64]


def share_class(points: float, n_matches: float) -> str:
    """The class of a score, one win and one loss added so that a single match stays pale.

    >>> share_class(1.0, 1.0), share_class(19.5, 20.0)
    ('d7', 'd9')
    """
    return f"d{math.floor(10.0 * (points + 1.0) / (n_matches + 2.0) + 0.5)}"


def count_class(n_matches: float, most: float) -> str:
    """The class of a number of matches, on a log scale up to the most that any pair played.

    >>> count_class(1.0, most=100.0), count_class(100.0, most=100.0)
    ('n1', 'n6')
    """
    return f"n{max(1, math.ceil(6.0 * math.log1p(n_matches) / math.log1p(most) - 1e-9))}"


def crosstable(names: Sequence[str], points: Values, n_matches: Values) -> str:
    """What each row took off each column: a table of up to 40 players, a drawing of more.

    Args:
        names: of the players, in the order to be shown.
        points: `points[i, j]`, what i scored against j.
        n_matches: `n_matches[i, j]`, how often they met.
    """
    if len(names) <= IN_WORDS:
        return _table(names, points, n_matches)
    return drawing(
        "Share of points of each row's player against each column's",
        names,
        n_matches,
        lambda i, j: share_class(points[i, j], n_matches[i, j]),
        lambda i, j: _score(names, points, n_matches, i, j),
    )


def coverage(names: Sequence[str], n_matches: Values) -> str:
    """How often each pair met."""
    most = float(n_matches.max(initial=1.0))
    return drawing(
        "Number of matches of each pair",
        names,
        n_matches,
        lambda i, j: count_class(n_matches[i, j], most),
        lambda i, j: _meetings(names, n_matches, i, j),
    )


def has_scores(points: Values, n_matches: Values) -> bool:
    """Whether a table's cells have room for points out of matches, or for the matches alone.

    >>> has_scores(np.full((16, 16), 12.0), np.full((16, 16), 20.0))
    True
    >>> has_scores(np.full((16, 16), 12.0), np.full((16, 16), 2000.0))
    False
    """
    # A stroke, a gap, and points about as long as the number of matches.
    room = 2 * len(f"{n_matches.max(initial=0.0):.0f}") + 2
    return len(points) * room <= CHARACTERS


Cell = Callable[[int, int], str]


def drawing(title: str, names: Sequence[str], n_matches: Values, kind: Cell, words: Cell) -> str:
    """A square of one small cell per pair that met, on a ground that shows those who did not."""
    n_players = len(names)
    if n_players <= WITH_TITLES:
        cells = "".join(
            f'<path class="{kind(i, j)}" d="{_square(i, j)}"><title>{words(i, j)}</title></path>'
            for i, j in _met(n_matches)
        )
    else:
        cells = _merged(n_matches, kind)
    return (
        f'<svg class="map" viewBox="0 0 {n_players} {n_players}" role="img">'
        f"<title>{text(title)}</title>"
        f'<path class="ground" d="M0 0h{n_players}v{n_players}h-{n_players}z"/>{cells}</svg>\n'
    )


def _merged(n_matches: Values, kind: Cell) -> str:
    """One path per colour: tens of thousands of cells in a page that still opens at once."""
    squares: defaultdict[str, list[str]] = defaultdict(list)
    for i, j in _met(n_matches):
        squares[kind(i, j)].append(_square(i, j))
    return "".join(f'<path class="{name}" d="{"".join(all_)}"/>' for name, all_ in squares.items())


def _met(n_matches: Values) -> list[tuple[int, int]]:
    return [(i, j) for i, j in np.argwhere(n_matches > 0).tolist()]


def _square(i: int, j: int) -> str:
    return f"M{j} {i}h1v1h-1z"


def _table(names: Sequence[str], points: Values, n_matches: Values) -> str:
    ranks = range(1, len(names) + 1)
    head = "".join(
        f'<th scope="col" title="{text(short(name))}">{rank}</th>'
        for rank, name in zip(ranks, names, strict=True)
    )
    scored = has_scores(points, n_matches)
    rows = "".join(_row(i, names, points, n_matches, scored) for i in range(len(names)))
    kind = "cross" if len(names) <= DENSE else "cross dense"
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>'
        f'<th scope="col"></th><th scope="col" class="words">Player</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>\n"
    )


def _row(i: int, names: Sequence[str], points: Values, n_matches: Values, scored: bool) -> str:
    cells = "".join(_cell(names, points, n_matches, i, j, scored) for j in range(len(names)))
    name = f'<span class="name" title="{text(names[i])}"><bdi>{text(names[i])}</bdi></span>'
    return f'<tr><td class="rank">{i + 1}</td><th scope="row">{name}</th>{cells}</tr>\n'


def _cell(
    names: Sequence[str], points: Values, n_matches: Values, i: int, j: int, scored: bool
) -> str:
    if not n_matches[i, j]:
        return '<td class="self"></td>' if i == j else "<td></td>"
    words = f"{n_matches[i, j]:g}"
    if scored:
        words = f"{_points(points[i, j])}<small>/{n_matches[i, j]:g}</small>"
    kind, title = share_class(points[i, j], n_matches[i, j]), _score(names, points, n_matches, i, j)
    return f'<td class="{kind}" title="{title}">{words}</td>'


def _points(points: float) -> str:
    """Points to two digits after the point at most, a half as a half.

    >>> _points(2.5), _points(0.5), _points(3.0), _points(0.125)
    ('2½', '½', '3', '0.12')
    """
    if points % 1.0 == 0.5:
        return f"{points - 0.5:g}½".removeprefix("0") if points < 1.0 else f"{points - 0.5:g}½"
    return f"{points:.2f}".rstrip("0").rstrip(".")


def _score(names: Sequence[str], points: Values, n_matches: Values, i: int, j: int) -> str:
    met = count(int(n_matches[i, j]), "match", "matches")
    one, other = text(short(names[i])), text(short(names[j]))
    return f"{one} scored {_points(points[i, j])} of {met} against {other}"


def _meetings(names: Sequence[str], n_matches: Values, i: int, j: int) -> str:
    met = count(int(n_matches[i, j]), "match", "matches")
    return f"{text(short(names[i]))} and {text(short(names[j]))}: {met}"
