"""Charts for a page: the drawing is SVG, its labels are HTML.

The drawing stretches with the page while its lines keep their width. The labels stand beside it
as HTML, so that they stay readable on a phone. No script and no library is needed.

Every function returns `Markup`: names are escaped here, and a template inserts the chart as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from maxin.views.formats import MINUS

SIZE = 1000  # a drawing's width and height in its own units
MOST_TICKS = 7  # of a log axis: with more, only powers of ten are marked
LABEL = 17.0  # pixels: the height of a line of text

Values = NDArray[np.float64]


class Axis(NamedTuple):
    """One side of a chart, from `low` to `high`; on a log axis both are positive.

    Two ticks are at least `least_step` apart, which is 1 where things are counted. The `unit` is
    written below the axis.
    """

    low: float
    high: float
    is_log: bool = False
    least_step: float = 0.0
    unit: str = ""

    @property
    def caption(self) -> str:
        """What the axis counts, and whether it is logarithmic.

        >>> Axis(1.0, 100.0, is_log=True, unit="matches").caption
        'matches, log scale'
        """
        return ", ".join(filter(None, [self.unit, "log scale" if self.is_log else ""]))

    def place(self, value: float) -> float:
        """The position of `value`: 0 at the low end, 1 at the high end.

        >>> Axis(1.0, 100.0, is_log=True).place(10.0)
        0.5
        """
        low, high, here = self.low, self.high, value
        if self.is_log:
            low, high, here = math.log(low), math.log(high), math.log(value)
        return (here - low) / (high - low)

    def ticks(self) -> list[float]:
        """About five round numbers on the axis.

        >>> Axis(-130.0, 260.0).ticks()
        [-100.0, 0.0, 100.0, 200.0]
        >>> Axis(0.0, 2.0, least_step=1.0).ticks()
        [0.0, 1.0, 2.0]
        >>> Axis(7.0, 2000.0, is_log=True).ticks()
        [10.0, 100.0, 1000.0]
        >>> Axis(4.0, 60.0, is_log=True).ticks()
        [5.0, 10.0, 20.0, 50.0]
        """
        if self.is_log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            tens = [10.0**power for power in powers]
            some = [factor * ten for ten in tens for factor in (1.0, 2.0, 5.0)]
            fine, coarse = (
                [tick for tick in ticks if self.low <= tick <= self.high] for ticks in (some, tens)
            )
            return fine if len(fine) <= MOST_TICKS else coarse
        rough = max((self.high - self.low) / 5.0, self.least_step)
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


class Curve(NamedTuple):
    """A line: one value per place on the horizontal axis, NaN where it is not known.

    `kind` is a class of the style sheet. A `label` is written at the end of the line.
    """

    name: str
    values: Values
    kind: str
    label: str = ""


def lines(
    title: str,
    across: Axis,
    up: Axis,
    places: Sequence[float],
    curves: Sequence[Curve],
    *,
    band: tuple[Values, Values] | None = None,
    height: int = 380,
) -> Markup:
    """Curves over `places`, labelled at their ends; later ones are drawn over earlier ones.

    >>> up, curve = Axis(0.0, 1.0), Curve("<anna>", np.array([0.0, 1.0]), "s0")
    >>> "<title>&lt;anna&gt;</title>" in lines("Ratings", Axis(0.0, 9.0), up, [0.0, 9.0], [curve])
    True
    """
    xs = [across.place(place) for place in places]
    drawn = _grid(up)
    if band is not None:
        drawn += Markup('<path class="band" d="{}"/>').format(_ribbon(xs, *band, up))
    for curve in curves:
        drawn += Markup('<path class="line {}" d="{}">{}</path>').format(
            curve.kind, _path(xs, curve.values, up), _title(curve.name)
        )
    return frame(title, drawn, across, up, height, labels=_labels(curves, up, height))


class Dot(NamedTuple):
    """A point with its interval, and a `kind` of the style sheet."""

    name: str
    place: float
    low: float
    value: float
    high: float
    kind: str


def dots(
    title: str,
    across: Axis,
    up: Axis,
    places: Sequence[float],
    curve: Curve,
    band: tuple[Values, Values],
    points: Sequence[Dot],
) -> Markup:
    """A curve with its band, and over it points with their intervals.

    >>> up, curve = Axis(0.0, 2.0), Curve("all", np.array([1.0, 1.0]), "s0")
    >>> dot = Dot("<anna>", 4.5, 0.5, 1.0, 1.5, "dot")
    >>> band = (curve.values - 0.5, curve.values + 0.5)
    >>> drawn = dots("Ratings", Axis(0.0, 9.0), up, [0.0, 9.0], curve, band, [dot])
    >>> "<title>&lt;anna&gt;</title>" in drawn, 'd="M500 250V750"' in drawn
    (True, True)
    """
    xs = [across.place(place) for place in places]
    drawn = _grid(up) + Markup('<path class="band" d="{}"/>').format(_ribbon(xs, *band, up))
    for dot in points:
        x, high, mid, low = (
            _unit(across.place(dot.place)),
            *(_unit(1.0 - up.place(value)) for value in (dot.high, dot.value, dot.low)),
        )
        drawn += Markup(
            '<g class="{}">{}<path class="reach" d="M{x} {}V{}"/>'
            '<path class="point" d="M{x} {}h0"/></g>'
        ).format(dot.kind, _title(dot.name), high, low, mid, x=x)
    drawn += Markup('<path class="line {}" d="{}">{}</path>').format(
        curve.kind, _path(xs, curve.values, up), _title(curve.name)
    )
    return frame(title, drawn, across, up, 320)


def steps(title: str, across: Axis, up: Axis, places: Sequence[float], values: Values) -> Markup:
    """A count that is constant between `places`, and after the last one."""
    xs = [_unit(across.place(place)) for place in places]
    ys = [_unit(1.0 - up.place(value)) for value in values.tolist()]
    middle = "".join(f"H{x}V{y}" for x, y in zip(xs[1:], ys[1:], strict=True))
    line = f"M{xs[0]} {ys[0]}{middle}H{SIZE}"
    drawn = _grid(up) + Markup(
        '<path class="area" d="{0}V{1}H{2}Z"/><path class="line s0" d="{0}"/>'
    ).format(line, SIZE, xs[0])
    label = Curve("", values, "s0", label=f"{values[-1]:,.0f}")
    return frame(title, drawn, across, up, 180, labels=_labels([label], up, 180))


def bars(
    title: str,
    heights: Sequence[Sequence[float]],
    names: Sequence[str],
    *,
    n_numbered: int | None = None,
) -> Markup:
    """One bar per name, side by side; each is stacked from the parts of its height.

    Numbers are written below the first `n_numbered` bars; below all by default.
    """
    tallest = max((sum(parts) for parts in heights), default=0.0)
    up, across = Axis(0.0, max(1.0, tallest), least_step=1.0), Axis(0.5, len(names) + 0.5)
    drawn = _grid(up)
    for place, (parts, name) in enumerate(zip(heights, names, strict=True)):
        stack = _stack(place, parts, len(names), up)
        drawn += Markup("<g>{}{}</g>").format(_title(name), stack)
    marks = _numbers(len(names) if n_numbered is None else n_numbered)
    return frame(title, drawn, across, up, 220, marks=marks)


def _stack(place: int, parts: Sequence[float], n_bars: int, up: Axis) -> Markup:
    left, wide = _unit((place + 0.12) / n_bars), _unit(0.76 / n_bars)
    below, drawn = 0.0, Markup()
    for kind, part in enumerate(parts):
        top, tall = _unit(1.0 - up.place(below + part)), _unit(part / up.high)
        drawn += Markup('<rect class="p{}" x="{}" y="{}" width="{}" height="{}"/>').format(
            kind, left, top, wide, tall
        )
        below += part
    return drawn


def _numbers(n_bars: int) -> list[float]:
    """The numbers to write below bars: all of a few, else round ones."""
    if n_bars <= 20:
        return [float(number) for number in range(1, n_bars + 1)]
    return [1.0, *(tick for tick in Axis(1.0, n_bars).ticks() if tick > 1.0)]


def frame(
    title: str,
    drawn: Markup,
    across: Axis,
    up: Axis,
    height: int,
    *,
    labels: Markup | None = None,
    marks: Sequence[float] | None = None,
) -> Markup:
    """A drawing with numbers on its left and below it, and labels on its right."""
    left = Markup().join(_mark("top", 1.0 - up.place(tick), tick) for tick in up.ticks())
    below = Markup().join(
        _mark("left", across.place(tick), tick) for tick in marks or across.ticks()
    )
    return Markup(
        '<div class="{kind}" style="--height:{height}px">'
        '<div class="left" aria-hidden="true">{left}</div>'
        '<svg viewBox="0 0 {size} {size}" preserveAspectRatio="none" role="img">'
        "{title}{drawn}</svg>"
        '<div class="right">{labels}</div>'
        '<div class="below" aria-hidden="true">{below}{caption}</div></div>'
    ).format(
        kind=f"frame{' labelled' if labels else ''}{' captioned' if across.caption else ''}",
        height=height,
        left=left,
        size=SIZE,
        title=_title(title),
        drawn=drawn,
        labels=labels or "",
        below=below,
        caption=Markup("<small>{}</small>").format(across.caption) if across.caption else "",
    )


def _mark(side: str, place: float, tick: float) -> Markup:
    number = f"{tick:,.10g}".replace("-", MINUS)
    return Markup('<span style="{}:{:.2f}%">{}</span>').format(side, 100.0 * place, number)


def _title(words: str) -> Markup:
    return Markup("<title>{}</title>").format(words)


def _unit(share: float) -> str:
    """A share of the drawing's side in its own units, written as short as possible."""
    return f"{SIZE * share:.1f}".removesuffix(".0")


