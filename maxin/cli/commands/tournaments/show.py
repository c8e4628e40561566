"""`maxin show`: what is known about a stored tournament."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

from maxin.cli.config.flags import setting, switch
from maxin.cli.config.settings import ByOption, ControlsOption, FormatOption, IgnoreJudges, Store
from maxin.cli.config.stores import tournament_to_read
from maxin.cli.output.printing import View, present
from maxin.cli.output.tables.leaderboards import leaderboard_table
from maxin.cli.output.tables.lists import MatchList, failure_list, judge_list, pending_list
from maxin.cli.output.tables.one_match import MatchView
from maxin.cli.output.tables.pairs import CoverageView, CrosstableView
from maxin.cli.output.tables.slices import SlicesView
from maxin.core import InvalidInput
from maxin.core.declaration import CONFIDENCE, one_of, whole
from maxin.core.text import listed
from maxin.tournament import Tournament
from maxin.views import Leaderboard, Overview, Standing
from maxin.views.crosstable import Crosstable
from maxin.views.fits import METHODS, POSTERIOR
from maxin.views.overview import Leaders
from maxin.views.standings import FOLD

OF_RATINGS = ("--control", "--ignore-judges")  # flags of all views of ratings
OF_THEIR_OWN = {  # flags of views that take no others but these
    "--by": ("--ignore-judges",),
    "--best-by": (),
}
What = Literal[
    "leaderboard",
    "crosstable",
    "candidates",
    "coverage",
    "judges",
    "matches",
    "match",
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
            "match: all about the match of a NUMBER; "
            "pending: matches without a result, who has them, and for how long; "
            "failures: the latest failures and their output, and the games that were forfeited.",
            "WHAT",
            shown="leaderboard",
        ),
    ] = "leaderboard",
    number: Annotated[
        int | None, setting(whole(1), "The number of the match that `match` shows.", "NUMBER")
    ] = None,
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
    control: ControlsOption = (),
    ignore_judges: IgnoreJudges = False,
    by: ByOption = None,
    best_by: Annotated[
        bool,
        switch(
            "Show who is best by each meaning of the word: by rating, the weights of Nash and "
            "alpha-rank, and whether strength is cyclic."
        ),
    ] = False,
) -> None:
    """Show the leaderboard of a tournament, or another view of it."""
    flags = {
        "--by": by is not None,
        "--best-by": best_by,
        "--ratings": ratings != POSTERIOR,
        "--control": bool(control),
        "--ignore-judges": ignore_judges,
    }
    _check(what, number, [flag for flag, is_given in flags.items() if is_given])
    how = {"controls": control, "ignore_judges": ignore_judges}
    with tournament_to_read(store) as tournament:
        if number is not None:
            return present(MatchView(tournament.match(number)), format)
        if by is not None:
            slices = tournament.slices(by, ignore_judges=ignore_judges)
            return present(SlicesView(slices, top), format)
        if best_by:
            return present(tournament.best_by().table(top), format)
        is_brief = top is None and format == "text" and len(tournament.names) > FOLD
        present(_view(tournament, what, top, confidence, ratings, how, is_brief=is_brief), format)


def _check(what: What, number: int | None, flags: Sequence[str]) -> None:
    """Raise unless the view takes these flags, and each of them the others."""
    if number is None and what == "match":
        raise InvalidInput("`maxin show match` needs the number of a match, `maxin show match 17`")
    if number is not None and what != "match":
        raise InvalidInput(f"a number is for `maxin show match`, not for {what}; got {number}")
    for flag in flags:
        views = ["leaderboard", "candidates"] if flag in OF_RATINGS else ["leaderboard"]
        if what not in views:
            raise InvalidInput(f"{flag} is for {listed(views)}, not for {what}")
        allowed = OF_THEIR_OWN.get(flag, flags)
        for other in flags:
            if other != flag and other not in allowed:
                raise InvalidInput(f"{flag} and {other} cannot be given together")


def _view(
    tournament: Tournament,
    what: What,
    top: int | None,
    confidence: float | None,
    ratings: str,
    how: Mapping[str, Any],
    *,
    is_brief: bool,
) -> View:
    if what == "matches":
        return MatchList(tournament, top)
    if what == "pending":
        return pending_list(tournament.pending(), top)
    if what == "failures":
        return failure_list(tournament.failures(), tournament.game_ends(), top)
    if what == "judges":
        return judge_list(tournament.judges(), top)
    overview = tournament.overview(tournament.last_stop().at(confidence), **how)
    board = overview.leaderboard
    if ratings != POSTERIOR:
        board = tournament.leaderboard(ratings=ratings, **how)
    elif what == "leaderboard" and is_brief:
        leaders = Leaders.of(overview, FOLD)
        part = "" if leaders.is_all else leaders.sentence
        return _standings(tournament, overview, board, leaders.rows, part)
    if what in ("leaderboard", "candidates"):
        candidates = () if overview.top is None else overview.top.candidates
        rows = [row for row in board if what == "leaderboard" or row.player in candidates]
        shown = rows[: FOLD if is_brief else top]
        part = f"the first {len(shown)} of {len(rows):,}" if len(shown) < len(rows) else ""
        return _standings(tournament, overview, board, shown, part)
    names = [row.player for row in overview.leaderboard]
    if what == "crosstable":
        return CrosstableView(Crosstable.of(tournament.names, tournament.tally(), names), top)
    in_play = [row.player for row in overview.leaderboard if row.state != "retired"]
    return CoverageView(Crosstable.of(tournament.names, tournament.tally(), in_play), top)


def _standings(
    tournament: Tournament,
    overview: Overview,
    board: Leaderboard,
    rows: Sequence[Standing],
    part: str,
) -> View:
    """Some rows of the leaderboard; `part` says which, if they are not all."""
    cost, ends = tournament.cost(), tournament.game_ends()
    notes = overview.notes if cost is None else [*overview.notes, str(cost)]
    notes = notes if ends is None else [*notes, *ends.notes]
    if board.rated_by != POSTERIOR:
        notes = [f"rated by {board.rated_by}; the verdict is the posterior's", *notes]
    parts = {"cost": cost, "games": ends}
    documents = {key: None if one is None else one.document() for key, one in parts.items()}
    facts = {**overview.document(), **documents}
    if part:
        notes = [
            f"shown: {part}; --top {len(board)} shows all, and --format csv writes them to search",
            *notes,
        ]
    return leaderboard_table(board, rows, facts=facts, notes=notes)
