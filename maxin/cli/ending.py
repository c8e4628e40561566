"""How a run ends: the leaderboard, a sentence, what it saved, and the exit code."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from maxin.cli.standings import Board, verdict
from maxin.cli.tables import counted
from maxin.cli.watching import harmless

if TYPE_CHECKING:
    from maxin.tournament import Leaderboard, Report, Tournament
    from maxin.tournament.plan import Plan

EXIT_CODES = {"decided": 0, "budget": 0, "finished": 0, "aborted": 1, "interrupted": 130}
AROUND = 6  # lines of a terminal that the last table leaves
N_TOURNAMENTS = 15  # simulated for a comparison, of each scheduler
FEWEST = 10  # players that it shows, however low the terminal


def sentence(report: Report, confidence: float | None) -> str:
    """How it ended, in plain words.

    >>> from maxin.tournament import Report, Top
    >>> top = Top(("anna",), 0.6, ("anna", "bo"), False)
    >>> sentence(Report("budget", "", 50, 50, 3.2, top), 0.95)
    'the budget is spent after 50 matches; undecided: anna leads with 60.0% confidence; ...'
    """
    matches = counted(report.n_matches, "match")
    if report.reason == "aborted":
        return f"aborted after {matches}: {harmless(report.message)}"
    if not report.n_matches:
        return f"{report.reason} before any match was told"
    opening = {
        "decided": "",
        "budget": f"the budget is spent after {matches}; ",
        "finished": f"the scheduler has nothing more to ask after {matches}; ",
        "interrupted": f"interrupted after {matches}; ",
    }[report.reason]
    closing = f", after {matches}" if report.reason == "decided" else ""
    if report.reason == "decided" and not report.top.is_decided:
        closing += "; the last matches, out when it was decided, say otherwise: run it again"
    return opening + verdict(report.top, confidence or 0.95) + closing


def show_board(board: Leaderboard, console: Console) -> None:
    """The leaderboard; on a terminal as much as fits."""
    room = max(FEWEST, console.height - AROUND) if console.is_terminal else len(board)
    rest = len(board) - room
    notes = [f"… and {rest:,} more: `maxin show` has them"] if rest > 0 else []
    typer.echo(f"{Board(board, board[:room], {}, notes).text(console.width)}\n")


def as_json(
    report: Report, board: Leaderboard, words: str, resume: str | None, plan: Plan | None
) -> dict[str, Any]:
    """The last object of a stream: how it ended, and all that is known."""
    advantage = board.advantage
    return {
        "event": "end",
        "reason": report.reason,
        "message": report.message,
        "verdict": words,
        "exit_code": EXIT_CODES[report.reason],
        "n_matches": report.n_matches,
        "n_new": report.n_new,
        "seconds": round(report.seconds, 3),
        "top": report.top._asdict(),
        "standings": [row._asdict() for row in board],
        "advantage": None if advantage is None else advantage._asdict(),
        "resume": resume,
        "compare": None if plan is None else medians(plan),
    }


def medians(plan: Plan) -> dict[str, float | None]:
    """By scheduler, the matches that half of the simulated tournaments took; None if more."""
    counts = {forecast.scheduler: forecast.n_matches(0.5) for forecast in plan.forecasts}
    return {name: count if math.isfinite(count) else None for name, count in counts.items()}


def compared(tournament: Tournament, board: Leaderboard, confidence: float, k: int) -> Plan:
    """The tournament again, simulated as if the ratings were the truth, and its rivals beside."""
    from maxin.cli.config import n_cores
    from maxin.tournament.leaderboard import ELO
    from maxin.tournament.plan import plan_again

    return plan_again(
        [row.rating / ELO for row in board if row.rank is not None],
        scheduler=tournament.settings.scheduler,
        confidence=confidence,
        k=k,
        first_advantage=board.advantage.rating if board.advantage else 0.0,
        n_tournaments=N_TOURNAMENTS,
        processes=n_cores(),
    )


def saving(plan: Plan, n_matches: int) -> str:
    """What the others would have taken, in a sentence."""
    own, *rivals = counts = medians(plan)
    words = [
        f"{_name(rival)} would take {_as_many(counts[rival], n_matches, plan)}" for rival in rivals
    ]
    return (
        f"This took {counted(n_matches, 'match')}. For the same certainty {' and '.join(words)}: "
        f"medians of {plan.n_tournaments} simulated tournaments each, taking the ratings above as "
        f"the truth; {own} took {_about(counts[own], plan)} in them."
    )


def _name(scheduler: str) -> str:
    kind = scheduler.partition(":")[0]
    return {"round-robin": "a round robin", "random": "random matches"}.get(kind, kind)


def _as_many(count: float | None, n_matches: int, plan: Plan) -> str:
    times = "" if count is None else f" ({count / n_matches:.1f} times as many)"
    return _about(count, plan) + times


def _about(count: float | None, plan: Plan) -> str:
    return f"more than {plan.max_matches:,}" if count is None else f"about {count:,.0f}"