def _grid(up: Axis) -> Markup:
    levels = [_unit(1.0 - up.place(tick)) for tick in up.ticks()]
    rules = "".join(f"M0 {y}H{SIZE}" for y in levels)
    return Markup('<path class="grid" d="{}"/>').format(rules)


def _points(xs: Sequence[float], values: Values, up: Axis) -> list[str]:
    pairs = zip(xs, values.tolist(), strict=True)
    return [f"{_unit(x)} {_unit(1.0 - up.place(y))}" for x, y in pairs if not math.isnan(y)]


def _path(xs: Sequence[float], values: Values, up: Axis) -> str:
    return "M" + "L".join(_points(xs, values, up)) if np.isfinite(values).any() else ""


def _ribbon(xs: Sequence[float], low: Values, high: Values, up: Axis) -> str:
    around = [*_points(xs, high, up), *reversed(_points(xs, low, up))]
    return "M" + "L".join(around) + "Z" if around else ""


def _labels(curves: Sequence[Curve], up: Axis, height: int) -> Markup:
    """The label of each curve at the height of its end, or as near as there is room."""
    shown = [curve for curve in curves if curve.label]
    ends = [height * (1.0 - up.place(float(curve.values[-1]))) for curve in shown]
    return Markup().join(
        Markup('<span class="{}" style="top:{:.1f}px" title="{}">{}</span>').format(
            curve.kind, top, curve.name, curve.label
        )
        for curve, top in zip(shown, spread(ends, LABEL, height), strict=True)
    )


def spread(wanted: Sequence[float], gap: float, room: float) -> list[float]:
    """Positions at least `gap` apart, within 0 to `room` if they fit, near the wanted ones.

    >>> spread([50.0, 52.0, 90.0], gap=10.0, room=100.0)
    [50.0, 60.0, 90.0]
    >>> spread([99.0, 98.0], gap=10.0, room=100.0)
    [100.0, 90.0]
    """
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    found = list(wanted)
    for before, here in pairwise(order):
        found[here] = max(found[here], found[before] + gap)
    limit = room
    for here in reversed(order):
        found[here] = min(found[here], limit)
        limit = found[here] - gap
    return found
