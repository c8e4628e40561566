"""`maxin retract`: results that were wrong are taken back."""

from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.declaration import setting
from maxin.cli.config.options import Reason
from maxin.cli.config.rules import whole
from maxin.cli.config.settings import Store
from maxin.cli.config.stores import stored_tournament
from maxin.core import InvalidInput
from maxin.core.text import counted


def retract(
    match: Annotated[
        int | None, setting(whole(1), "The number of the match.", "MATCH", shown="none")
    ] = None,
    /,
    *,
    reason: Reason,
    source: Annotated[
        str | None,
        Parameter(
            help="Take back all results that were imported from this file, or under this name.",
            metavar="NAME",
            show_default=lambda _: "none",
        ),
    ] = None,
    line: Annotated[
        int | None,
        setting(
            whole(1),
            "With --source, take back only the result in this line; see `maxin show matches`.",
            "N",
            shown="all",
        ),
    ] = None,
    store: Store = None,
) -> None:
    """Take back a wrong result, or results of an import; the record keeps both.

    Ratings follow at once. The right score of a match can then be reported with `maxin tell`, and
    a corrected file can be imported again.
    """
    if (match is None) == (source is None):
        raise InvalidInput("give either the number of a match or --source")
    if line is not None and source is None:
        raise InvalidInput("--line is a line of a --source; give both")
    with stored_tournament(store) as tournament:
        if source is not None:
            n_results = tournament.retract_source(source, reason, line=line)
            place = source if line is None else f"{source}, line {line}"
            done = f"retracted {counted(n_results, 'match')} of {place}"
        else:
            assert match is not None
            was_there = tournament.retract(match, reason)
            done = f"match {match} {'is' if was_there else 'was already'} retracted"
        n_matches = tournament.n_matches
    print(f"{done}; {counted(n_matches, 'match')} in total")
