"""Text for people: tables, counts, names, percentages, times."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

Rows = Iterable[Sequence[str]]

PLAIN = re.compile(r'[^\s",]([^",\r\n]*[^\s",])?')  # a CSV cell that needs no quotes
# A CSV cell that a spreadsheet would compute, unless it is a number; apostrophes may precede it.
FORMULA = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?( ?%)?( ± \d+(\.\d*)?)?", re.ASCII)
MARKED = re.compile(r"[\\`*_<\[\]|~&]")  # characters that Markdown would interpret

PASSWORD = re.compile(r"(?<=:)(/{0,2}[^/:?\s]*):\S*@")  # in a URL
SECRET = re.compile(r"([?&]\w*(?:password|secret)=)[^&]*", re.IGNORECASE)  # after its path

SEPARATOR = re.compile(r"[/\\_.: -]")  # where a name has parts
NARROWEST = 6  # columns that a name keeps, however narrow the terminal
NAMED = 5  # players named in a sentence; the rest are counted


def aligned(header: Sequence[str], rows: Rows, left: Iterable[int] = ()) -> str:
    r"""A table in aligned columns; those in `left` are left-aligned, all others right-aligned.

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
    r"""The lines of a Markdown table, with line ends; Markdown in the cells is escaped.

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


def csv_line(cells: Iterable[str], *, raw: bool = False) -> str:
    r"""One line of CSV with its line end; a cell is quoted only if it could be misread otherwise.

    A text that begins like a formula gets an apostrophe, so that no spreadsheet computes it;
    `raw` leaves it as it is. `unguarded` removes the apostrophe. A text that has such an apostrophe
    of its own gets one more, also with `raw`, so that its own is not removed.

    >>> csv_line(["anna", " bo", "c, y", "1.0"])
    'anna," bo","c, y",1.0\n'
    >>> csv_line(["=1+1", "-1.5"]), csv_line(["=1+1"], raw=True)
    ("'=1+1,-1.5\n", '=1+1\n')
    >>> csv_line(["'=1+1"], raw=True)
    "''=1+1\n"
    """
    return ",".join(_csv_cell(_guarded(cell, raw=raw)) for cell in cells) + "\n"


def _guarded(cell: str, *, raw: bool) -> str:
    """With one more apostrophe, if it looks guarded or, unless it is `raw`, like a formula."""
    is_text = cell[:1] == "'" or not (raw or NUMBER.fullmatch(cell))
    return f"'{cell}" if is_text and FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from computing it.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell[:1] == "'" and FORMULA.match(cell) else cell


def _csv_cell(cell: str) -> str:
    return cell if not cell or PLAIN.fullmatch(cell) else _quoted(cell)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def visible(text: str) -> str:
    r"""`text` on one line, with control characters escaped.

    >>> visible("two\nlines")
    'two\\nlines'
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _written(sign) for sign in text)


