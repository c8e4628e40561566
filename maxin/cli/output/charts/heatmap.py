"""A matrix as coloured cells on the terminal, two rows to a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from maxin.cli.output.charts.chart import has_colours

LOSS, LEVEL, WIN = np.array([202, 60, 40]), np.array([245, 245, 240]), np.array([30, 90, 170])
SHADES = " .:-=+*#%@"  # loss to win, where there are no colours


def heatmap(matrix: NDArray[np.float64], console: Console) -> Text:
    """Red for -1, white for 0, blue for 1; larger matrices are shrunk to the console's width."""
    room = console.width - 2 if has_colours(console) else (console.width - 2) // 2
    cells = shrink(matrix, min(len(matrix), max(2, room), 100))
    legend = "-1 lost ", " 1 won\n"
    if not has_colours(console):
        picture = Text("\n".join("".join(_shade(value) * 2 for value in row) for row in cells))
        return picture.append(f"\n'{SHADES}': {legend[0]}to{legend[1]}")
    picture = Text()
    for upper, lower in zip(cells[0::2], _lower_rows(cells), strict=True):
        for above, below in zip(upper, lower, strict=True):
            picture.append("▀", Style(color=_colour(above), bgcolor=_colour(below)))
        picture.append("\n")
    picture.append(legend[0])
    for value in np.linspace(-1.0, 1.0, 21):
        picture.append(" ", Style(bgcolor=_colour(value)))
    return picture.append(legend[1])


def shrink(matrix: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Means of blocks, `size` rows and columns.

    >>> shrink(np.array([[0.0, 1.0], [1.0, 0.0]]), 1)
    array([[0.5]])
    """
    edges = np.linspace(0, len(matrix), size + 1).astype(int)[:-1]
    sums = np.add.reduceat(np.add.reduceat(matrix, edges, axis=0), edges, axis=1)
    counts = np.diff(np.append(edges, len(matrix)))
    return np.asarray(sums / np.outer(counts, counts))


def _lower_rows(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every second row; an odd last row stands above an empty one."""
    lower = cells[1::2]
    return np.vstack([lower, np.full((1, cells.shape[1]), np.nan)]) if len(cells) % 2 else lower


def _colour(value: float) -> Color | None:
    if np.isnan(value):
        return None
    towards = WIN if value > 0.0 else LOSS
    mixed = LEVEL + (towards - LEVEL) * abs(value)
    return Color.from_rgb(*mixed.tolist())


def _shade(value: float) -> str:
    return SHADES[min(len(SHADES) - 1, int((value + 1.0) / 2.0 * len(SHADES)))]
