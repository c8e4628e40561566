"""The charts of a report, each drawn from the view that it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from markupsafe import Markup

from maxin.core.text import counted, shortened
from maxin.views.feature_effects import FeatureCurve
from maxin.views.history import History
from maxin.views.html import charts
from maxin.views.html.report_data import Seats
from maxin.views.overview import Leaders
from maxin.views.scale import Anchor, rating_format
from maxin.views.standings import Leaderboard, Standing

SPARE = 0.02  # share of an axis beyond the last point
NAME = 40  # characters of a name in a tooltip
LABEL = 20  # characters of a name beside a chart, where its end tells checkpoints apart
COLOURED = 8  # curves with a colour and a label: the first of the leaderboard
LEAST_GAP = 0.4  # share of the axis between two numbers above the intervals


def interval_axis(leaderboard: Leaderboard) -> charts.Axis:
    """The axis from the lowest end of an interval to the highest."""
    low, high = min(row.low for row in leaderboard), max(row.high for row in leaderboard)
    return charts.Axis(low, high) if low < high else charts.Axis(low - 1.0, high + 1.0)


def interval_marks(axis: charts.Axis, anchor: Anchor | None = None) -> Markup:
    """The numbers above the intervals."""
    mark = Markup('<span style="left:{:.1f}%">{}</span>')
    shown = shown_rating(anchor)
    return Markup().join(mark.format(100.0 * axis.place(one), shown(one)) for one in _apart(axis))


def _apart(axis: charts.Axis) -> list[float]:
    """Ticks so far apart that their numbers fit a narrow column; 0 stays if it is one of them.

    >>> _apart(charts.Axis(-250.0, 150.0)), _apart(charts.Axis(-90.0, 650.0))
    ([-200.0, 0.0], [0.0, 400.0])
    """
    ticks = axis.ticks()
    start = ticks.index(0.0) if 0.0 in ticks else 0
    for step in range(1, len(ticks)):
        some = ticks[start % step :: step]
        if len(some) < 2 or axis.place(some[1]) - axis.place(some[0]) >= LEAST_GAP:
            return some
    return ticks


def shown_rating(anchor: Anchor | None) -> Callable[[float], str]:
    """How a rating is written: without a sign if an anchor sets the scale.

    >>> shown_rating(None)(12.4), shown_rating(Anchor("anna", 3500.0))(3512.4)
    ('+12', '3512')
    >>> shown_rating(Anchor("bo", 0.0))(12.4)  # the second of two players
    '+12'
    """
    return rating_format(anchor).page


def interval_places(row: Standing, axis: charts.Axis) -> list[float]:
    """Where an interval begins, where the rating is, and where it ends, in per cent of the axis.

    >>> row = Standing(1, "anna", 120.0, 70.0, 170.0, 0.9, 12, 0.75, 8, 2, 2, "active")
    >>> interval_places(row, charts.Axis(-30.0, 170.0))
    [50.0, 75.0, 100.0]
    """
    return [round(100.0 * axis.place(value), 1) for value in (row.low, row.rating, row.high)]


def interval_title(row: Standing, anchor: Anchor | None = None) -> str:
    """A description of an interval.

    >>> interval_title(Standing(1, "anna", 120.0, 70.0, 170.0, 0.9, 9, 0.5, 4, 1, 4, "active"))
    '+70 to +170'
    """
    shown = shown_rating(anchor)
    return f"{shown(row.low)} to {shown(row.high)}"


def interval(row: Standing, axis: charts.Axis, anchor: Anchor | None = None) -> Markup:
    """A player's rating as a dot on its interval; a line marks zero, or the anchor."""
    left, mid, right = interval_places(row, axis)
    return Markup(
        '<svg role="img"><title>{title}</title>'
        '<line class="zero" x1="{zero:.1f}%" x2="{zero:.1f}%" y1="-6" y2="22"/>'
        '<line x1="{left}%" x2="{right}%" y1="8" y2="8"/>'
        '<circle cx="{mid}%" cy="8" r="4"/></svg>'
    ).format(
        title=interval_title(row, anchor),
        zero=100.0 * axis.place(0.0 if anchor is None else anchor.rating),
        left=left,
        mid=mid,
        right=right,
    )


