"""Judges: what their votes are worth, and how they enter the ratings."""

from __future__ import annotations

from typing import NamedTuple

from maxin.core.text import counted
from maxin.ratings.base import MOST_EXACT
from maxin.ratings.judging.judge_fit import JudgeFit, JudgeRow
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.tally import Tally
from maxin.views.columns import RATING, Column, DataTable, Format, signed

MOST_SHOWN = 40  # rows of the table in a notebook

VOTES = Format("{:,}".format, "{:,}".format)
RELIABILITY = Format("{:.2f}".format, "{:.2f}".format)


class Judges(list[JudgeRow]):
    """All judges, the busiest first, as a list that prints as a table."""

    @classmethod
    def of(cls, fit: JudgeFit | None) -> Judges:
        """Those of a fit, if it has any."""
        return cls([] if fit is None else fit.rows())

    def __repr__(self) -> str:
        return f"<Judges: {counted(len(self), 'judge')}>"

    def __str__(self) -> str:
        return self.table.text()

    def _repr_html_(self) -> str:
        return self.table.html(MOST_SHOWN) if self else f"<p>{self}</p>"

    @property
    def table(self) -> DataTable[JudgeRow]:
        """The judges in every format."""
        return DataTable(JUDGES, self, "judges", empty="no result has a judge")


def _bias_interval(row: JudgeRow) -> str:
    return f"{signed(row.bias_low)} to {signed(row.bias_high)}"


# Every judge's position bias in Elo points, and its reliability, with 95 % intervals.
JUDGES: tuple[Column[JudgeRow], ...] = (
    Column("judge", "judge", left=True),
    Column("n_votes", "votes", format=VOTES),
    Column("bias", "bias", format=RATING),
    Column("bias_low"),
    Column("bias_high"),
    Column(title="95 % interval", read=_bias_interval),
    Column("reliability", "reliability", format=RELIABILITY),
    Column("reliability_low"),
    Column("reliability_high"),
    Column(
        title="95 % interval",
        read=lambda row: f"{row.reliability_low:.2f} to {row.reliability_high:.2f}",
    ),
    Column("counts", "counted", kind=str, left=True),
)


class Judging(NamedTuple):
    """How judges enter the ratings.

    Args:
        n_judges: how many there are.
        n_reversed: of how many the votes count the other way round.
        n_ignored: of how many they do not count.
        is_fitted: whether their biases and reliabilities are fitted.
        why: the reason if they are not.

    >>> print(Judging(50, 12))
    50 judges fitted, 12 of them counted reversed; with --ignore-judges all votes count alike
    """

    n_judges: int
    n_reversed: int = 0
    n_ignored: int = 0
    is_fitted: bool = True
    why: str = ""

    @classmethod
    def of(
        cls, tally: Tally, fit: JudgeFit | None, rated_by: str, *, are_ignored: bool
    ) -> Judging | None:
        """Those of a tally with their fit; None if no result has a judge."""
        if not isinstance(tally, JudgedTally) or not tally.judged:
            return None
        n_judges = len(tally.judged)
        if fit is not None:
            return cls(n_judges, fit.n_reversed, fit.n_ignored)
        why = f"not fitted by {rated_by}"
        if are_ignored:
            why = "ignored, as asked"
        elif tally.n_players > MOST_EXACT:
            why = f"not fitted with more than {MOST_EXACT:,} players"
        return cls(n_judges, is_fitted=False, why=why)

    def __str__(self) -> str:
        judges = counted(self.n_judges, "judge")
        if not self.is_fitted:
            return f"{judges} {self.why}: all votes count alike"
        parts = [f"{self.n_reversed or 'none'} of them counted reversed"]
        parts += [f"{self.n_ignored} not at all"] if self.n_ignored else []
        return f"{judges} fitted, {', '.join(parts)}; with --ignore-judges all votes count alike"
