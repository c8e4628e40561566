"""`maxin report`: one HTML page with everything on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maxin.cli.config.stores import DEFAULT, StoreOption, stored_tournament
from maxin.cli.output.tables import whole_file
from maxin.core import InvalidInput


def report(
    file: Annotated[Path, typer.Argument(help="The page to write, or to write anew.")] = Path(
        "maxin-report.html"
    ),
    store: StoreOption = DEFAULT,
) -> None:
    """Write the report: one HTML page that needs nothing else."""
    from maxin.web.report import report as page_of

    if file.suffix.lower() not in (".html", ".htm"):
        # It is written over without asking, which must not happen to a store.
        raise InvalidInput(f"a report is a .html file; got {str(file)!r}")
    with stored_tournament(store) as tournament:
        page = page_of(tournament)
    with whole_file(file) as writer:
        writer.write(page)
    typer.echo(str(file))