def ratings_chart(history: History, ranked: list[str]) -> Markup:
    """One curve per player, those of the leaders in colour, one of them with its interval.

    Args:
        history: the ratings at each checkpoint.
        ranked: the players to show, in the leaderboard's order.
    """
    columns = [history.names.index(name) for name in ranked]
    ratings = history.ratings[:, columns]
    start = min(int(np.isfinite(ratings).any(axis=1).argmax()), len(ratings) - 2)
    ratings, margin, after = ratings[start:], history.margin[start:], history.after[start:]
    curves, middle = _curves(ranked, ratings), history.ratings[start:, history.banded]
    up = _room([curve.values for curve in curves], float(middle[-1] + margin[-1]))
    low, high = (np.clip(middle + sign * margin, up.low, up.high) for sign in (-1.0, 1.0))
    band = (low, high) if np.isfinite(low).sum() > 1 else None
    across = _across(after, is_log=history.is_log)
    return charts.lines("Ratings over matches", across, up, after, curves, band=band)


def _across(after: Sequence[int], *, is_log: bool) -> charts.Axis:
    return charts.Axis(after[0], after[-1], is_log, least_step=1.0, unit="matches")


def _curves(names: list[str], ratings: charts.Values) -> list[charts.Curve]:
    """The curves from the last player to the first, so that the leaders are drawn on top."""
    curves = []
    for place, name in enumerate(names):
        is_coloured = place < COLOURED
        style = " dashed" if place >= 4 else " leader" if place == 0 else ""
        kind = f"s{place % 4}{style}" if is_coloured else "rest"
        label = shortened(name, LABEL) if is_coloured else ""
        curves.append(charts.Curve(name, ratings[:, place], kind, label))
    return [curve for curve in reversed(curves) if not np.isnan(curve.values[-1])]


def _room(values: list[charts.Values], least_high: float) -> charts.Axis:
    """An axis for all curves and for the upper end of the leader's last interval."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if not np.isnan(least_high):  # as it is while the leader has not played
        high = max(high, least_high)
    spare = 0.03 * (high - low) + 1.0
    return charts.Axis(low - spare, high + spare)


def feature_chart(curve: FeatureCurve, leaderboard: Leaderboard) -> Markup:
    """The rating over a number with its 90 % band, and every player where its number is."""
    low, high = curve.ratings - curve.margins, curve.ratings + curve.margins
    points = [
        charts.Dot(
            f"{shortened(row.player, NAME)}, {curve.feature} {curve.players[row.player]:g}: "
            f"{interval_title(row, leaderboard.anchor)}",
            curve.players[row.player],
            row.low,
            row.rating,
            row.high,
            "dot away" if row.rank is None else "dot",
        )
        for row in leaderboard
    ]
    lowest = min(float(low.min()), *(point.low for point in points))
    highest = max(float(high.max()), *(point.high for point in points))
    spare = SPARE * (curve.values[-1] - curve.values[0])
    across = charts.Axis(curve.values[0] - spare, curve.values[-1] + spare, unit=curve.feature)
    line = charts.Curve(f"expected rating by {curve.feature}", curve.ratings, "s0 leader")
    return charts.dots(
        f"Rating by {curve.feature}",
        across,
        charts.Axis(lowest, highest),
        curve.values.tolist(),
        line,
        (low, high),
        points,
    )


def candidates_chart(history: History) -> Markup:
    """How many players could still be in the top, at each checkpoint."""
    top = "the best" if history.k == 1 else f"in the top {history.k}"
    title = f"Number of players who may still be {top}, over matches"
    sizes = history.n_candidates.astype(np.float64)
    up = charts.Axis(0.0, float(sizes.max()), least_step=1.0)
    across = _beyond(_across(history.after, is_log=history.is_log))
    return charts.steps(title, across, up, history.after, sizes)


def _beyond(across: charts.Axis) -> charts.Axis:
    """The axis, extended a little so that the last step is visible."""
    if across.is_log:
        return across._replace(high=across.high * (across.high / across.low) ** SPARE)
    return across._replace(high=across.high + SPARE * (across.high - across.low))


def matches_chart(seats: Seats, leaders: Leaders) -> Markup:
    """The number of matches of each player that is shown, by seat; only the best are numbered."""
    titles = []
    for place, (row, (name, first, second)) in enumerate(
        zip(leaders.rows, seats.per_player(), strict=True), start=1
    ):
        matches = counted(round(first + second), "match")
        titles.append(
            f"{row.rank or place}. {shortened(name, NAME)}: {matches}, {first:g} as first player"
        )
    heights = [(first, second) for _, first, second in seats.per_player()]
    title = "Matches of each player, in the leaderboard's order"
    return charts.bars(title, heights, titles, n_numbered=len(leaders.best))
