"""The end of a run: the leaderboard, a sentence, what it saved, and the exit code."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rich.console import Console

from maxin.cli.config.flags import n_cores, this_command
from maxin.cli.config.players import players_command
from maxin.cli.output.tables.leaderboards import leaderboard_table
from maxin.cli.output.watchers import harmless, print_sentence
from maxin.core import Stop
from maxin.core.text import counted
from maxin.core.units import ELO_PER_NAT
from maxin.tournament import Tournament
from maxin.views.overview import Leaders
from maxin.views.recorded.games import GameEnds
from maxin.views.standings import FOLD
from maxin.worker import Report

if TYPE_CHECKING:
    from maxin.simulation import TournamentPlan

EXIT_CODES = {"decided": 0, "budget": 0, "finished": 0, "aborted": 1, "interrupted": 130}
INTERRUPTED = EXIT_CODES["interrupted"]
AROUND = 6  # lines of a terminal that the last table leaves free
N_TOURNAMENTS = 15  # simulated per scheduler for a comparison
FEWEST = 10  # players that the last table shows, however low the terminal


def to_resume(tournament: Tournament, paused: Sequence[str]) -> str:
    """How to let players play again who are paused because their matches kept failing."""
    resume = players_command("resume", tournament.store, *paused)
    failures = shlex.join(["maxin", "show", "failures", "--store", str(tournament.store)])
    return f"`{failures}` has the reasons; to let them play again: {resume}"


class RunSummary:
    """The end of a run.

    Args:
        tournament: as it is now.
        report: how the run ended.
        stop: when it was to end.
        is_compared: whether to simulate what other schedulers would have needed.
    """

    def __init__(
        self, tournament: Tournament, report: Report, stop: Stop, is_compared: bool
    ) -> None:
        self.report = report
        self._tournament, self._stop = tournament, stop
        self._is_compared = is_compared

    @cached_property
    def plan(self) -> TournamentPlan | None:
        """The tournament and its rivals, simulated as if the ratings were the truth.

        Only if it was asked for, and if the top is decided: else there is nothing to compare.
        """
        board, goal = self.report.leaderboard, self._tournament.goal
        strengths = [row.rating / ELO_PER_NAT for row in board if row.rank is not None]
        is_decided = self.report.reason == "decided" and not goal.is_ranking
        has_rest = len(self.report.top.players) < len(strengths)
        if not (self._is_compared and is_decided and has_rest) or self._stop.confidence is None:
            return None
        from maxin.simulation import plan_again  # a run without --compare need not wait for it

        with Console(stderr=True).status("simulating a round robin"):
            return plan_again(
                strengths,
                goal=str(goal),
                scheduler=self._tournament.settings.scheduler,
                confidence=self._stop.confidence,
                tolerance=self._stop.tolerance,
                first_advantage=0.0 if board.advantage is None else board.advantage.rating,
                n_tournaments=N_TOURNAMENTS,
                processes=n_cores(),
            )

    @cached_property
    def ends(self) -> GameEnds | None:
        """How games of chess ended."""
        return self._tournament.game_ends()

    def print_leaderboard(self, console: Console) -> None:
        """Print the leaderboard: the leaders of a large field, and on a terminal what fits."""
        if not self.report.n_matches:
            return
        board, leaders = self.report.leaderboard, Leaders.of(self.report.overview, FOLD)
        room = max(FEWEST, console.height - AROUND) if console.is_terminal else len(board)
        rows, notes = board[:room], []
        if len(leaders.rows) <= room and not leaders.is_all:
            rows = leaders.rows
            notes = [f"shown: {leaders.sentence}; `maxin show --top {len(board)}` lists all"]
        elif room < len(board):
            notes = [f"… and {len(board) - room:,} more; `maxin show` lists them"]
        print(leaderboard_table(board, rows, notes=notes).text(console.width) + "\n")

    def print_sentences(self) -> None:
        """Print how the run ended, and what it saved."""
        headline, *details = self.report.lines
        print_sentence(harmless(headline), is_error=self.report.reason == "aborted")
        for line in details:
            print_sentence(harmless(line), style="dim")
        if self.report.n_matches:
            for line in self.report.overview.caveats:
                print_sentence(line)
            for line in [] if self.ends is None else self.ends.notes:
                print_sentence(harmless(line))
        if self.report.paused:
            print_sentence(to_resume(self._tournament, self.report.paused), is_error=True)
        if self.report.cost is not None:
            print_sentence(str(self.report.cost))
        if self.plan is not None:
            print_sentence(saving(self.plan, self.report.n_matches))

    def document(self) -> dict[str, Any]:
        """The last object of a stream: how the run ended, and what is known."""
        report = self.report
        return {
            "event": "end",
            "reason": report.reason,
            "message": report.message,
            "verdict": harmless(report.sentence),
            "exit_code": EXIT_CODES[report.reason],
            "n_matches": report.n_matches,
            "n_new": report.n_new,
            "seconds": round(report.seconds, 3),
            "top": report.top._asdict(),
            "paused": list(report.paused),
            "cost": None if report.cost is None else report.cost.document(),
            **report.leaderboard.document(),
            "duel": None if report.overview.duel is None else report.overview.duel.document(),
            "games": None if self.ends is None else self.ends.document(),
            "resume": this_command() if report.reason == "interrupted" else None,
            "compare": None if self.plan is None else medians(self.plan),
        }


def medians(plan: TournamentPlan) -> dict[str, float | None]:
    """The matches that half of the simulated tournaments needed, by scheduler; None if more."""
    counts = {forecast.scheduler: forecast.n_matches(0.5) for forecast in plan.forecasts}
    return {name: count if math.isfinite(count) else None for name, count in counts.items()}


def saving(plan: TournamentPlan, n_matches: int) -> str:
    """How many matches the other schedulers would have needed."""
    own, *rivals = counts = medians(plan)
    others = [
        f"{_name(rival)} would need {_as_many(counts[rival], n_matches, plan)}" for rival in rivals
    ]
    return (
        f"This took {counted(n_matches, 'match')}. For the same confidence {' and '.join(others)}: "
        f"medians of {plan.n_tournaments} simulated tournaments each, with the ratings above as "
        f"the truth; {own} needed {_about(counts[own], plan)} in them."
    )


def _name(scheduler: str) -> str:
    kind = scheduler.partition(":")[0]
    return {"round-robin": "a round robin", "random": "random matches"}.get(kind, kind)


def _as_many(count: float | None, n_matches: int, plan: TournamentPlan) -> str:
    times = "" if count is None else f" ({count / n_matches:.1f} times as many)"
    return _about(count, plan) + times


def _about(count: float | None, plan: TournamentPlan) -> str:
    return f"more than {plan.stop.budget:,}" if count is None else f"about {count:,.0f}"
