"""Judges: what their votes are worth."""

from maxin.core.text import counted
from maxin.ratings.judging.judge_fit import JudgeRow
from maxin.views.columns import RATING, Column, DataTable, Format, signed

MOST_SHOWN = 40  # rows of the table in a notebook

VOTES = Format("{:,}".format, "{:,}".format)
RELIABILITY = Format("{:.2f}".format, "{:.2f}".format)


class Judges(list[JudgeRow]):
    """All judges, the busiest first, as a list that prints as a table."""

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
