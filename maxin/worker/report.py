"""The report of a run: why it ended, what was played, and what is known."""

from __future__ import annotations

import html
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maxin.core import InvalidInput, MaxinError
from maxin.core.text import counted, listed
from maxin.runners import MatchFailed
from maxin.worker.source import Reason

if TYPE_CHECKING:  # a worker of a service needs no views
    from maxin.views import Leaderboard, Overview, Top, TotalCost


@dataclass(frozen=True, repr=False)
class Report:
    """How a run ended.

    Args:
        reason: "decided", the goal is reached with the confidence asked for; "budget", the budget
            is spent; "finished", there is nothing more to play; "aborted", matches keep failing;
            "interrupted".
        message: more about the reason, if there is more to say.
        n_new: results of this run.
        n_failed: how often a match of this run gave no score; a service may hand it out again.
        seconds: how long it took.
        failure: of the last match without a score, if there was one.
        paused: the players who are paused because their matches kept failing: in a run for a
            service those whom it paused, in others also those of earlier runs.
        n_matches: results of the whole tournament.
        known: what is known at the end; None after a run for a service.
        cost: what all matches cost, if they report it.
        is_limited: whether a run for a service ended by its own budget: others continue.
        kept: the results that were refused, because they are of another history of the record, and
            where they are kept.

    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo"], seed=1)
    >>> print(tournament.run(lambda first, second, seed: float(first < second)).sentence)
    decided: anna is the best, give or take 10 Elo: 99.0 % sure, and expected to miss it by 0.97 Elo
    beyond those 10, after 6 matches
    """

    reason: Reason
    message: str
    n_new: int
    n_failed: int
    seconds: float
    failure: MatchFailed | None = None
    paused: tuple[str, ...] = ()
    n_matches: int = 0
    known: Overview | None = None
    cost: TotalCost | None = None
    is_limited: bool = False
    kept: tuple[str, ...] = ()

    @property
    def overview(self) -> Overview:
        """What is known at the end; after a run for a service, ask its `Client` instead."""
        if self.known is None:
            raise InvalidInput(
                "a run for a service has no standings; `Client.leaderboard` and `Client.top` do"
            )
        return self.known

    @property
    def top(self) -> Top:
        """The leaders."""
        top = self.overview.top
        assert top is not None  # a run needs players
        return top

    @property
    def leaderboard(self) -> Leaderboard:
        """The standings."""
        return self.overview.leaderboard

    @property
    def sentence(self) -> str:
        """How the run ended and what is known, in one sentence."""
        return "; ".join(self.lines)

    @property
    def lines(self) -> list[str]:
        """The same as a headline and, unless it is decided, a line of details below it."""
        if self.known is None:
            return [self._work, *self.kept]
        if self.reason == "aborted":
            return [
                f"aborted after {counted(self.n_matches, 'match')}: {self.message}",
                *self.kept,
            ]
        *first, last = self._end
        paused = listed(self.paused)
        rest = f"; paused, because matches kept failing: {paused}" if paused else ""
        return [*first, last + rest, *self.kept]

    @property
    def _work(self) -> str:
        """How a run for a service ended: what is known there is not known here."""
        failed = f", and {counted(self.n_failed, 'attempt')} failed" if self.n_failed else ""
        played = f"played {counted(self.n_new, 'match')} here{failed}"
        if self.reason == "aborted":
            return f"aborted; {played}: {self.message}"
        if self.reason == "interrupted":
            return f"interrupted; {played}"
        over = "" if self.is_limited else "the tournament is over: "
        return f"{over}{self.message}; {played}"

    @property
    def _end(self) -> list[str]:
        matches = counted(self.n_matches, "match")
        spent = f"; {self.message}" if self.reason == "budget" and self.message else ""
        is_stuck = self.reason == "finished" and self.message
        stuck = f": {self.message} (resume or retire them)" if is_stuck else ""
        if not self.n_matches:
            return [f"{self.reason} before any match was played{spent}{stuck}"]
        if self.reason == "decided":
            return [f"{self.overview.verdict}, after {matches}"]
        beginning = {
            "budget": f"the budget is spent after {matches}",
            "finished": f"the scheduler has nothing more to ask after {matches}",
            "interrupted": f"interrupted after {matches}",
        }[self.reason]
        if stuck:
            beginning = f"stopped after {matches}{stuck}"
        *parts, last = self.overview.lines
        headline, *details = [*parts, f"{last}{spent}"]
        return [f"{beginning}; {headline}", *details]

    def __repr__(self) -> str:
        return f"<Report: {self.sentence.partition(chr(10))[0]}>"

    def __str__(self) -> str:
        if self.known is None:
            return self.sentence
        from maxin.views.overview import Leaders  # a worker of a service needs none
        from maxin.views.standings import FOLD

        leaders = Leaders.of(self.known, FOLD)
        part = [] if leaders.is_all else [f"shown: {leaders.sentence}"]
        board = self.leaderboard.with_rows(leaders.rows).part_text
        lines = [board, *part, "", *self.lines, *self.overview.caveats]
        return "\n".join(lines if self.cost is None else [*lines, str(self.cost)])

    def _repr_html_(self) -> str:
        cost = "" if self.cost is None else f"<p>{self.cost}</p>"
        board = "" if self.known is None else self.leaderboard.part_html()
        caveats = [] if self.known is None else self.known.caveats
        headline, *details = map(html.escape, [*self.lines, *caveats])
        small = "".join(f"<p><small>{line}</small></p>" for line in details)
        return f"<p>{headline}</p>{small}{cost}{board}"


class MatchesFailed(MaxinError):
    """A run was given up because its matches keep failing.

    The failure that ended it is the `__cause__`, with its traceback; where a program or another
    process failed, the message has the end of its output. What was played is stored, and the
    `report` says what is known.

    Args:
        report: how the run ended.
    """

    def __init__(self, report: Report) -> None:
        sentence, failure = report.sentence, report.failure
        if failure is not None and failure.__cause__ is not None:
            sentence = sentence.partition("\n")[0]  # Python prints the traceback of the cause
        super().__init__(sentence)
        self.report = report


def checked(report: Report, *, raises: bool) -> Report:
    """The report; if the run was aborted, raise `MatchesFailed`, or warn."""
    if report.reason != "aborted":
        return report
    if raises:
        raise MatchesFailed(report) from report.failure
    warnings.warn(report.sentence, RuntimeWarning, stacklevel=3)
    return report
