"""The report of a tournament: one HTML page that needs nothing else, not even a network."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from maxin._version import __version__
from maxin.web import sections
from maxin.web.markup import text
from maxin.web.report_data import read_story

if TYPE_CHECKING:
    from maxin.tournament import Tournament

# Whatever a name or a log holds, a browser runs no script of this page and asks nobody anything.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def report(tournament: Tournament) -> str:
    """The page of a tournament; the same log gives the same page.

    >>> from maxin.tournament import Tournament
    >>> page = report(Tournament(["anna", "bo"]))
    >>> page.startswith("<!doctype html>")
    True
    """
    story = read_story(tournament)
    title = sections.verdict(story)
    parts = (part(story) for part in sections.ALL)
    return _page(title, "\n".join(part for part in parts if part))


def _page(title: str, body: str) -> str:
    style = files("maxin.web").joinpath("style.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="maxin {__version__}">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{text(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"{body}\n<footer>maxin {__version__}</footer>\n</body>\n</html>\n"
    )
