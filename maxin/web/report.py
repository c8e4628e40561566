"""The report of a tournament: one HTML page that needs nothing else, not even a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxin.web.pages import render
from maxin.web.report_data import read_report

if TYPE_CHECKING:
    from maxin.tournament import Tournament


def report(tournament: Tournament) -> str:
    """The page of a tournament; the same record gives the same page.

    >>> from maxin.tournament import Tournament
    >>> page = report(Tournament(["anna", "bo"]))
    >>> page.startswith("<!doctype html>"), page.count("<h2>")
    (True, 2)
    """
    return render("report.html", data=read_report(tournament))