def _written(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def width(text: str) -> int:
    """How many terminal columns `text` takes.

    >>> width("anna"), width("安娜")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(bool(unicodedata.combining(sign)) for sign in text)


def html_table(header: Sequence[str], rows: Rows, left: Iterable[int] = ()) -> str:
    """An HTML table for a notebook; the cells' text is escaped.

    >>> html_table(["player"], [["<anna>"]], left=[0]).count("&lt;anna&gt;")
    1
    """
    words = set(left)

    def line(cells: Sequence[str], tag: str) -> str:
        aligns = ("left" if place in words else "right" for place in range(len(cells)))
        return "".join(
            f'<{tag} style="text-align:{align}">{html.escape(cell)}</{tag}>'
            for cell, align in zip(cells, aligns, strict=True)
        )

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{line(header, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[int], room: int
) -> str:
    """An aligned table; its columns of `words` are shortened until it is no wider than `room`.

    What names have in common goes first, and a line below says what it is.

    >>> print(table(["player", "score"], [["checkpoint-000400", "1"]], words=[0], room=17))
    player      score
    check…0400      1
    >>> rows = [["runs/seed-1/step-100.pt", "1"], ["runs/seed-1/step-2000.pt", "0"]]
    >>> print(table(["player", "score"], rows, words=[0], room=24))
    player    score
    …100.pt       1
    …2000.pt      0
    … is runs/seed-1/step-
    """
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    alike = {place: Alike.of(columns[place]) for place in words}

    def drawn(most: int) -> tuple[str, set[str]]:
        cells, cut = list(columns), set()
        for place, common in alike.items():
            cells[place] = tuple(common.shortened(columns[place], most))
            if common.start and cells[place] and cells[place][0].startswith("…"):
                cut.add(common.start)
        return aligned(header, zip(*cells, strict=True), words), cut

    most = _fitting(lambda most: drawn(most)[0], room)
    text, cut = drawn(most)
    return "\n".join([text, *(shortened(f"… is {start}", max(room, 12)) for start in sorted(cut))])


class Alike(NamedTuple):
    """What the names of a column have in common: whole parts at their start and their end.

    >>> Alike.of(["run3/step-100.pt", "run3/step-2000.pt"])
    Alike(start='run3/step-', end='.pt')
    """

    start: str = ""
    end: str = ""

    @classmethod
    def of(cls, names: Sequence[str]) -> Alike:
        """What different names have in common; nothing if there is only one."""
        if len(set(names)) < 2:
            return cls()
        start = _common_start(names)
        last = max((found.end() for found in SEPARATOR.finditer(start)), default=0)
        rest = [name[last:] for name in names]
        end = _common_start([name[::-1] for name in rest])[::-1]
        found = SEPARATOR.search(end)
        if found is None or any(len(name) == len(end) for name in rest):
            return cls(start[:last])
        return cls(start[:last], end[found.start() :])

    def shortened(self, names: Sequence[str], room: int) -> list[str]:
        """The names in `room` columns: without their common start, then without their end.

        What is longer even so is cut in its middle.

        >>> Alike("run3/step-", ".pt").shortened(["run3/step-100.pt", "run3/step-2000.pt"], 6)
        ['…100…', '…2000…']
        """
        shown = [visible(name) for name in names]
        for start, end in ((self.start, ""), (self.start, self.end)):
            if max(map(width, shown), default=0) <= room:
                break
            shown = [
                f"{'…' * bool(start)}{visible(name[len(start) : len(name) - len(end)])}"
                f"{'…' * bool(end)}"
                for name in names
            ]
        return [shortened(name, room) for name in shown]


def _common_start(names: Sequence[str]) -> str:
    """The characters with which all names begin: those of the first and the last in order."""
    one, other = min(names), max(names)
    pairs = enumerate(zip(one, other, strict=False))
    return one[: next((place for place, (a, b) in pairs if a != b), len(one))]


def _fitting(drawn: Callable[[int], str], room: int) -> int:
    """The largest number of columns of a name with which `drawn` fits `room`."""
    text = drawn(1000)
    most = min(1000, _widest(text))
    while _widest(text) > room and most > NARROWEST:
        most = max(NARROWEST, min(most - 1, most - (_widest(text) - room) // 2))
        text = drawn(most)
    return most


def _widest(text: str) -> int:
    return max(map(width, text.split("\n")))


def shortened(text: str, room: int) -> str:
    """`text` cut in its middle to fit `room` columns: names differ at their ends.

    >>> shortened("run3/checkpoint-000400.pt", 15)
    'run3/ch…0400.pt'
    """
    seen = visible(text)
    if width(seen) <= room:
        return seen
    start = end = ""
    for number in range(len(seen)):
        sign = seen[number // 2] if number % 2 == 0 else seen[-1 - number // 2]
        if width(start + sign + end) > room - 1:
            break
        start, end = (start + sign, end) if number % 2 == 0 else (start, sign + end)
    return f"{start}…{end}"


def without_secrets(text: str) -> str:
    """A text without the passwords of a URL in it, which may be invalid.

    >>> without_secrets("postgresql://me:x/y@z@host/name?sslpassword=x&connect_timeout=5")
    'postgresql://me:***@host/name?sslpassword=***&connect_timeout=5'
    """
    return SECRET.sub(r"\1***", PASSWORD.sub(r"\1:***@", text))


def listed(names: Sequence[str], most: int = NAMED) -> str:
    """Names in a sentence, the first few of many.

    >>> listed(["anna"]), listed(["anna", "bo", "cy"])
    ('anna', 'anna, bo and cy')
    >>> listed([str(number) for number in range(40)])
    '0, 1, 2, 3, 4 and 35 more'
    """
    shown = [visible(name) for name in names[:most]]
    rest = [f"{len(names) - most:,} more"] if len(names) > most else []
    return joined([*shown, *rest])


def joined(parts: Sequence[str]) -> str:
    """Parts of a sentence, as in a, b and c.

    >>> joined(["a", "b"]), joined(["a"])
    ('a and b', 'a')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def counted(number: int, what: str) -> str:
    """A number and its noun.

    >>> counted(1, "match"), counted(1200, "match"), counted(2, "player")
    ('1 match', '1,200 matches', '2 players')
    """
    plural = what if number == 1 else f"{what}{'es' if what.endswith('ch') else 's'}"
    return f"{number:,} {plural}"


def duration(seconds: float) -> str:
    """A length of time to read.

    >>> duration(0.04), duration(8.6), duration(400), duration(9000)
    ('under 1 s', '9 s', '7 min', '2.5 h')
    """
    if seconds < 1.0:
        return "under 1 s"
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def moment(time: float) -> str:
    """A point in time to read, in UTC.

    >>> moment(0.0)
    '1970-01-01 00:00:00'
    """
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S")
