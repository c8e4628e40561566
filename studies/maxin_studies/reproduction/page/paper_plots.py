"""The paper's figures: means with bands of one standard deviation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from maxin.simulation.plotting import STYLES, write_picture
from maxin_studies.reproduction.figures import Experiment, PaperGame
from maxin_studies.reproduction.runs import reading_rounds
from maxin_studies.reproduction.tuning import Line

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
    "curves": (("rr", "reciprocal rank (RR)"), ("regret", "regret (nats)")),
    "top-k": (("hit", "hit ratio@k"), ("ndcg", "NDCG@k")),
}


def save_figure(experiment: Experiment, lines: Sequence[Line], protocol: str, folder: Path) -> Path:
    """Draw one figure under one protocol as .svg and .png; returns the path of the .png."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    games = list(dict.fromkeys(line.game for line in lines if line.protocol == protocol))
    columns = min(2, len(games))
    rows = -(-len(games) // columns)
    figure = Figure(figsize=(6.6 * columns, 2.5 * rows + 0.8), layout="constrained")
    grid = figure.subplots(rows, 2 * columns, squeeze=False)
    for number, game in enumerate(games):
        row, column = divmod(number, columns)
        here = [line for line in lines if line.game == game and line.protocol == protocol]
        title = _panel_title(game, here, experiment, protocol)
        for axes, (curve, label) in zip(
            grid[row, 2 * column : 2 * column + 2], PANELS[experiment.shows], strict=True
        ):
            _draw(axes, here, curve, experiment)
            axes.set_ylabel(label)
            axes.set_title(title, fontsize=9)
    for axes in grid.flat[2 * len(games) :]:
        axes.set_visible(False)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    if experiment.name == "gamma":  # the marks of a panel say nothing about the others
        handles = [Line2D([], [], color=handle.get_color()) for handle in handles]
    figure.legend(handles, labels, loc="outside upper center", ncols=2 + 2 * columns, frameon=False)
    path = folder / f"{experiment.name.replace(', ', '-').replace(' ', '-')}-{protocol}.png"
    for picture in (path, path.with_suffix(".svg")):
        write_picture(figure, picture, dpi=80)
    return path


def _panel_title(
    game: PaperGame, lines: Sequence[Line], experiment: Experiment, protocol: str
) -> str:
    """The name of the game, with a second line for its truth or the gammas that were chosen."""
    if protocol == "as-printed":  # every panel has the truth of the scripts
        return game.name
    title = game.title.replace(" (", "\n(") if game.truth == "score" else game.name
    return (
        f"{title}\ngamma: {chosen_explorations(lines)}" if experiment.name == "figure4" else title
    )


def chosen_explorations(lines: Iterable[Line]) -> str:
    """The gamma of every line that has one."""
    return ", ".join(
        f"{line.algorithm} {' or '.join(line.explorations)}" for line in lines if line.explorations
    )


def _draw(axes: Axes, lines: Sequence[Line], curve: str, experiment: Experiment) -> None:
    shows = experiment.shows
    marks = _marks(lines) if experiment.name == "gamma" else {}
    for number, line in enumerate(lines):
        colour, dashes = KNOWN.get(line.algorithm) or _ordinal(number, len(lines))
        width = 1.4
        if marks:
            dashes, width = marks[line.algorithm]
        values = line.curves(curve)
        mean, spread = values.mean(axis=0), values.std(axis=0)
        ks = np.arange(1, values.shape[1] + 1)
        x = ks if shows == "top-k" else reading_rounds(line.game.rounds)
        axes.plot(x, mean, color=colour, linestyle=dashes, label=line.algorithm, linewidth=width)
        if len(lines) <= MOST_BANDS:
            low, high = mean - spread, mean + spread
            alpha = 0.12 if len(lines) <= 6 else 0.06
            axes.fill_between(x, low, high, color=colour, alpha=alpha, linewidth=0)
    axes.set_ylim(bottom=0.0, top=None if curve == "regret" else 1.05)
    axes.set_xlabel("k" if shows == "top-k" else "rounds")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def _marks(lines: Sequence[Line]) -> dict[str, tuple[str, float]]:
    """Dashes and width of the lines of the sweep over gamma.

    As in the paper, the best line at top-1 is dashed, and the best one at top-k bold.
    """
    first = max(lines, key=lambda line: _means(line, 1))
    wide = max(lines, key=lambda line: _means(line, None))
    return {
        line.algorithm: ("--" if line is first else "-", 3.0 if line is wide else 1.0)
        for line in lines
    }


def _means(line: Line, up_to: int | None) -> float:
    """Mean of hit ratio@k and NDCG@k over the seeds and k up to a limit."""
    return float(np.mean([line.curves(name)[:, :up_to].mean() for name in ("hit", "ndcg")]))


def _ordinal(number: int, total: int) -> tuple[tuple[float, ...], str]:
    """The style of a line in a sweep: from dark to light, with changing dashes."""
    from matplotlib import colormaps

    shade = colormaps["viridis"](0.9 * number / max(1, total - 1))
    return tuple(shade), ("-", "--", "-.", ":")[number % 4]
