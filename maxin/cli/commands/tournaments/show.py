"""`maxin show`: what is known about a stored tournament."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal, get_args

from maxin.cli.config.flags import setting
from maxin.cli.config.settings import FormatOption, Store
from maxin.cli.config.stores import tournament_to_read
from maxin.cli.output.printing import View, present
from maxin.cli.output.tables.leaderboards import leaderboard_table
from maxin.cli.output.tables.lists import MatchList, failure_list, judge_list, pending_list
from maxin.cli.output.tables.pairs import CoverageView, CrosstableView
from maxin.core import InvalidInput
from maxin.core.declaration import CONFIDENCE, one_of, whole
from maxin.tournament import Tournament
from maxin.views import Leaderboard, Overview, Standing, TotalCost
from maxin.views.crosstable import Crosstable
from maxin.views.fits import METHODS, POSTERIOR
from maxin.views.leaders import Leaders
from maxin.views.standings import FOLD

What = Literal[
    "leaderboard",
    "crosstable",
    "candidates",
    "coverage",
    "judges",
    "matches",
    "pending",
    "failures",
]


def show(
    what: Annotated[
        What,
        setting(
            one_of(*get_args(What)),
            "leaderboard; crosstable: the points of every pair; candidates: players who may still "
            "be the best; coverage: how often every pair met; judges: the position bias and the "
            "reliability of every judge; matches: the latest results; "
            "pending: matches without a result, who has them, and for how long; "
            "failures: the latest failures and their output.",
            "WHAT",
            shown="leaderboard",
        ),
    ] = "leaderboard",
    /,
    *,
    store: Store = None,
    format: FormatOption = "text",
    top: Annotated[
        int | None,
        setting(
            whole(1),
            "Show only the N best players, the N busiest judges, or the latest N matches.",
            "N",
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        setting(
            CONFIDENCE,
            "The confidence that a decision needs.",
            "NUMBER",
            shown="that of the last run, or 0.95",
        ),
    ] = None,
    ratings: Annotated[
        str,
        setting(
            one_of(POSTERIOR, *METHODS),
            f"Rate the leaderboard by {' or '.join([POSTERIOR, *METHODS])}; the verdict is always "
            "the posterior's.",
            "METHOD",
            shown=POSTERIOR,
        ),
    ] = POSTERIOR,
) -> None:
    """Show the leaderboard of a tournament, or another view of it."""
    if ratings != POSTERIOR and what != "leaderboard":
        raise InvalidInput(f"--ratings is for the leaderboard, not for {what}")
    with tournament_to_read(store) as tournament:
        is_brief = top is None and format == "text" and len(tournament.names) > FOLD
        present(_view(tournament, what, top, confidence, ratings, is_brief=is_brief), format)


def _view(
    tournament: Tournament,
    what: What,
    top: int | None,
    confidence: float | None,
    ratings: str,
    *,
    is_brief: bool,
) -> View:
    if what == "matches":
        return MatchList(tournament, top)
    if what == "pending":
        return pending_list(tournament.pending(), top)
    if what == "failures":
        return failure_list(tournament.failures(), top)
    if what == "judges":
        return judge_list(tournament.judges(), top)
    stop = tournament.last_stop()
    if confidence is not None:
        stop = replace(stop, confidence=confidence)
    overview = tournament.overview(stop)
    board, cost = overview.leaderboard, tournament.cost()
    if ratings != POSTERIOR:
        board = tournament.leaderboard(ratings=ratings)
    elif what == "leaderboard" and is_brief:
        leaders = Leaders.of(overview, FOLD)
        part = "" if leaders.is_all else leaders.sentence
        return _standings(overview, board, cost, leaders.rows, part)
    if what in ("leaderboard", "candidates"):
        candidates = () if overview.top is None else overview.top.candidates
        rows = [row for row in board if what == "leaderboard" or row.player in candidates]
        shown = rows[: FOLD if is_brief else top]
        part = f"the first {len(shown)} of {len(rows):,}" if len(shown) < len(rows) else ""
        return _standings(overview, board, cost, shown, part)
    names = [row.player for row in overview.leaderboard]
    if what == "crosstable":
        return CrosstableView(Crosstable.of(tournament.names, tournament.tally(), names), top)
    in_play = [row.player for row in overview.leaderboard if row.state != "retired"]
    return CoverageView(Crosstable.of(tournament.names, tournament.tally(), in_play), top)


def _standings(
    overview: Overview,
    board: Leaderboard,
    cost: TotalCost | None,
    rows: Sequence[Standing],
    part: str,
) -> View:
    """Some rows of the leaderboard; `part` says which, if they are not all."""
    notes = overview.notes if cost is None else [*overview.notes, str(cost)]
    if board.rated_by != POSTERIOR:
        notes = [f"rated by {board.rated_by}; the verdict is the posterior's", *notes]
    facts = {**overview.document(), "cost": None if cost is None else cost.document()}
    if part:
        notes = [
            f"shown: {part}; --top {len(board)} shows all, and --format csv writes them to search",
            *notes,
        ]
    return leaderboard_table(board, rows, facts=facts, notes=notes)
