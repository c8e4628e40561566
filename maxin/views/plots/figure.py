"""The figure of a plot, which a notebook shows, and the style of all plots."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, MissingExtra, check_whole
from maxin.core.text import Alike, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 50  # players of a plot, by default
NAME, TITLE = 28, 50  # columns of a name beside a plot, and of what names share above it
BLUE, GREY = "#0072B2", "#9a9a9a"
# Distinguishable also by those who see few colours (Okabe and Ito).
COLOURS = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DOTS = 144  # per inch of the picture that a notebook shows
DENSE = 16  # players: a heatmap of more has no numbers in its cells
CELL = 0.42  # inches of a cell with a number
PALE = 0.28  # distance from 1/2 above which a cell is dark, and its number white


@cache
def _kind() -> type[Figure]:
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        """A figure that shows itself at the end of a notebook's cell; no backend has to be set."""

        def _repr_png_(self) -> bytes:
            file = io.BytesIO()
            self.savefig(file, format="png", dpi=DOTS)
            return file.getvalue()

    return ShownFigure


def new_figure(width: float, height: float) -> Figure:
    """A figure of so many inches."""
    try:
        import matplotlib.figure  # noqa: F401  # it may be missing
    except ImportError:
        raise MissingExtra("plots need matplotlib: pip install matplotlib") from None
    return _kind()(figsize=(width, height), layout="constrained")


def axes_of(axes: Axes | None, width: float, height: float) -> tuple[Figure, Axes]:
    """The figure and the axes to draw into: those given, or new ones."""
    if axes is None:
        axes = new_figure(width, height).subplots()
    figure: Any = getattr(axes, "figure", None)
    if figure is None or not hasattr(axes, "plot"):
        raise InvalidInput(
            f"axes must be axes of matplotlib, as plt.subplots() makes; got {axes!r}"
        )
    return figure, axes


def check_top(top: int) -> int:
    """How many players a plot shows; raise unless it is a number of at least 1."""
    if check_whole(top, "top") < 1:
        raise InvalidInput(f"top, the players that a plot shows, must be at least 1; got {top}")
    return top


def shown_names(names: Sequence[str]) -> list[str]:
    r"""Names as labels, short enough, and without the signs that matplotlib takes for formulas.

    >>> shown_names(["runs/of/a/long/path/of/names-1", "runs/of/a/long/path/of/names-2"])
    ['…1', '…2']
    >>> shown_names(["a$b"])
    ['a\\$b']
    """
    return [name.replace("$", r"\$") for name in Alike.of(names).shortened(names, NAME)]


def plain(axes: Axes, *, grid: str) -> None:
    """Only the lines that help: a pale grid along an axis, x, y or both."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, alpha=0.25)  # type: ignore[arg-type]
    axes.set_axisbelow(True)


def note_names(axes: Axes, names: Sequence[str], n_players: int) -> None:
    """Say above a plot that not all players are shown, and what their labels leave out."""
    common, shown = Alike.of(names), shown_names(names)
    notes = [f"the best {len(names)} of {n_players:,} players"] * (len(names) < n_players)
    if common.start and shown[0].startswith("…"):
        notes.append(f"… is {shortened(common.start, TITLE)}".replace("$", r"\$"))
    if notes:
        axes.set_title("; ".join(notes), fontsize="medium", loc="left")


def heatmap(
    axes: Axes | None,
    names: Sequence[str],
    shares: NDArray[np.float64],
    title: str,
    text: Callable[[int, int], str],
    n_players: int,
) -> Figure:
    """A cell per pair: blue if the player of the row wins, red if that of the column does.

    Args:
        axes: where to draw; a new figure by default.
        names: of the players, best first.
        shares: of the points, from 0 to 1; NaN for pairs without a value.
        title: what the shares are.
        text: of a cell, where there are few.
        n_players: how many there are, those left out included.
    """
    n_shown = len(names)
    if not n_shown:
        raise InvalidInput("a plot of pairs needs a player who is not retired; there is none")
    is_dense = n_shown > DENSE
    side = max(2.6, 0.16 * n_shown if is_dense else CELL * n_shown)
    figure, axes = axes_of(axes, side + 3.2, side + 1.1)
    image = axes.imshow(shares, cmap="RdBu", vmin=0.0, vmax=1.0)
    axes.set_facecolor("#d4d4d4")  # of pairs without a value
    places = range(n_shown)
    labels = [f"{name}  {place}" for place, name in enumerate(shown_names(names), start=1)]
    axes.set_yticks(places, labels, fontsize=7 if is_dense else 9)
    numbered = places[4::5] if is_dense else places
    axes.set_xticks(numbered, [str(place + 1) for place in numbered])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for i in () if is_dense else places:
        for j in places:
            if np.isfinite(shares[i, j]):
                colour = "white" if abs(shares[i, j] - 0.5) > PALE else "black"
                axes.text(j, i, text(i, j), ha="center", va="center", fontsize=7, color=colour)
    bar = figure.colorbar(image, ax=axes, shrink=0.8, aspect=25)
    bar.set_label(title)
    bar.outline.set_visible(False)
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    note_names(axes, names, n_players)
    return figure
