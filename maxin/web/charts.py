"""Charts for a page: SVG for what is drawn, HTML for what is read.

The drawing stretches with the page while its lines keep their width; words stand beside it as
HTML, so that they stay readable on a phone. No script, no library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.web.markup import MINUS, text

SIZE = 1000  # a drawing's width and height in its own units
LABEL = 17.0  # pixels that a line of words needs

Values = NDArray[np.float64]


class Axis(NamedTuple):
    """What lies between the two ends of a side of a chart; on a log axis both are positive."""

    low: float
    high: float
    is_log: bool = False

    def place(self, value: float) -> float:
        """Where `value` lies, 0 at the low end and 1 at the high one.

        >>> Axis(1.0, 100.0, is_log=True).place(10.0)
        0.5
        """
        low, high, here = self.low, self.high, value
        if self.is_log:
            low, high, here = math.log(low), math.log(high), math.log(value)
        return (here - low) / (high - low)

    def ticks(self) -> list[float]:
        """About five round numbers within the axis.

        >>> Axis(-130.0, 260.0).ticks()
        [-100.0, 0.0, 100.0, 200.0]
        >>> Axis(7.0, 2000.0, is_log=True).ticks()
        [10.0, 100.0, 1000.0]
        """
        if self.is_log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            return [10.0**power for power in powers]
        rough = (self.high - self.low) / 5.0
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


class Curve(NamedTuple):
    """A line: a value per place on the horizontal axis, NaN where there is none yet.

    `kind` is a class of the style sheet; a curve with a `label` has it written at its end.
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
) -> str:
    """Curves over `places`, labelled at their ends; later ones are drawn over earlier ones."""
    xs = [across.place(place) for place in places]
    drawn = [_grid(up)]
    if band is not None:
        drawn.append(f'<path class="band" d="{_ribbon(xs, *band, up)}"/>')
    for curve in curves:
        path = _path(xs, curve.values, up)
        drawn.append(f'<path class="line {curve.kind}" d="{path}">{_title(curve.name)}</path>')
    return frame(title, "".join(drawn), across, up, height, labels=_labels(curves, up, height))


def steps(title: str, across: Axis, up: Axis, places: Sequence[float], values: Values) -> str:
    """A count over `places` that holds until the next one, filled down to the low end."""
    xs = [_unit(across.place(place)) for place in places]
    ys = [_unit(1.0 - up.place(value)) for value in values.tolist()]
    line = f"M{xs[0]} {ys[0]}" + "".join(f"H{x}V{y}" for x, y in zip(xs[1:], ys[1:], strict=True))
    drawn = (
        f'{_grid(up)}<path class="area" d="{line}V{SIZE}H{xs[0]}Z"/>'
        f'<path class="line s0" d="{line}"/>'
    )
    label = Curve("", values, "s0", label=f"{values[-1]:,.0f}")
    return frame(title, drawn, across, up, 180, labels=_labels([label], up, 180))


def bars(title: str, heights: Sequence[Sequence[float]], names: Sequence[str]) -> str:
    """A bar per name, stacked from the parts of its height, standing side by side."""
    tallest = max((sum(parts) for parts in heights), default=0.0)
    up, across = Axis(0.0, max(1.0, tallest)), Axis(0.5, len(names) + 0.5)
    drawn = [_grid(up)]
    for number, (parts, name) in enumerate(zip(heights, names, strict=True)):
        drawn.append(f"<g>{_title(name)}{_stack(number, parts, len(names), up)}</g>")
    return frame(title, "".join(drawn), across, up, 220, marks=_numbers(len(names)))


def _stack(number: int, parts: Sequence[float], n_bars: int, up: Axis) -> str:
    width = SIZE / n_bars
    left, wide = _unit((number + 0.12) * width / SIZE), _unit(0.76 * width / SIZE)
    below, drawn = 0.0, []
    for kind, part in enumerate(parts):
        top = _unit(1.0 - up.place(below + part))
        tall = _unit(part / up.high)
        drawn.append(f'<rect class="p{kind}" x="{left}" y="{top}" width="{wide}" height="{tall}"/>')
        below += part
    return "".join(drawn)


def _numbers(n_bars: int) -> list[float]:
    """Ranks to write below bars: all of a few, else round ones."""
    if n_bars <= 20:
        return [float(number) for number in range(1, n_bars + 1)]
    return [1.0, *(tick for tick in Axis(1.0, n_bars).ticks() if tick > 1.0)]


def frame(
    title: str,
    drawn: str,
    across: Axis,
    up: Axis,
    height: int,
    *,
    labels: str = "",
    marks: list[float] | None = None,
) -> str:
    """A drawing with numbers on its left and below, and words on its right."""
    left = "".join(_mark("top", 1.0 - up.place(tick), tick) for tick in up.ticks())
    below = "".join(_mark("left", across.place(tick), tick) for tick in marks or across.ticks())
    kind = "frame labelled" if labels else "frame"
    return (
        f'<div class="{kind}" style="--height:{height}px">'
        f'<div class="left" aria-hidden="true">{left}</div>'
        f'<svg viewBox="0 0 {SIZE} {SIZE}" preserveAspectRatio="none" role="img">{_title(title)}'
        f"{drawn}</svg>"
        f'<div class="right">{labels}</div>'
        f'<div class="below" aria-hidden="true">{below}</div></div>\n'
    )


def _mark(side: str, place: float, tick: float) -> str:
    number = f"{tick:,.10g}".replace("-", MINUS)
    return f'<span style="{side}:{100.0 * place:.2f}%">{number}</span>'


def _title(words: str) -> str:
    return f"<title>{text(words)}</title>"


def _unit(share: float) -> str:
    """A share of the drawing's side in its own units, as short as it can be written."""
    return f"{SIZE * share:.1f}".removesuffix(".0")


def _grid(up: Axis) -> str:
    levels = [_unit(1.0 - up.place(tick)) for tick in up.ticks()]
    return '<path class="grid" d="' + "".join(f"M0 {y}H{SIZE}" for y in levels) + '"/>'


def _points(xs: Sequence[float], values: Values, up: Axis) -> list[str]:
    pairs = zip(xs, values.tolist(), strict=True)
    return [f"{_unit(x)} {_unit(1.0 - up.place(y))}" for x, y in pairs if not math.isnan(y)]


def _path(xs: Sequence[float], values: Values, up: Axis) -> str:
    return "M" + "L".join(_points(xs, values, up)) if np.isfinite(values).any() else ""


def _ribbon(xs: Sequence[float], low: Values, high: Values, up: Axis) -> str:
    around = [*_points(xs, high, up), *reversed(_points(xs, low, up))]
    return "M" + "L".join(around) + "Z" if around else ""


def _labels(curves: Sequence[Curve], up: Axis, height: int) -> str:
    """Each labelled curve's name at the height where it ends, or as near as there is room."""
    shown = [curve for curve in curves if curve.label]
    ends = [height * (1.0 - up.place(float(curve.values[-1]))) for curve in shown]
    return "".join(
        f'<span class="{curve.kind}" style="top:{top:.1f}px" title="{text(curve.name)}">'
        f"{text(curve.label)}</span>"
        for curve, top in zip(shown, spread(ends, LABEL, height), strict=True)
    )


def spread(wanted: Sequence[float], gap: float, room: float) -> list[float]:
    """Places at least `gap` apart, within 0..room if they fit, each near where it is wanted.

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
