"""`maxin export` and `maxin import`: results out, and results in."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maxin.cli.config.stores import DEFAULT, StoreOption, stored_tournament
from maxin.cli.output.tables import counted, whole_file
from maxin.core import InvalidInput, check_name

if TYPE_CHECKING:
    from maxin.tournament import Tournament

CHUNK = 1000  # matches printed at once


class What(StrEnum):
    """What can be taken along."""

    MATCHES = "matches"
    LEADERBOARD = "leaderboard"


def export(
    file: Annotated[
        Path | None, typer.Argument(help="Where to; standard output by default.")
    ] = None,
    store: StoreOption = DEFAULT,
    what: Annotated[What, typer.Option(help="All results, or the standings.")] = What.MATCHES,
    format: Annotated[
        str | None,
        typer.Option(
            help="csv, json, jsonl, markdown or pgn (of matches); by default what the file's "
            "name says, or csv."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file.")] = False,
) -> None:
    """Write all results, or the leaderboard, to a file."""
    chosen = _format(file, format, what)
    if file is not None and file.exists() and not force:
        raise InvalidInput(f"{str(file)!r} is there already; --force writes over it")
    with stored_tournament(store) as tournament:
        pieces = iter(_pieces(tournament, what, chosen))
        if file is None:
            while chunk := "".join(islice(pieces, CHUNK)):
                typer.echo(chunk, nl=False)
            return
        with whole_file(file) as writer:
            writer.writelines(pieces)
    typer.echo(str(file))


def _format(file: Path | None, format: str | None, what: What) -> str:
    from maxin.tournament.results.columns import format_of
    from maxin.tournament.results.writing import ENDINGS

    known = {
        name: endings for name, endings in ENDINGS.items() if name != "pgn" or what is What.MATCHES
    }
    if format is not None:
        return check_name(format, known, f"format of {what.value}")
    return "csv" if file is None else format_of(file, None, known)


def _pieces(tournament: Tournament, what: What, format: str) -> Iterable[str]:
    from maxin.tournament.results import written

    if what is What.MATCHES:
        return written(tournament.matches(), format)
    board = tournament.leaderboard()
    writers = {
        "csv": board.to_csv,
        "json": board.to_json,
        "jsonl": board.to_jsonl,
        "markdown": board.to_markdown,
    }
    return [writers[format]()]


def import_(
    file: Annotated[
        Path, typer.Argument(help="Results in CSV, JSON, JSON lines or PGN, by the file's name.")
    ],
    store: StoreOption = DEFAULT,
    add_players: Annotated[
        bool, typer.Option("--add-players", help="Let names that are not players join.")
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(
            help="Where the results come from; of the same source only new lines are taken.",
            show_default="the file's name",
        ),
    ] = None,
) -> None:
    """Add results that were played elsewhere; importing a file again adds only its new lines."""
    with stored_tournament(store) as tournament:
        n_new = tournament.add_results(file, source=source, add_players=add_players)
        n_matches = tournament.n_matches
    typer.echo(f"{counted(n_new, 'new match')}; {counted(n_matches, 'match')} told in all")
