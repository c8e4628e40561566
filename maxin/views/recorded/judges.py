"""Judges: what their votes are worth."""

from maxin.ratings.judging.judge_fit import JudgeRow
from maxin.views.columns import Column, Format

VOTES = Format("{:,}".format, "{:,}".format)
BIAS = Format("{:+.2f}".format, "{:+.2f}".format)
RELIABILITY = Format("{:.2f}".format, "{:.2f}".format)

# Every judge's position bias and reliability, with 95 % intervals.
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
