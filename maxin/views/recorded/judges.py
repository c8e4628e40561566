"""Judges: what their votes are worth."""

from maxin.core.text import counted
from maxin.ratings.judging.judge_fit import JudgeRow
from maxin.views.columns import Column, DataTable, Format

MOST_SHOWN = 40  # rows of the table in a notebook

VOTES = Format("{:,}".format, "{:,}".format)
BIAS = Format("{:+.2f}".format, "{:+.2f}".format)
RELIABILITY = Format("{:.2f}".format, "{:.2f}".format)


# Every judge's position bias and reliability, with 95 % intervals.
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


JUDGES: tuple[Column[JudgeRow], ...] = (
    Column("judge", "judge", left=True),
    Column("n_votes", "votes", format=VOTES),
    Column("bias", "bias", format=BIAS),
    Column("bias_low"),
    Column("bias_high"),
    Column(title="95 % interval", read=lambda row: f"{row.bias_low:+.2f} to {row.bias_high:+.2f}"),
    Column("reliability", "reliability", format=RELIABILITY),
    Column("reliability_low"),
    Column("reliability_high"),
    Column(
        title="95 % interval",
        read=lambda row: f"{row.reliability_low:.2f} to {row.reliability_high:.2f}",
    ),
)
