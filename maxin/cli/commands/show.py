"""`maxin show`: what is known so far."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from maxin.cli.config.stores import DEFAULT, StoreOption, stored_tournament
from maxin.cli.output.tables import Format, FormatOption, View, present

if TYPE_CHECKING:
    from maxin.tournament import Tournament


class What(StrEnum):
    """What there is to see."""

    LEADERBOARD = "leaderboard"
    CROSSTABLE = "crosstable"
    CANDIDATES = "candidates"
    COVERAGE = "coverage"
    MATCHES = "matches"
    FAILURES = "failures"


def show(
    what: Annotated[
        What,
        typer.Argument(
            help="leaderboard; crosstable: who scored what against whom; candidates: who may "
            "still be best; coverage: who met whom how often; matches: the latest results; "
            "failures: what went wrong, in its own words."
        ),
    ] = What.LEADERBOARD,
    store: StoreOption = DEFAULT,
    format: FormatOption = Format.TEXT,
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Only so many: the best players, or the latest matches."),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            min=1, help="The size of the top that is looked for.", show_default="what the goal is"
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="With which it must be known.")] = 0.95,
) -> None:
    """Show the leaderboard, or what else is known of a stored tournament."""
    with stored_tournament(store) as tournament:
        present(_view(tournament, what, top, k, confidence), format)


def _view(
    tournament: Tournament, what: What, top: int | None, k: int | None, confidence: float
) -> View:
    from maxin.cli.output.history import Failures, Matches
    from maxin.cli.output.pairs import Coverage, Crosstable

    if what is What.MATCHES:
        return Matches(tournament, top)
    if what is What.FAILURES:
        return Failures(tournament, top)
    if what in (What.LEADERBOARD, What.CANDIDATES):
        return _board(tournament, what, top, k, confidence)
    board = tournament.leaderboard()
    if what is What.CROSSTABLE:
        return Crosstable(tournament, [row.player for row in board], top)
    in_play = [row.player for row in board if row.state != "retired"]
    return Coverage(tournament, in_play, top)


def _board(
    tournament: Tournament, what: What, top: int | None, k: int | None, confidence: float
) -> View:
    from maxin.cli.output.standings import Board, state_lines, state_of, top_of

    board, leaders = tournament.leaderboard(), top_of(tournament, k, confidence)
    candidates = () if leaders is None else leaders.candidates
    rows = [row for row in board if what is What.LEADERBOARD or row.player in candidates]
    notes = state_lines(tournament, leaders, confidence)
    if top is not None and top < len(rows):
        notes.insert(0, f"shown: the first {top} of {len(rows)}")
    return Board(board, rows[:top], state_of(tournament, leaders), notes)
