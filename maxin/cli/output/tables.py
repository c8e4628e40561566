"""What a command found, for whoever reads it: a person at a terminal, a program, a page."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated, Any, Protocol

import typer
from rich.console import Console

from maxin.core import InvalidInput

NARROWEST = 6  # columns that a name keeps, however narrow the terminal
NAMED = 5  # players named in a sentence; the rest are counted


class Format(StrEnum):
    """How a table is printed."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


class Answer(StrEnum):
    """How a short answer is printed."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[
    Format, typer.Option("--format", help="text to read; json, csv or markdown to pass on.")
]
AnswerOption = Annotated[
    Answer, typer.Option("--format", help="text to read; json to pass on, one document.")
]


class View(Protocol):
    """Something to show, in every format."""

    def document(self) -> Any:
        """As JSON, with all there is to know."""

    def csv(self) -> str:
        """As lines of CSV."""

    def markdown(self) -> str:
        """As a Markdown table."""

    def text(self, room: int) -> str:
        """As a table no wider than `room`, and what there is to say about it."""


def present(view: View, format: Format) -> None:
    """Print a view in the format asked for."""
    if format is Format.JSON:
        print_json(view.document())
    elif format is Format.CSV:
        typer.echo(view.csv(), nl=False)
    elif format is Format.MARKDOWN:
        typer.echo(view.markdown(), nl=False)
    else:
        typer.echo(view.text(Console().width))


def print_json(document: Any) -> None:
    """One JSON document, in one line; what is not a number in JSON is an error here."""
    typer.echo(json.dumps(document, allow_nan=False))


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[int], room: int
) -> str:
    """An aligned table; its columns of `words` are shortened until it is no wider than `room`.

    >>> print(table(["player", "score"], [["checkpoint-000400", "1"]], words=[0], room=17))
    player      score
    check…0400      1
    """
    from maxin.core.text import aligned

    whole = [list(row) for row in rows]
    return squeezed(
        lambda most: aligned(header, [_capped(row, words, most) for row in whole], words), room
    )


def squeezed(drawn: Callable[[int], str], room: int) -> str:
    """What `drawn(most)` draws with names of up to `most` columns, the largest that fits `room`.

    >>> squeezed(lambda most: shortened("a long name", most) + " 1", room=10)
    'a lo…ame 1'
    """
    text = drawn(1000)
    most = min(1000, _widest(text))
    while _widest(text) > room and most > NARROWEST:
        most = max(NARROWEST, min(most - 1, most - (_widest(text) - room) // 2))
        text = drawn(most)
    return text


def _widest(text: str) -> int:
    from maxin.core.text import width

    return max(map(width, text.split("\n")))


def _capped(row: Sequence[str], words: Sequence[int], most: int) -> list[str]:
    return [shortened(cell, most) if place in words else cell for place, cell in enumerate(row)]


def shortened(text: str, room: int) -> str:
    """`text` cut in its middle to fit `room` columns: names differ at their ends.

    >>> shortened("run3/checkpoint-000400.pt", 15)
    'run3/ch…0400.pt'
    """
    from maxin.core.text import visible, width

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


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first few of many.

    >>> listed(["anna"]), listed(["anna", "bo", "cy"])
    ('anna', 'anna, bo and cy')
    >>> listed([str(number) for number in range(40)])
    '0, 1, 2, 3, 4 and 35 more'
    """
    from maxin.core.text import visible

    shown = [visible(name) for name in names[:NAMED]]
    if len(names) > NAMED:
        return f"{', '.join(shown)} and {len(names) - NAMED} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def counted(number: int, what: str) -> str:
    """A number and its noun.

    >>> counted(1, "match"), counted(1200, "match"), counted(2, "player")
    ('1 match', '1,200 matches', '2 players')
    """
    plural = what if number == 1 else f"{what}{'es' if what.endswith('ch') else 's'}"
    return f"{number:,} {plural}"


@contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """A file to write, which takes its name only when all of it is on disk."""
    if not path.parent.is_dir():
        raise InvalidInput(f"there is no folder {str(path.parent)!r} for {path.name!r}")
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
