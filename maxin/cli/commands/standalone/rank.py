"""`maxin rank`: ratings from a file of results."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.flags import meaning, roles_of, switch
from maxin.cli.config.settings import (
    AnchorOption,
    ByOption,
    ColumnOption,
    ControlsOption,
    DelimiterOption,
    FormatOption,
    IgnoreJudges,
    InputFormat,
    SkipInvalidOption,
)
from maxin.cli.output.printing import present
from maxin.cli.output.tables.leaderboards import leaderboard_table
from maxin.cli.output.tables.slices import SlicesView
from maxin.core import InvalidInput
from maxin.tournament.results import RankedResults, read_results
from maxin.tournament.results.slicing import read_slices
from maxin.views import Slices


def rank(
    file: Annotated[
        Path,
        Parameter(
            help="Results: CSV, TSV, JSON or Parquet with the columns first, second and score, or "
            "white, black and result, or model_a, model_b and winner, or winner and loser; or PGN. "
            "Also compressed, as .gz.",
            metavar="FILE",
        ),
    ],
    /,
    *,
    format: FormatOption = "text",
    input_format: InputFormat = None,
    column: ColumnOption = (),
    delimiter: DelimiterOption = None,
    skip_invalid: SkipInvalidOption = False,
    first_advantage: Annotated[bool, switch("Estimate the advantage of sitting first.")] = False,
    anchor: AnchorOption = None,
    control: ControlsOption = (),
    ignore_judges: IgnoreJudges = False,
    by: ByOption = None,
) -> None:
    """Rate the players of a file of results, with 95 % intervals; nothing is stored."""
    for flag, is_given in (("--control", bool(control)), ("--first-advantage", first_advantage)):
        if by is not None and is_given:
            raise InvalidInput(f"--by and {flag} cannot be given together")
    results = read_results(
        file,
        input_format,
        columns=roles_of(column),
        delimiter=delimiter,
        skip_invalid=skip_invalid,
    )
    ranked = RankedResults.of(
        results,
        first_advantage=first_advantage,
        anchor=meaning(anchor),
        controls=control,
        ignore_judges=ignore_judges,
    )
    if by is not None:
        view = SlicesView(
            Slices.of(ranked.overview.belief, read_slices(results, ranked.log.names, by)),
            hint="--format csv shows all",
            remarks=ranked.log.problems.notes,
            facts={key: ranked.facts[key] for key in ("invalid", "alike")},
        )
        present(view, format)
        if format in ("csv", "markdown"):
            print(*view.notes, sep="\n", file=sys.stderr)
        return
    board = ranked.leaderboard
    table = leaderboard_table(board, facts=ranked.facts)
    present(replace(table, below=board.table.below), format)
    if format in ("csv", "markdown"):
        print(*board.accounts, *ranked.remarks, sep="\n", file=sys.stderr)
