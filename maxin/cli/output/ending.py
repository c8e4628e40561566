"""How a run ends: the leaderboard, a sentence, what it saved, and the exit code."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from maxin.cli.config.config import n_cores
from maxin.cli.output.standings import Board, disagreement, verdict
from maxin.cli.output.tables import counted
from maxin.cli.output.watchers import harmless, say, this_command

if TYPE_CHECKING:
    from maxin.cli.config.config import Config
    from maxin.experiments.planning import Plan
    from maxin.tournament import Leaderboard, Report, Tournament

EXIT_CODES = {"decided": 0, "tied": 0, "budget": 0, "finished": 0, "aborted": 1, "interrupted": 130}
INTERRUPTED = EXIT_CODES["interrupted"]
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
        "decided": f"decided: {report.message}; " if report.message else "",
        "tied": f"tied after {matches}: {report.message}",
        "budget": f"the budget is spent after {matches}; ",
        "finished": f"the scheduler has nothing more to ask after {matches}; ",
        "interrupted": f"interrupted after {matches}; ",
    }[report.reason]
    closing = f", after {matches}" if report.reason == "decided" else ""
    if report.reason == "finished" and report.message:
        opening = f"stopped after {matches}, since {report.message} (resume or retire them); "
    if report.reason == "tied":
        return opening
    return opening + verdict(report.top, confidence or 0.95) + closing


def resuming(tournament: Tournament) -> str | None:
    """The command that goes on from here; None if nothing is kept."""
    is_kept = tournament.store.url.database not in (None, "", ":memory:")
    return this_command() if is_kept else None


class Ending:
    """All that there is to say at the end.

    Args:
        tournament: as it stands.
        report: how the run ended.
        config: what was asked for.
        is_compared: whether to say what others would have taken.
    """

    def __init__(
        self, tournament: Tournament, report: Report, config: Config, is_compared: bool
    ) -> None:
        self.report = report
        self._tournament, self._config, self._is_compared = tournament, config, is_compared

    @property
    def words(self) -> str:
        """How it ended, in plain words."""
        return sentence(self.report, self._config.confidence)

    @cached_property
    def board(self) -> Leaderboard:
        """The leaderboard."""
        return self._tournament.leaderboard()

    @cached_property
    def plan(self) -> Plan | None:
        """The tournament again, simulated as if the ratings were the truth, and its rivals.

        Only if it was asked for, and the top is known: else there is nothing to compare.
        """
        from maxin.core.units import ELO_PER_NAT
        from maxin.experiments.planning import plan_again

        confidence = self._config.confidence
        is_decided = self.report.reason == "decided" and not self._tournament.settings.seeks_order
        strengths = [row.rating / ELO_PER_NAT for row in self.board if row.rank is not None]
        k = len(self.report.top.players)
        if not (self._is_compared and is_decided and k < len(strengths)) or confidence is None:
            return None
        advantage = self.board.advantage
        with Console(stderr=True).status("what would a round robin have taken?"):
            return plan_again(
                strengths,
                scheduler=self._tournament.settings.scheduler,
                confidence=confidence,
                k=k,
                first_advantage=0.0 if advantage is None else advantage.rating,
                n_tournaments=N_TOURNAMENTS,
                processes=n_cores(),
            )

    def show_board(self, console: Console) -> None:
        """Print the leaderboard; on a terminal as much as fits."""
        if not self.report.n_matches:
            return
        room = max(FEWEST, console.height - AROUND) if console.is_terminal else len(self.board)
        rest = len(self.board) - room
        notes = [f"… and {rest:,} more: `maxin show` has them"] if rest > 0 else []
        typer.echo(Board(self.board, self.board[:room], {}, notes).text(console.width) + "\n")

    def show_words(self) -> None:
        """Print how it ended, and what it saved."""
        say(self.words, is_error=self.report.reason == "aborted")
        if self.report.n_matches:
            for line in disagreement(self._tournament):
                say(line)
        if self.plan is not None:
            say(saving(self.plan, self.report.n_matches))

    def document(self) -> dict[str, Any]:
        """The last object of a stream: how it ended, and all that is known."""
        report, advantage = self.report, self.board.advantage
        return {
            "event": "end",
            "reason": report.reason,
            "message": report.message,
            "verdict": self.words,
            "exit_code": EXIT_CODES[report.reason],
            "n_matches": report.n_matches,
            "n_new": report.n_new,
            "seconds": round(report.seconds, 3),
            "top": report.top._asdict(),
            "standings": [row._asdict() for row in self.board],
            "advantage": None if advantage is None else advantage._asdict(),
            "resume": resuming(self._tournament) if report.reason == "interrupted" else None,
            "compare": None if self.plan is None else medians(self.plan),
        }


def medians(plan: Plan) -> dict[str, float | None]:
    """By scheduler, the matches that half of the simulated tournaments took; None if more."""
    counts = {forecast.scheduler: forecast.n_matches(0.5) for forecast in plan.forecasts}
    return {name: count if math.isfinite(count) else None for name, count in counts.items()}


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
