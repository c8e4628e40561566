"""Judges: what their votes are worth."""

from maxin.ratings.judging.judge_fit import JudgeRow
from maxin.views.columns import RATING, Column, Format, signed

VOTES = Format("{:,}".format, "{:,}".format)
RELIABILITY = Format("{:.2f}".format, "{:.2f}".format)


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
