"""The pictures of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxin.simulation.plotting import STYLES, write_picture
from maxin_studies.benchmarks.costs import Cost
from maxin_studies.benchmarks.questions import Arena
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


def save_races(races: Races, folder: Path) -> Path:
    """P(best found), RR and regret against matches: a row per game, a line per scheduler."""
    arenas = list(dict.fromkeys(arena for arena, _ in races))
    schedulers = list(dict.fromkeys(scheduler for _, scheduler in races))
    figure, grid = _grid(len(arenas), len(PANELS))
    for row, arena in zip(grid, arenas, strict=True):
        for axes, (curve, label) in zip(row, PANELS, strict=True):
            for scheduler, style in zip(schedulers, _styles(), strict=False):
                _draw(axes, races[arena, scheduler], curve, arena, scheduler, style)
            _finish(axes, arena.name, label)
            axes.set_yscale("log" if curve == "regret" else "linear")
    return _save(figure, grid, folder / "bench-best.png")


def save_goals(races: Mapping[str, Races], names: Mapping[str, str], folder: Path) -> Path:
    """The share of each goal reached against matches: a row per goal, a panel per game."""
    arenas = list(dict.fromkeys(arena for some in races.values() for arena, _ in some))
    schedulers = dict.fromkeys(name for some in races.values() for _, name in some)
    styles = dict(zip(schedulers, _styles(), strict=False))
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
        for (name, outcomes), style in zip(lines, _styles(), strict=False):
            _draw(axes, outcomes, "found", arena, name, style)
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
        for rule, (colour, dashes) in zip(range(len(RULES)), STYLES, strict=True):
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
    schedulers = dict.fromkeys(scheduler for _, scheduler in races)
    styles = dict(zip(schedulers, _styles(), strict=False))
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
    for name, (colour, dashes) in zip(
        dict.fromkeys(cost.scheduler for cost in costs), _styles(), strict=False
    ):
        mine = [cost for cost in costs if cost.scheduler == name]
        sizes, seconds = [cost.n_players for cost in mine], [cost.seconds for cost in mine]
        axes.plot(sizes, seconds, "o", color=colour, linestyle=dashes, label=name, markersize=3)
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
    style: tuple[str, object],
) -> None:
    """A mean with a band of two standard errors."""
    colour, dashes = style
    rounds = race_rounds(arena.rounds)
    values = np.array([getattr(race, curve) for race in races], dtype=np.float64)
    mean, reach = values.mean(axis=0), 2.0 * values.std(axis=0) / len(values) ** 0.5
    low, high = mean - reach, mean + reach
    if curve not in IN_NATS:  # the other curves are shares
        low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
    axes.plot(rounds, mean, color=colour, linestyle=dashes, label=label, linewidth=1.4)
    axes.fill_between(rounds, low, high, color=colour, alpha=0.12, linewidth=0)


def _finish(axes: Axes, title: str, label: str) -> None:
    axes.set(title=title, xlabel="matches", ylabel=label, xscale="log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter("")
    axes.spines[["top", "right"]].set_visible(False)
    axes.title.set_fontsize(9)
    axes.grid(alpha=0.25)


def _styles() -> list[tuple[str, object]]:
    """More styles than there are colours: the colours again with dotted lines."""
    return [*STYLES, *((colour, (0, (1, 2))) for colour, _ in STYLES)] * 4


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
