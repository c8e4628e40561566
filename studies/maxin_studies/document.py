"""Reports of experiments: sections of notes, pictures and tables, as Markdown, CSV and HTML."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from maxin.core import InvalidInput
from maxin.core.files import whole_file
from maxin.core.text import csv_line

if TYPE_CHECKING:
    from markupsafe import Markup

Rows = list[list[str]]
VERDICTS = {  # by text: the class in HTML, and the words after a count of one or of more
    "Holds": ("holds", "holds", "hold"),
    "Does not hold": ("does-not-hold", "does not", "do not"),
    "Cannot be decided": ("cannot-be-decided", "cannot be decided", "cannot be decided"),
    "Not tested": ("not-tested", "is not tested", "are not tested"),
}


@dataclass
class Section:
    """A part of a report."""

    name: str  # of its files and its anchor
    title: str
    notes: list[str] = field(default_factory=list)
    pictures: list[tuple[str, Path]] = field(default_factory=list)  # captions and files
    header: list[str] = field(default_factory=list)  # of the table
    rows: Rows = field(default_factory=list)
    shown: list[str] = field(default_factory=list)  # columns, if not all; the file has all

    @property
    def table(self) -> Rows:
        """The header and the rows as they are shown.

        >>> Section("a", "A", header=["x", "y"], rows=[["1", "2"]], shown=["y"]).table
        [['y'], ['2']]
        """
        shown = self.shown or self.header
        places = [self.header.index(name) for name in shown]
        return [shown, *([row[place] for place in places] for row in self.rows)]


@dataclass(frozen=True)
class ExperimentReport:
    """The result of an experiment.

    Args:
        title: of the report.
        intro: its first paragraphs.
        sections: one or more per part.
        path: the page that was written.
    """

    title: str
    intro: tuple[str, ...]
    sections: tuple[Section, ...]
    path: Path


def make_folder(path: Path) -> Path:
    """Create a folder for results, or raise if it cannot be one."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"cannot create the folder {str(path)!r}: {error}") from error
    return path


def contents(sections: Sequence[Section]) -> list[tuple[Section, str]]:
    """The sections, each with how many of its verdicts are which, if it has any.

    >>> notes = ["**Holds** (s.1): a.", "**Does not hold** (s.2): b.", "**Holds** (s.3): c."]
    >>> contents([Section("a", "A", notes=notes)])[0][1]
    '2 hold, 1 does not'
    """
    return [(section, _verdict_counts(section.notes)) for section in sections]


def _verdict_counts(notes: Sequence[str]) -> str:
    counts = [
        (sum(note.startswith(f"**{verdict}**") for note in notes), one, many)
        for verdict, (_, one, many) in VERDICTS.items()
    ]
    return ", ".join(
        f"{count} {one if count == 1 else many}" for count, one, many in counts if count
    )


def _anchor(title: str) -> str:
    """The anchor of a heading, as GitHub makes it.

    >>> _anchor("Figure 1. 2 Good, 2 Bad")
    'figure-1-2-good-2-bad'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def markdown(
    title: str,
    intro: Sequence[str],
    sections: Sequence[Section],
    folder: Path,
    *,
    has_contents: bool = False,
) -> str:
    r"""The report as Markdown; pictures are linked relative to `folder`.

    >>> section = Section("a", "A", notes=["a note"], header=["n"], rows=[["|S| = 1"]])
    >>> print(markdown("Title", [], [section], Path(".")).splitlines()[-1])
    | \|S\| = 1 |
    """
    parts = [f"# {title}", *intro]
    if has_contents:
        links = [
            f"- [{section.title}](#{_anchor(section.title)}){f': {counts}' if counts else ''}"
            for section, counts in contents(sections)
        ]
        parts += ["## Contents", "\n".join(links)]
    for section in sections:
        parts.append(f"## {section.title}")
        if section.notes:
            parts.append("\n".join(f"- {note}" for note in section.notes))
        for caption, path in section.pictures:
            parts.append(f"![{caption}]({path.relative_to(folder).as_posix()})")
        if section.rows:
            header, *rows = section.table
            cells = [[cell.replace("|", r"\|") for cell in row] for row in rows]
            table = [header, ["---"] * len(header), *cells]
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in table))
    return "\n\n".join(parts) + "\n"


def write_tables(sections: Sequence[Section], folder: Path) -> None:
    """Write the table of every section as a .csv file."""
    make_folder(folder)
    for section in sections:
        if section.rows:
            with whole_file(folder / f"{section.name}.csv") as file:
                file.writelines(map(csv_line, [section.header, *section.rows]))


def html_page(title: str, intro: Sequence[str], sections: Sequence[Section]) -> str:
    """The report as one HTML page that includes its pictures.

    >>> section = Section("a", "A", header=["x"], rows=[["a < b"]])
    >>> "<td>a &lt; b</td>" in html_page("Title", [], [section])
    True
    """
    from jinja2 import Environment, PackageLoader

    loader = PackageLoader("maxin_studies")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"marked": marked, "data_url": data_url, "contents": contents}
    page = environment.get_template("document.html")
    classes = {verdict: names[0] for verdict, names in VERDICTS.items()}
    return page.render(title=title, intro=intro, sections=sections, verdicts=classes)


def marked(text: str) -> Markup:
    """HTML of text with **verdicts** and `code`; everything else is escaped.

    >>> marked("**Does not hold**: `a < b`")
    Markup('<strong class="does-not-hold">Does not hold</strong>: <code>a &lt; b</code>')
    """
    from markupsafe import Markup, escape

    code = re.sub("`(.*?)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\*\*(.*?)\*\*", _verdict, code))


def _verdict(found: re.Match[str]) -> str:
    name = found[1].lower().replace(" ", "-")
    return f'<strong class="{name}">{found[1]}</strong>'


def data_url(path: Path) -> str:
    """A .png file as the address of an image."""
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
