"""`maxin show`: what is known about a stored tournament."""

from typing import Annotated, Literal, get_args

from maxin.cli.config.declaration import setting
from maxin.cli.config.options import FormatOption
from maxin.cli.config.rules import LEVEL, one_of, whole
from maxin.cli.config.settings import Store
from maxin.cli.config.stores import tournament_to_read
from maxin.cli.output.printing import View, present
from maxin.cli.output.tables.leaderboards import LeaderboardView
from maxin.cli.output.tables.match_tables import FailuresView, MatchesView, PendingView
from maxin.cli.output.tables.pairs import CoverageView, CrosstableView
from maxin.tournament import Tournament
from maxin.views import Overview, TotalCost
from maxin.views.crosstable import Crosstable

MANY = 50  # players; of more, a table for people shows the best

What = Literal[
    "leaderboard", "crosstable", "candidates", "coverage", "matches", "pending", "failures"
]


def show(
    what: Annotated[
        What,
        setting(
            one_of(*get_args(What)),
            "leaderboard; crosstable: the points of every pair; candidates: players who may still "
            "be the best; coverage: how often every pair met; matches: the latest results; "
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
        int | None, setting(whole(1), "Show only the N best players, or the latest N matches.", "N")
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
        is_long = top is None and format == "text" and len(tournament.names) > MANY
        if is_long and what in ("leaderboard", "candidates"):
            top = MANY
        present(_view(tournament, what, top, confidence), format)


def _view(tournament: Tournament, what: What, top: int | None, confidence: float | None) -> View:
    if what == "matches":
        return MatchesView(tournament, top)
    if what == "pending":
        return PendingView(tournament.held(), top)
    if what == "failures":
        return FailuresView(tournament.failures(), top)
    level = tournament.ends().level if confidence is None else confidence
    overview = tournament.overview(confidence=level)
    if what in ("leaderboard", "candidates"):
        return _standings(overview, tournament.cost(), what, top)
    names = [row.player for row in overview.leaderboard]
    if what == "crosstable":
        return CrosstableView(Crosstable.of(tournament.names, tournament.tally(), names), top)
    in_play = [row.player for row in overview.leaderboard if row.state != "retired"]
    return CoverageView(Crosstable.of(tournament.names, tournament.tally(), in_play), top)


def _standings(
    overview: Overview, cost: TotalCost | None, what: What, top: int | None
) -> LeaderboardView:
    candidates = () if overview.top is None else overview.top.candidates
    rows = [
        row for row in overview.leaderboard if what == "leaderboard" or row.player in candidates
    ]
    notes = overview.notes if cost is None else [*overview.notes, str(cost)]
    facts = {**overview.document(), "cost": None if cost is None else cost.document()}
    if top is not None and top < len(rows):
        notes = [
            f"shown: the first {top} of {len(rows)}; --top {len(rows)} shows all, and "
            "--format csv writes them to search",
            *notes,
        ]
    return LeaderboardView(overview.leaderboard, rows[:top], facts=facts, notes=notes)
