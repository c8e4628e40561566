"""The report of a tournament: one HTML page that needs nothing else, not even a network."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from maxin.core import InvalidInput
from maxin.core.files import whole_file
from maxin.views.html.pages import render
from maxin.views.html.report_data import Reported, ReportTerms, read_report


def report(tournament: Reported, **terms: Unpack[ReportTerms]) -> str:
    """The page of a tournament; the same record gives the same page.

    Args:
        tournament: what is reported.
        terms: see `read_report`.

    >>> from maxin.tournament import Tournament
    >>> page = report(Tournament(["anna", "bo"]))
    >>> page.startswith("<!doctype html>"), page.count("<h2>")
    (True, 2)
    """
    return render("report.html", data=read_report(tournament, **terms))


def write_report(tournament: Reported, path: str | Path, **terms: Unpack[ReportTerms]) -> Path:
    """Write the page of a tournament to a file, and return its path; see `report`.

    >>> from maxin.tournament import Tournament
    >>> write_report(Tournament(["anna", "bo"]), "league.db")
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: a report must be a .html file; got 'league.db'
    """
    file = Path(path)
    if file.suffix.lower() not in (".html", ".htm"):
        # The file is overwritten without asking, which must not happen to a store.
        raise InvalidInput(f"a report must be a .html file; got {str(file)!r}")
    page = report(tournament, **terms)
    with whole_file(file) as writer:
        writer.write(page)
    return file
