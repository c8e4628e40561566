"""`maxin export` and `maxin import`: results to and from files."""

import sys
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from maxin.cli.config.flags import roles_of, setting, switch
from maxin.cli.config.settings import (
    ColumnOption,
    DelimiterOption,
    InputFormat,
    SkipInvalidOption,
    Store,
)
from maxin.cli.config.stores import store_url, stored_tournament, tournament_to_read
from maxin.core import InvalidInput, check_name
from maxin.core.declaration import one_of
from maxin.core.files import whole_file
from maxin.core.text import counted
from maxin.storage import NoStore
from maxin.tournament import Tournament
from maxin.tournament.players import entrants
from maxin.tournament.results import Results, read_results, written
from maxin.tournament.results.columns import format_of
from maxin.tournament.results.importing import source_of
from maxin.tournament.results.writing import ENDINGS

CHUNK = 1000  # matches printed at once

What = Literal["matches", "leaderboard"]


def export(
    file: Annotated[
        Path | None,
        Parameter(help="The file to write; standard output by default.", metavar="FILE"),
    ] = None,
    /,
    *,
    store: Store = None,
    what: Annotated[
        What,
        setting(
            one_of("matches", "leaderboard"),
            "All results (matches), or the standings (leaderboard).",
            "WHAT",
            shown="matches",
        ),
    ] = "matches",
    format: Annotated[
        str | None,
        Parameter(
            help="csv, json, jsonl, markdown or, for matches, pgn; by default what the name of the "
            "file says, or csv.",
            metavar="FORMAT",
        ),
    ] = None,
    force: Annotated[bool, switch("Overwrite the file if it exists.")] = False,
    raw: Annotated[
        bool,
        switch(
            "Write CSV for programs: a name such as =1+1 stays as it is. By default it gets an "
            "apostrophe, so that no spreadsheet computes it."
        ),
    ] = False,
) -> None:
    """Write all results, or the leaderboard, to a file.

    CSV, JSON and JSON lines hold everything, also results that were retracted, with the reason in
    the column `retracted`: `maxin import` makes the same ratings of them.
    """
    chosen = _format(file, format, what)
    if file is not None and file.exists() and not force:
        raise InvalidInput(f"{str(file)!r} exists; --force overwrites it")
    with tournament_to_read(store) as tournament:
        if file is not None:
            _check_not_the_store(file, tournament)
        pieces = iter(_pieces(tournament, what, chosen, raw))
        if file is None:
            while chunk := "".join(islice(pieces, CHUNK)):
                sys.stdout.write(chunk)
            return
        with whole_file(file) as writer:
            writer.writelines(pieces)
    print(file)


def _check_not_the_store(file: Path, tournament: Tournament) -> None:
    """Raise if the file to write is the store itself, or one of those beside it."""
    own = tournament.store.url.database
    if tournament.store.url.get_backend_name() == "sqlite" and own:
        names = [f"{own}{ending}" for ending in ("", "-wal", "-shm", "-journal")]
        if file.resolve() in [Path(name).resolve() for name in names]:
            raise InvalidInput(f"{str(file)!r} is the store; choose another file")


def _format(file: Path | None, format: str | None, what: What) -> str:
    known = {
        name: endings for name, endings in ENDINGS.items() if name != "pgn" or what == "matches"
    }
    if format is not None:
        return check_name(format, known, f"format of {what}")
    return "csv" if file is None else format_of(file, None, known)


def _pieces(tournament: Tournament, what: What, format: str, raw: bool) -> Iterable[str]:
    if what == "matches":
        return written(tournament.matches(retracted=True), format, raw=raw)
    board = tournament.leaderboard()
    writers: dict[str, Callable[[], str]] = {
        "csv": partial(board.to_csv, raw=raw),
        "json": board.to_json,
        "jsonl": board.to_jsonl,
        "markdown": board.to_markdown,
    }
    return [writers[format]()]


def import_(
    file: Annotated[
        Path,
        Parameter(
            help="Results in CSV, TSV, JSON, JSON lines, Parquet or PGN, also compressed (.gz); "
            "the name of the file says which, or --input-format.",
            metavar="FILE",
        ),
    ],
    /,
    *,
    store: Store = None,
    input_format: InputFormat = None,
    column: ColumnOption = (),
    delimiter: DelimiterOption = None,
    skip_invalid: SkipInvalidOption = False,
    add_players: Annotated[bool, switch("Add names that are not players yet.")] = False,
    source: Annotated[
        str | None,
        Parameter(
            help="A name for where the results come from; only new lines of a source are added.",
            metavar="NAME",
            show_default=lambda _: "the path of the file",
        ),
    ] = None,
    again: Annotated[
        bool,
        switch("Add a copy of an imported file, or results that were retracted, all the same."),
    ] = False,
) -> None:
    """Add results that were played elsewhere; importing a file again adds only its new lines.

    Without a store, one is created, with the players of the file.
    """
    origin = source_of(file, source)
    results = read_results(
        file,
        input_format,
        columns=roles_of(column),
        delimiter=delimiter,
        skip_invalid=skip_invalid,
    )
    with _tournament_for(results, store) as tournament:
        n_new = tournament.add_results(results, source=origin, add_players=add_players, again=again)
        n_matches, sources = tournament.n_matches, tournament.store.sources(retracted=False)
        n_retracted = tournament.store.n_retracted(origin)
    total = f"{counted(n_new, 'new match')}; {counted(n_matches, 'match')} in total"
    if n_retracted:
        total += f", without {counted(n_retracted, 'retracted result')} of this source"
    print(total, *results.problems.notes, sep="\n")
    if not n_new and origin not in sources:
        print("all results of this file were retracted; --again adds them again")


def _tournament_for(results: Results, store: str | None) -> Tournament:
    """The tournament in a store or, if there is none, a new one of the players in the file.

    The whole file is read first, so that an invalid one creates no store.
    """
    try:
        return stored_tournament(store)
    except NoStore:
        names = dict.fromkeys(name for row in results for name in (row.first, row.second))
    if not names:
        raise InvalidInput(f"there is no result in {results}, so no store is created")
    tournament = Tournament(entrants(names), store_url(store))
    print(f"new tournament of {counted(len(names), 'player')} in {tournament.store}")
    return tournament
