"""A plan as a table: how many matches and hours every scheduler would take."""

from __future__ import annotations

import math
from typing import Any

from maxin.core.text import counted, csv_line, markdown, table
from maxin.experiments import Forecast, TournamentPlan
from maxin.views.top import give_or_take

SHARES = {"low": 0.1, "median": 0.5, "high": 0.9}  # shares of the tournaments


class PlanView:
    """What every scheduler would take.

    Args:
        plan: the forecasts.
        seconds: how long a match lasts; None if it is not known.
        workers: how many matches are played at the same time.
    """

    def __init__(self, plan: TournamentPlan, seconds: float | None, workers: int) -> None:
        self.plan, self.seconds, self.workers = plan, seconds, workers

    def document(self) -> Any:
        """Matches and hours are null where too few tournaments were decided."""
        plan = self.plan
        return {
            "n_players": plan.n_players,
            "goal": str(plan.goal),
            "confidence": plan.stop.confidence,
            "tolerance": plan.stop.tolerance,
            "n_tournaments": plan.n_tournaments,
            "max_matches": plan.stop.budget,
            "seconds_per_match": self.seconds,
            "workers": self.workers,
            "schedulers": [self._numbers(forecast) for forecast in plan.forecasts],
        }

    def _numbers(self, forecast: Forecast) -> dict[str, Any]:
        found: dict[str, Any] = {"scheduler": forecast.scheduler}
        for name, share in SHARES.items():
            taken = forecast.n_matches(share)
            found[f"matches_{name}"] = _whole(taken)
        interval = forecast.median_interval() or (math.inf, math.inf)
        found |= zip(("median_from", "median_to"), map(_whole, interval), strict=True)
        for name, share in SHARES.items():
            found[f"hours_{name}"] = self._hours(forecast, share)
        return found | {"right": _finite(forecast.right), "undecided": forecast.undecided}

    def _hours(self, forecast: Forecast, share: float) -> float | None:
        if self.seconds is None:
            return None
        return _finite(forecast.hours(share, seconds=self.seconds, workers=self.workers))

    def csv(self) -> str:
        """One line per scheduler; unknown numbers are empty."""
        rows = [self._numbers(forecast) for forecast in self.plan.forecasts]
        cells = (["" if value is None else str(value) for value in row.values()] for row in rows)
        return "".join(map(csv_line, [list(rows[0]), *cells]))

    def markdown(self) -> str:
        """One row per scheduler."""
        return "".join(markdown(*self._table(), left=[0]))

    def text(self, room: int) -> str:
        """A title, the table, and how to read it."""
        plan, goal = self.plan, self.plan.goal
        top = "the best" if goal.k == 1 else f"the top {goal.k}"
        sought = "the order of all players" if goal.is_ranking else top
        title = (
            f"{plan.n_players} players, {sought}{give_or_take(plan.stop.tolerance)} with "
            f"{plan.stop.confidence:.4g} confidence; "
            f"{plan.n_tournaments} simulated tournaments per scheduler"
        )
        return "\n\n".join([title, table(*self._table(), words=[0], room=room), self._legend()])

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = ["scheduler", "matches", "± 95 %", "10-90 %", "right", "undecided"]
        header += ["hours", "10-90 %"] if self.seconds is not None else []
        return header, [self._cells(forecast) for forecast in self.plan.forecasts]

    def _cells(self, forecast: Forecast) -> list[str]:
        low, median, high = (self._count(forecast.n_matches(share)) for share in SHARES.values())
        right = "" if math.isnan(forecast.right) else f"{forecast.right:.0%}"
        undecided = f"{forecast.undecided:.0%}"
        interval = " to ".join(map(self._count, forecast.median_interval() or ())) or "?"
        cells = [forecast.scheduler, median, interval, f"{low} to {high}", right, undecided]
        if self.seconds is not None:
            hours = [_duration(self._hours(forecast, share)) for share in SHARES.values()]
            cells += [hours[1], f"{hours[0]} to {hours[2]}"]
        return cells

    def _count(self, n_matches: float) -> str:
        return f"{n_matches:,.0f}" if math.isfinite(n_matches) else f">{self.plan.stop.budget:,}"

    def _uncertainty(self) -> str:
        if self.plan.forecasts[0].median_interval() is not None:
            return "± 95 %: the 95 % interval of the matches; more --tournaments make it smaller"
        few = counted(self.plan.n_tournaments, "tournament")
        return f"± 95 %: {few} cannot show how uncertain the matches are; --tournaments 20 can"

    def _legend(self) -> str:
        lines = [
            "matches: half of the tournaments were decided by then; 10 % and 90 % of them by the "
            "numbers under 10-90 %",
            self._uncertainty(),
            "right: the share of the decided tournaments that named the true players",
        ]
        if self.plan.stop.tolerance:
            lines[2] += "; mistakes within the tolerance do not count"
        if any(forecast.undecided for forecast in self.plan.forecasts):
            lines.append(f"undecided: not decided after {self.plan.stop.budget:,} matches")
        if self.seconds is not None:
            lines.append(f"hours: at {self.seconds:g} seconds per match, {self.workers} at a time")
        return "\n".join(lines)


def _whole(n_matches: float) -> int | None:
    return int(n_matches) if math.isfinite(n_matches) else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _duration(hours: float | None) -> str:
    """Hours to read.

    >>> _duration(0.04), _duration(12.34), _duration(None)
    ('0.04', '12', '?')
    """
    return "?" if hours is None else f"{hours:.2g}" if hours < 10.0 else f"{hours:,.0f}"
