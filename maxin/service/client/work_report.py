"""The report of a worker: why it stopped, and what it did."""

from __future__ import annotations

import warnings
from typing import Literal, NamedTuple

from maxin.core import MaxinError
from maxin.core.text import counted
from maxin.runners import MatchFailed

WorkEnd = Literal["over", "aborted", "interrupted"]


class WorkReport(NamedTuple):
    """How the work for a service ended.

    Args:
        reason: "over", the service has no more matches; "aborted", matches keep failing;
            "interrupted".
        message: what the service said, or why matches failed.
        n_played: results that the service has recorded.
        n_failed: matches without a score.
        seconds: how long it took.
        failure: of the last match without a score, if there was one.

    >>> WorkReport("over", "the budget of 40 matches is spent", 12, 0, 3.0).sentence
    'the tournament is over: the budget of 40 matches is spent; played 12 matches here'
    """

    reason: WorkEnd
    message: str
    n_played: int
    n_failed: int
    seconds: float
    failure: MatchFailed | None = None

    @property
    def sentence(self) -> str:
        """How it ended, in one sentence."""
        failed = f", and {self.n_failed:,} failed" if self.n_failed else ""
        played = f"played {counted(self.n_played, 'match')} here{failed}"
        if self.reason == "aborted":
            return f"aborted; {played}: {self.message}"
        beginning = "interrupted"
        if self.reason == "over":
            beginning = f"the tournament is over: {self.message}"
        return f"{beginning}; {played}"


class WorkFailed(MaxinError):
    """A worker stopped because its matches keep failing; the last failure is the `__cause__`.

    Args:
        report: how the work ended.
    """

    def __init__(self, report: WorkReport) -> None:
        super().__init__(report.sentence)
        self.report = report


def checked_work(report: WorkReport, raises: bool) -> WorkReport:
    """The report; if the work was aborted, raise `WorkFailed`, or warn.

    >>> checked_work(WorkReport("over", "decided", 12, 0, 3.0), raises=True).n_played
    12
    """
    if report.reason != "aborted":
        return report
    if raises:
        raise WorkFailed(report) from report.failure
    warnings.warn(report.sentence, RuntimeWarning, stacklevel=3)
    return report
