"""The report of a tournament: one HTML page that needs nothing else, not even a network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from maxin.core import InvalidInput
from maxin.core.files import whole_file
from maxin.views.html.pages import render
from maxin.views.html.report_data import Reported, read_report


def report(
    tournament: Reported,
    *,
    confidence: float | None = None,
    controls: Sequence[str] = (),
    ignore_judges: bool = False,
    by: str | None = None,
) -> str:
    """The page of a tournament; the same record gives the same page.

    Args:
        tournament: what is reported.
        confidence: how certain a decision must be; by default as in the last run.
        controls: covariates whose effects are taken out of the ratings.
        ignore_judges: whether all votes count alike, whoever judged.
        by: the field that names slices; see `read_report`.

    >>> from maxin.tournament import Tournament
    >>> page = report(Tournament(["anna", "bo"]))
    >>> page.startswith("<!doctype html>"), page.count("<h2>")
    (True, 2)
    """
    data = read_report(
        tournament, confidence=confidence, controls=controls, ignore_judges=ignore_judges, by=by
    )
    return render("report.html", data=data)


def write_report(
    tournament: Reported,
    path: str | Path,
    *,
    confidence: float | None = None,
    controls: Sequence[str] = (),
    ignore_judges: bool = False,
    by: str | None = None,
) -> Path:
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
    page = report(
        tournament, confidence=confidence, controls=controls, ignore_judges=ignore_judges, by=by
    )
    with whole_file(file) as writer:
        writer.write(page)
    return file
