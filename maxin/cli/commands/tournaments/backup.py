"""`maxin backup`: a copy of the store in one file."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.flags import switch
from maxin.cli.config.settings import Store
from maxin.cli.config.stores import tournament_to_read
from maxin.core.text import counted


def backup(
    file: Annotated[Path, Parameter(help="The SQLite file to write.", metavar="FILE")],
    /,
    *,
    store: Store = None,
    force: Annotated[bool, switch("Overwrite the file if it exists.")] = False,
) -> None:
    """Copy the store to a SQLite file and check the copy; others may write meanwhile."""
    with tournament_to_read(store) as tournament:  # a store that cannot be shown is not checked
        made = tournament.backup(file, force=force)
    size = f"{made.n_bytes / 1000:,.0f} kB"
    print(f"{file}: {counted(made.n_results, 'result')}, {size}, checked")
