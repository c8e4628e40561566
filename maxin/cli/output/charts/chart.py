"""Curves on the terminal, drawn with braille dots, or with letters where there are no colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

COLOURS = ["bright_blue", "orange1", "bright_green", "magenta", "yellow", "cyan"]
DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # of a braille cell

NARROW = 60  # columns: with fewer, panels are stacked

Curve = NDArray[np.float64]


def has_colours(console: Console) -> bool:
    """Whether colours and braille can be told apart on this console."""
    is_plain = console.color_system is None or console.no_color or console.options.ascii_only
    return not is_plain


def side_by_side(panels: Mapping[str, Mapping[str, Curve]], console: Console) -> Group:
    """Panels of curves with one legend; on a narrow console, one below the other."""
    is_wide = console.width >= NARROW
    width = (min(console.width, 120) - 3) // (len(panels) if is_wide else 1)
    drawn = [panel(title, curves, width, console) for title, curves in panels.items()]
    names = legend(list(next(iter(panels.values()))), console)
    if not is_wide:
        return Group(*drawn, names)
    grid = Table.grid(padding=(0, 3))
    grid.add_row(*drawn)
    return Group(grid, names)


def panel(title: str, curves: Mapping[str, Curve], width: int, console: Console) -> Text:
    """One box of curves over rounds, its scale on the left; a rank is best at the top."""
    falls = title.startswith("rank")
    values = [np.log2(curve) if falls else curve for curve in curves.values()]
    low = min((curve.min() for curve in values if len(curve)), default=0.0)
    high = max((curve.max() for curve in values if len(curve)), default=1.0)
    top, bottom = (low, high) if falls else (high, low)
    show: Callable[[float], str] = lambda value: str(round(2**value if falls else value))  # noqa: E731
    margin = max(len(show(top)), len(show(bottom)))
    inside = max(10, width - margin - 2)
    rows = draw(values, top, bottom, inside, 14, has_colours(console))
    side, corner, line = "|+-" if console.options.ascii_only else "│└─"
    picture = Text(" " * margin + "  " + title + "\n", style="default")
    for number, row in enumerate(rows):
        label = show(top) if number == 0 else show(bottom) if number == len(rows) - 1 else ""
        picture.append(f"{label:>{margin}} {side}").append_text(row).append("\n")
    rounds = max((len(curve) for curve in values), default=0)
    picture.append(f"{'':{margin}} {corner}{line * inside}\n")
    picture.no_wrap = True
    return picture.append(f"{'':{margin}}  1{f'round {rounds}':>{inside - 1}}\n")


def draw(
    curves: list[Curve], top: float, bottom: float, width: int, height: int, colours: bool
) -> list[Text]:
    """The curves as `height` lines of `width` characters; later curves cover earlier ones."""
    cells = np.zeros((height, width), dtype=np.int64)
    owner = np.full((height, width), -1)
    longest = max((len(curve) for curve in curves), default=0)
    for number, curve in enumerate(curves):
        dots = trace_dots(curve, longest, top, bottom, 2 * width, 4 * height)
        mine = (dots.reshape(height, 4, width, 2) * DOTS[None, :, None, :]).sum(axis=(1, 3))
        cells, owner = cells | mine, np.where(mine > 0, number, owner)
    return [_line(cells[row], owner[row], colours) for row in range(height)]


def trace_dots(
    curve: Curve, longest: int, top: float, bottom: float, width: int, height: int
) -> NDArray[np.int64]:
    """Which dots of a fine grid the curve passes, joined from column to column.

    >>> trace_dots(np.array([0.0, 1.0]), 2, top=1.0, bottom=0.0, width=2, height=2)
    array([[0, 1],
           [1, 1]])
    """
    dots = np.zeros((height, width), dtype=np.int64)
    columns = np.ceil((np.arange(width) + 1) * longest / width).astype(int) - 1
    here = curve[columns[columns < len(curve)]]
    share = (here - top) / (bottom - top) if bottom != top else np.zeros_like(here)
    heights = np.rint(share * (height - 1)).astype(int)
    before = np.concatenate([heights[:1], heights[:-1]])
    for column, (start, stop) in enumerate(zip(before, heights, strict=True)):
        dots[min(start, stop) : max(start, stop) + 1, column] = 1
    return dots


def legend(names: list[str], console: Console) -> Text:
    """Which colour, or letter, is which curve."""
    text = Text("  ")
    for number, name in enumerate(names):
        mark = "━━" if has_colours(console) else _letter(number)
        text.append(f"{mark} ", _style(number)).append(name + "   ")
    return text


def _line(cells: NDArray[np.int64], owner: NDArray[np.int64], colours: bool) -> Text:
    line = Text()
    for dots, number in zip(cells.tolist(), owner.tolist(), strict=True):
        if not dots:
            line.append(" ")
        elif colours:
            line.append(chr(0x2800 + dots), _style(number))
        else:
            line.append(_letter(number))
    return line


def _style(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _letter(number: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[number % 26]
