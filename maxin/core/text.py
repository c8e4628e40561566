"""Rows as text: aligned for the eye, as Markdown, as lines of CSV."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

Rows = Iterable[Sequence[str]]

PLAIN = re.compile(r'[^\s",]([^",\r\n]*[^\s",])?')  # what a cell of a CSV file holds unquoted
MARKED = re.compile(r"[\\`*_<\[\]|~&]")  # what Markdown would take for more than itself


def aligned(header: Sequence[str], rows: Rows, left: Iterable[int] = ()) -> str:
    r"""A table in columns, numbers to the right; `left` names the columns of words.

    >>> print(aligned(["player", "score"], [["bo", "0.5"], ["anna", "0.25"]], left=[0]))
    player  score
    bo        0.5
    anna     0.25
    """
    table = [[visible(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    words = set(left)
    lines = []
    for row in table:
        gaps = [" " * (room - width(cell)) for cell, room in zip(row, widths, strict=True)]
        cells = [
            cell + gap if place in words else gap + cell
            for place, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(header: Sequence[str], rows: Rows, left: Iterable[int] = ()) -> Iterable[str]:
    r"""The lines of a Markdown table, each ended; whatever the cells hold is shown as it is.

    >>> print("".join(markdown(["player", "score"], [["a|b", "1"]], left=[0])), end="")
    | player | score |
    |:-|-:|
    | a\|b | 1 |
    """
    words = set(left)
    yield _markdown_line(header)
    yield f"|{'|'.join(':-' if place in words else '-:' for place in range(len(header)))}|\n"
    for row in rows:
        yield _markdown_line(row)


def _markdown_line(cells: Sequence[str]) -> str:
    shown = (MARKED.sub(r"\\\g<0>", visible(cell)) for cell in cells)
    return f"| {' | '.join(shown)} |\n"


def csv_line(cells: Iterable[str]) -> str:
    r"""One ended line of CSV, quoted only where a reader would not read the same again.

    >>> csv_line(["anna", " bo", "c, y", "1.0"])
    'anna," bo","c, y",1.0\n'
    """
    return ",".join(map(_csv_cell, cells)) + "\n"


def _csv_cell(cell: str) -> str:
    return cell if not cell or PLAIN.fullmatch(cell) else _quoted(cell)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def visible(text: str) -> str:
    r"""`text` in one line, its control characters written out.

    >>> visible("two\nlines")
    'two\\nlines'
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _written(sign) for sign in text)


def _written(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def width(text: str) -> int:
    """How many columns of a terminal `text` takes.

    >>> width("anna"), width("安娜")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(bool(unicodedata.combining(sign)) for sign in text)
