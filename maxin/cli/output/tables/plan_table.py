"""A plan as a table: how many matches and hours every scheduler would take."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from maxin.core.text import counted
from maxin.simulation import Forecast, TournamentPlan
from maxin.views.columns import SPARE, Column, DataTable, Format
from maxin.views.formats import exact, share
from maxin.views.top import give_or_take

SHARES = {"low": 0.1, "median": 0.5, "high": 0.9}  # shares of the tournaments


def plan_table(plan: TournamentPlan, seconds: float | None, workers: int) -> DataTable[Forecast]:
    """The matches and hours that every scheduler would take.

    In JSON, a number is null where too few tournaments were decided.

    Args:
        plan: the forecasts.
        seconds: how long a match lasts; None if it is not known.
        workers: how many matches are played at the same time.
    """
    facts = {
        "n_players": plan.n_players,
        "goal": str(plan.goal),
        "confidence": plan.stop.confidence,
        "tolerance": plan.stop.tolerance,
        "n_tournaments": plan.n_tournaments,
        "max_matches": plan.stop.budget,
        "seconds_per_match": seconds,
        "workers": workers,
    }
    return DataTable(
        list(_columns(plan, seconds, workers)),
        plan.forecasts,
        "schedulers",
        facts,
        title=_title(plan),
        notes=_legend(plan, seconds, workers),
    )


def _columns(
    plan: TournamentPlan, seconds: float | None, workers: int
) -> Iterator[Column[Forecast]]:
    """The columns for programs, then those for people."""

    def matches(part: float, one: Forecast) -> int | None:
        return _whole(one.n_matches(part))

    def median_end(place: int, one: Forecast) -> int | None:
        return _whole((one.median_interval() or (math.inf, math.inf))[place])

    def hours(part: float, one: Forecast) -> float | None:
        if seconds is None:
            return None
        return _finite(one.hours(part, seconds=seconds, workers=workers))

    def count(n_matches: float) -> str:
        return f"{n_matches:,.0f}" if math.isfinite(n_matches) else f">{plan.stop.budget:,}"

    def interval(one: Forecast) -> str:
        return " to ".join(map(count, one.median_interval() or ())) or "?"

    low, median, high = SHARES.values()
    yield Column("scheduler", "scheduler", left=True)
    for name, part in SHARES.items():
        yield Column(f"matches_{name}", value=partial(matches, part))
    for place, name in enumerate(("median_from", "median_to")):
        yield Column(name, value=partial(median_end, place))
    for name, part in SHARES.items():
        yield Column(f"hours_{name}", value=partial(hours, part))
    yield Column(title="matches", read=lambda one: count(one.n_matches(median)))
    yield Column(title="± 95 %", read=interval)
    yield Column(
        title="10-90 %",
        read=lambda one: f"{count(one.n_matches(low))} to {count(one.n_matches(high))}",
    )
    yield Column("right", "right", value=lambda one: _finite(one.right), format=Format(share))
    yield Column("undecided", "undecided", format=Format(share))
    if seconds is not None:
        yield Column(title="hours", read=lambda one: _duration(hours(median, one)))
        yield Column(
            title="10-90 %",
            read=lambda one: f"{_duration(hours(low, one))} to {_duration(hours(high, one))}",
            priority=SPARE,
        )


def _title(plan: TournamentPlan) -> str:
    goal = plan.goal
    top = "the best" if goal.k == 1 else f"the top {goal.k}"
    sought = "the order of all players" if goal.is_ranking else top
    return (
        f"{plan.n_players} players, {sought}{give_or_take(plan.stop.tolerance)}, with "
        f"{exact(plan.stop.level)} confidence; "
        f"{plan.n_tournaments} simulated tournaments per scheduler"
    )


def _legend(plan: TournamentPlan, seconds: float | None, workers: int) -> list[str]:
    lines = [
        "matches: half of the tournaments were decided by then; 10 % and 90 % of them by the "
        "numbers under 10-90 %",
        _uncertainty(plan),
        "right: the share of the decided tournaments that named the true players",
    ]
    if plan.stop.tolerance:
        lines[2] += "; mistakes within the tolerance do not count"
    if any(forecast.undecided for forecast in plan.forecasts):
        lines.append(f"undecided: not decided after {plan.stop.budget:,} matches")
    if seconds is not None:
        lines.append(f"hours: at {seconds:g} seconds per match, {workers} at a time")
    return lines


def _uncertainty(plan: TournamentPlan) -> str:
    if plan.forecasts[0].median_interval() is not None:
        return "± 95 %: the 95 % interval of the matches; more --tournaments make it smaller"
    few = counted(plan.n_tournaments, "tournament")
    return f"± 95 %: {few} cannot show how uncertain the matches are; --tournaments 20 can"


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
