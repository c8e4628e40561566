"""The pictures of the benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.simulation.plotting import STYLES, write_picture
from maxin_studies.benchmarks.costs import Cost
from maxin_studies.benchmarks.questions import GOALS_OF, SCHEDULERS, Arena
from maxin_studies.benchmarks.races import RaceCurves, race_rounds
from maxin_studies.benchmarks.stops import RULES, StopTimes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Races = Mapping[tuple[Arena, str], Sequence[RaceCurves]]  # by game and scheduler
Stops = Mapping[str, Mapping[Arena, Sequence[StopTimes]]]  # by scheduler and game
PANELS = (
    ("found", "P(best found)"),
    ("reciprocal_rank", "reciprocal rank (RR)"),
    ("regret", "regret (nats)"),
)
IN_NATS = ("regret", "loss", "error")
BARS = "bars are two standard errors"
# A scheduler has the same colour and mark in every figure; others get those that are left over.
NAMES = tuple(dict.fromkeys([*SCHEDULERS, *(name for some in GOALS_OF.values() for name in some)]))
MARKS = "osD^vPX<>phd"
N_POINTS, N_MARKED = 30, 6  # of a line: its points, and those that have a mark and an error bar


def save_races(races: Races, folder: Path) -> Path:
    """P(best found), RR and regret against matches: a row per game, a line per scheduler."""
    arenas = list(dict.fromkeys(arena for arena, _ in races))
    styles = _styles(scheduler for _, scheduler in races)
    figure, grid = _grid(len(arenas), len(PANELS))
    for row, arena in zip(grid, arenas, strict=True):
        for axes, (curve, label) in zip(row, PANELS, strict=True):
            for scheduler, style in styles.items():
                _draw(axes, races[arena, scheduler], curve, arena, scheduler, style)
            _finish(axes, arena.name, label)
            axes.set_yscale("log" if curve == "regret" else "linear")
    return _save(figure, grid, folder / "bench-best.png")


def save_goals(races: Mapping[str, Races], names: Mapping[str, str], folder: Path) -> Path:
    """The share of each goal reached against matches: a row per goal, a panel per game."""
    arenas = list(dict.fromkeys(arena for some in races.values() for arena, _ in some))
    styles = _styles(name for some in races.values() for _, name in some)
    figure, grid = _grid(len(races), len(arenas))
    for row, (goal, some) in zip(grid, races.items(), strict=True):
        for axes, arena in zip(row, arenas, strict=True):
            for (here, scheduler), raced in some.items():
                if here == arena:
                    _draw(axes, raced, goal, arena, scheduler, styles[scheduler])
            _finish(axes, arena.name, names[goal])
    return _save(figure, grid, folder / "bench-goals.png")


def save_flights(alone: Races, flying: Races, in_flight: int, folder: Path) -> Path:
    """P(best found) with one match in flight and with many: a panel per game."""
    arenas = list(dict.fromkeys(arena for arena, _ in alone))
    figure, grid = _grid(1, len(arenas))
    for axes, arena in zip(grid[0], arenas, strict=True):
        lines = [
            (f"{scheduler}, {flight} in flight", some[here, scheduler])
            for here, scheduler in alone
            for flight, some in ((1, alone), (in_flight, flying))
            if here == arena
        ]
        styles = _styles(name for name, _ in lines)
        for name, outcomes in lines:
            _draw(axes, outcomes, "found", arena, name, styles[name])
        _finish(axes, arena.name, "P(best found)")
    return _save(figure, grid, folder / "bench-flight.png")


def save_stops(stops: Stops, folder: Path) -> Path:
    """The share of tournaments that each rule has stopped against matches: a panel per game."""
    panels = [
        (scheduler, arena, some)
        for scheduler, by_arena in stops.items()
        for arena, some in by_arena.items()
    ]
    figure, grid = _panels(len(panels))
    for axes, (scheduler, arena, some) in zip(grid.flat, panels, strict=False):
        matches = np.array([times.matches for times in some])
        for rule, (colour, dashes) in zip(range(len(RULES)), STYLES, strict=False):
            stopped = np.sort(matches[matches[:, rule] >= 0.0, rule])
            share = np.arange(1, len(stopped) + 1) / len(some)
            last = share[-1] if len(share) else 0.0
            axes.step(
                [*stopped, arena.rounds], [*share, last], where="post", color=colour,
                linestyle=dashes, label=RULES[rule], linewidth=1.4,
            )  # fmt: skip
        _finish(axes, f"{arena.name}, {arena.in_flight} in flight ({scheduler})", "stopped")
        axes.set_ylim(0.0, 1.02)
    return _save(figure, grid, folder / "bench-stop.png")


def save_readings(races: Races, curve: str, label: str, path: Path) -> Path:
    """A curve in nats against matches: a panel per game, a line per scheduler."""
    arenas = list(dict.fromkeys(arena for arena, _ in races))
    styles = _styles(scheduler for _, scheduler in races)
    figure, grid = _panels(len(arenas))
    for axes, arena in zip(grid.flat, arenas, strict=False):
        for (here, scheduler), some in races.items():
            if here == arena:
                _draw(axes, some, curve, arena, scheduler, styles[scheduler])
        _finish(axes, arena.name, label)
        axes.set_ylim(bottom=0.0)
    return _save(figure, grid, path)


def save_costs(costs: Sequence[Cost], folder: Path) -> Path:
    """Seconds per round against players, a line per scheduler."""
    figure, grid = _grid(1, 1)
    axes = grid[0, 0]
    for name, style in _styles(cost.scheduler for cost in costs).items():
        mine = [cost for cost in costs if cost.scheduler == name]
        sizes, seconds = [cost.n_players for cost in mine], [cost.seconds for cost in mine]
        axes.plot(sizes, seconds, color=style.colour, marker=style.mark, label=name, markersize=4)
    _finish(axes, "A round", "seconds")
    axes.set(xlabel="players", yscale="log")
    return _save(figure, grid, folder / "bench-cost.png")


def _panels(n_panels: int) -> tuple[Figure, NDArray[Any]]:
    """A grid of up to three columns; the places that are left over are blank."""
    columns = min(3, n_panels)
    figure, grid = _grid(-(-n_panels // columns), columns)
    for axes in grid.flat[n_panels:]:
        axes.set_visible(False)
    return figure, grid


def _grid(rows: int, columns: int) -> tuple[Figure, NDArray[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.6 * columns + 0.6, 2.6 * rows + 0.8), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _draw(
    axes: Axes,
    races: Sequence[RaceCurves],
    curve: str,
    arena: Arena,
    label: str,
    style: Style,
) -> None:
    """A mean, with marks and two standard errors at a few points, others for every scheduler."""
    rounds = race_rounds(arena.rounds)
    grid = np.geomspace(1.0, rounds[-1], N_POINTS)
    points = np.unique(np.searchsorted(rounds, grid).clip(max=len(rounds) - 1))
    values = np.array([getattr(race, curve) for race in races], dtype=np.float64)[:, points]
    mean, reach = values.mean(axis=0), 2.0 * values.std(axis=0) / len(values) ** 0.5
    low = reach if curve in IN_NATS else np.minimum(reach, mean)  # the other curves are shares
    high = reach if curve in IN_NATS else np.minimum(reach, 1.0 - mean)
    every = max(1, len(points) // N_MARKED)
    marked = (style.place % every, every)
    axes.errorbar(
        rounds[points], mean, np.stack([low, high]), color=style.colour, marker=style.mark,
        linewidth=1.2, markersize=6, elinewidth=0.8, label=label, markevery=marked,
        errorevery=marked, markeredgewidth=0.0,
    )  # fmt: skip


def _finish(axes: Axes, title: str, label: str) -> None:
    axes.set(title=title, xlabel="matches", ylabel=label, xscale="log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter("")
    axes.spines[["top", "right"]].set_visible(False)
    axes.title.set_fontsize(9)
    axes.grid(alpha=0.25)


class Style(NamedTuple):
    """How a line is drawn; its place keeps its marks apart from those of others."""

    place: int
    colour: str
    mark: str


def _styles(names: Iterable[str]) -> dict[str, Style]:
    """A style for each name, all different for up to a dozen."""
    names = list(dict.fromkeys(names))
    taken = {name: NAMES.index(name) for name in names if name in NAMES}
    free = (place for place in count() if place not in taken.values())
    places = {name: taken[name] if name in taken else next(free) for name in names}
    return {
        name: Style(place, STYLES[place % len(STYLES)][0], MARKS[place % len(MARKS)])
        for name, place in places.items()
    }


def _save(figure: Figure, grid: NDArray[Any], path: Path) -> Path:
    lines: dict[str, Any] = {}
    for axes in grid.flat:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            lines.setdefault(label, handle)
    figure.legend(
        lines.values(), lines.keys(), loc="outside upper center", ncols=2 * grid.shape[1],
        frameon=False, fontsize=8,
    )  # fmt: skip
    write_picture(figure, path, dpi=80)
    return path
