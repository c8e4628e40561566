"""`maxin show`: what is known about a stored tournament."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal, get_args

from maxin.cli.config.declaration import setting
from maxin.cli.config.options import FormatOption
from maxin.cli.config.rules import LEVEL, one_of, whole
from maxin.cli.config.settings import Store
from maxin.cli.config.stores import tournament_to_read
from maxin.cli.output.printing import View, present
from maxin.cli.output.tables.judge_table import JudgesView
from maxin.cli.output.tables.leaderboards import LeaderboardView
from maxin.cli.output.tables.match_tables import FailuresView, MatchesView, PendingView
from maxin.cli.output.tables.pairs import CoverageView, CrosstableView
from maxin.tournament import Tournament
from maxin.views import Overview, Standing, TotalCost
from maxin.views.crosstable import Crosstable
from maxin.views.leaders import MANY, Leaders

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
            LEVEL,
            "The confidence that a decision needs.",
            "NUMBER",
            shown="that of the last run, or 0.95",
        ),
    ] = None,
) -> None:
    """Show the leaderboard of a tournament, or what else is known."""
    with tournament_to_read(store) as tournament:
        is_brief = top is None and format == "text" and len(tournament.names) > MANY
        present(_view(tournament, what, top, confidence, is_brief=is_brief), format)


def _view(
    tournament: Tournament, what: What, top: int | None, confidence: float | None, *, is_brief: bool
) -> View:
    if what == "matches":
        return MatchesView(tournament, top)
    if what == "pending":
        return PendingView(tournament.held(), top)
    if what == "failures":
        return FailuresView(tournament.failures(), top)
    if what == "judges":
        return JudgesView(tournament.judges(), top)
    stop = tournament.last_stop()
    if confidence is not None:
        stop = replace(stop, confidence=confidence)
    overview = tournament.overview(stop)
    if what == "leaderboard" and is_brief:
        leaders = Leaders.of(overview)
        part = "" if leaders.is_all else leaders.sentence
        return _standings(overview, tournament.cost(), leaders.rows, part)
    if what in ("leaderboard", "candidates"):
        candidates = () if overview.top is None else overview.top.candidates
        rows = [
            row for row in overview.leaderboard if what == "leaderboard" or row.player in candidates
        ]
        shown = rows[: MANY if is_brief else top]
        part = f"the first {len(shown)} of {len(rows):,}" if len(shown) < len(rows) else ""
        return _standings(overview, tournament.cost(), shown, part)
    names = [row.player for row in overview.leaderboard]
    if what == "crosstable":
        return CrosstableView(Crosstable.of(tournament.names, tournament.tally(), names), top)
    in_play = [row.player for row in overview.leaderboard if row.state != "retired"]
    return CoverageView(Crosstable.of(tournament.names, tournament.tally(), in_play), top)


def _standings(
    overview: Overview, cost: TotalCost | None, rows: Sequence[Standing], part: str
) -> LeaderboardView:
    """Some rows of the leaderboard; `part` says which, if they are not all."""
    notes = overview.notes if cost is None else [*overview.notes, str(cost)]
    facts = {**overview.document(), "cost": None if cost is None else cost.document()}
    if part:
        n_players = len(overview.leaderboard)
        notes = [
            f"shown: {part}; --top {n_players} shows all, and --format csv writes them to search",
            *notes,
        ]
    return LeaderboardView(overview.leaderboard, rows, facts=facts, notes=notes)
