"""`maxin report`: the tournament as one HTML page."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.settings import ByOption, ControlsOption, IgnoreJudges, Store
from maxin.cli.config.stores import tournament_to_read


def report(
    file: Annotated[
        Path, Parameter(help="The page to write; an older report is overwritten.", metavar="FILE")
    ] = Path("maxin-report.html"),
    /,
    *,
    store: Store = None,
    control: ControlsOption = (),
    ignore_judges: IgnoreJudges = False,
    by: ByOption = None,
) -> None:
    """Write a report: one HTML page that needs nothing else."""
    with tournament_to_read(store) as tournament:
        print(tournament.report(file, controls=control, ignore_judges=ignore_judges, by=by))
