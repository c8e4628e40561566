"""The paper's figures: means with bands of one standard deviation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from maxin.experiments.plotting import STYLES, need_matplotlib
from maxin.experiments.reproduction.figures import Experiment, PaperGame
from maxin.experiments.reproduction.runs import reading_rounds
from maxin.experiments.reproduction.tuning import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# An algorithm has the same colour and dashes in every figure.
KNOWN = {
    "MaxIn-Elo": STYLES[0],
    "MaxIn-mElo": STYLES[0],
    "MaxInP": STYLES[1],
    "DBGD": STYLES[2],
    "RG-UCB": STYLES[3],
    "Random": STYLES[4],
    "alpha-IG": STYLES[5],
    "Random + MAP fit": ("#000000", "-"),
    "Round robin": ("#000000", "--"),
    "Knockout": ("#000000", ":"),
}
MOST_BANDS = 9  # more bands hide the lines; the tables have the standard deviations
PANELS = {
    "curves": (("reciprocal_rank", "RR"), ("regret", "regret (nats)")),
    "top-k": (("hit_ratio", "hit ratio@k"), ("ndcg", "NDCG@k")),
}


def save_figure(experiment: Experiment, lines: Sequence[Line], protocol: str, folder: Path) -> Path:
    """Draw one figure under one protocol as .svg and .png; returns the path of the .png."""
    need_matplotlib()
    from matplotlib.figure import Figure

    games = [game for game in experiment.games if any(line.game == game for line in lines)]
    columns = min(2, len(games))
    rows = -(-len(games) // columns)
    figure = Figure(figsize=(6.6 * columns, 2.5 * rows + 0.8), layout="constrained")
    grid = figure.subplots(rows, 2 * columns, squeeze=False)
    for number, game in enumerate(games):
        row, column = divmod(number, columns)
        here = [line for line in lines if line.game == game and line.protocol == protocol]
        for axes, (curve, label) in zip(
            grid[row, 2 * column : 2 * column + 2], PANELS[experiment.shows], strict=True
        ):
            _draw(axes, here, curve, game, experiment.shows)
            axes.set(title=game.name, ylabel=label)
    for axes in grid.flat[2 * len(games) :]:
        axes.set_visible(False)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2 + 2 * columns, frameon=False)
    path = folder / f"{experiment.name.replace(', ', '-').replace(' ', '-')}-{protocol}.png"
    figure.savefig(path, dpi=80)
    figure.savefig(path.with_suffix(".svg"))
    return path


def _draw(axes: Axes, lines: Sequence[Line], curve: str, game: PaperGame, shows: str) -> None:
    for number, line in enumerate(lines):
        colour, dashes = KNOWN.get(line.algorithm) or _ordinal(number, len(lines))
        values = line.curves(curve)
        mean, spread = values.mean(axis=0), values.std(axis=0)
        n_points = values.shape[1]
        ks = np.arange(1, n_points + 1)
        x = ks if shows == "top-k" else reading_rounds(game.rounds)
        axes.plot(x, mean, color=colour, linestyle=dashes, label=line.algorithm, linewidth=1.4)
        if len(lines) <= MOST_BANDS:
            low, high = mean - spread, mean + spread
            alpha = 0.12 if len(lines) <= 6 else 0.06
            axes.fill_between(x, low, high, color=colour, alpha=alpha, linewidth=0)
    axes.set_ylim(bottom=0.0, top=None if curve == "regret" else 1.05)
    axes.set_xlabel("k" if shows == "top-k" else "rounds")
    axes.spines[["top", "right"]].set_visible(False)
    axes.title.set_fontsize(9)
    axes.grid(alpha=0.25)


def _ordinal(number: int, total: int) -> tuple[tuple[float, ...], str]:
    """The style of a line in a sweep: from dark to light, with changing dashes."""
    from matplotlib import colormaps

    shade = colormaps["viridis"](0.9 * number / max(1, total - 1))
    return tuple(shade), ("-", "--", "-.", ":")[number % 4]
