"""`maxin report`: the tournament as one HTML page."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.settings import Store
from maxin.cli.config.stores import tournament_to_read
from maxin.core import InvalidInput
from maxin.core.files import whole_file
from maxin.web.report import report as report_page


def report(
    file: Annotated[
        Path, Parameter(help="The page to write; an older report is overwritten.", metavar="FILE")
    ] = Path("maxin-report.html"),
    /,
    *,
    store: Store = None,
) -> None:
    """Write a report: one HTML page that needs nothing else."""
    if file.suffix.lower() not in (".html", ".htm"):
        # The file is overwritten without asking, which must not happen to a store.
        raise InvalidInput(f"a report must be a .html file; got {str(file)!r}")
    with tournament_to_read(store) as tournament:
        page = report_page(tournament)
    with whole_file(file) as writer:
        writer.write(page)
    print(file)
