"""The judges: what their votes are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maxin.core.text import counted, csv_line, markdown, table
from maxin.ratings.judging.judge_fit import JudgeRow

MOST_SHOWN = 50  # judges shown to a reader who asks for no number


class JudgesView:
    """Each judge's position bias and reliability, with 95 % intervals.

    Args:
        judges: all of them, the busiest first.
        top: how many to show; None for all, or for what a reader has patience for.
    """

    HEADER = ("judge", "votes", "bias", "95 % interval", "reliability", "95 % interval")

    def __init__(self, judges: Sequence[JudgeRow], top: int | None) -> None:
        self.n_judges, self.top = len(judges), top
        self.judges = judges if top is None else judges[:top]

    def document(self) -> Any:
        """An object per judge."""
        return {"n_judges": self.n_judges, "judges": [row._asdict() for row in self.judges]}

    def csv(self) -> str:
        """One line per judge."""
        rows = ([row.judge, *map(str, row[1:])] for row in self.judges)
        return "".join(map(csv_line, [JudgeRow._fields, *rows]))

    def markdown(self) -> str:
        """One row per judge."""
        return "".join(markdown(self.HEADER, map(_cells, self.judges), left=[0]))

    def text(self, room: int) -> str:
        """The table, and what its columns mean."""
        if not self.judges:
            return "no result has a judge; `maxin tell --judge NAME` names one"
        some = self.judges[: self.top or MOST_SHOWN]
        drawn = table(self.HEADER, list(map(_cells, some)), words=[0], room=room)
        first = f"the first {len(some)} of " if len(some) < self.n_judges else ""
        return (
            f"{drawn}\n\n{first}{counted(self.n_judges, 'judge')}\n"
            "bias: what being shown first is worth to the judge, in nats\n"
            "reliability: 1 sees differences as the others do, 0 flips coins, below 0 is inverted"
        )


def _cells(row: JudgeRow) -> list[str]:
    return [
        row.judge,
        f"{row.n_votes:,}",
        f"{row.bias:+.2f}",
        f"{row.bias_low:+.2f} to {row.bias_high:+.2f}",
        f"{row.reliability:.2f}",
        f"{row.reliability_low:.2f} to {row.reliability_high:.2f}",
    ]
