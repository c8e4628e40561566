"""Picture files of the curves of simulated tournaments."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from maxin.core import InvalidInput, MissingExtra
from maxin.core.files import whole_binary_file
from maxin.simulation.simulation import SeedCurves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
# Colours and dashes that differ in greyscale and for the colour-blind (six of Okabe and Ito).
STYLES = [
    ("#0072B2", "-"),
    ("#D55E00", "--"),
    ("#009E73", "-."),
    ("#CC79A7", ":"),
    ("#E69F00", (0, (5, 1, 1, 1))),
    ("#56B4E9", (0, (1, 1))),
    ("#000000", "-"),
    ("#882255", "--"),
    ("#8A8A00", "-."),
    ("#332288", ":"),
    ("#8C564B", (0, (5, 1, 1, 1))),
    ("#808080", (0, (1, 1))),
]


def check_picture(path: Path) -> Path:
    """Return `path`, or raise if no picture can be written there; call it before long work."""
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"a picture must end in {', '.join(SUFFIXES)}; got {str(path)!r}")
    if not path.parent.is_dir():
        raise InvalidInput(f"there is no folder {str(path.parent)!r} for the picture")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"{str(path)!r} cannot be written: it or its folder is not writable")
    need_matplotlib()
    return path


def save_curves(curves: Mapping[str, SeedCurves], title: str, path: Path) -> None:
    """Draw regret and the rank of the truly best player against rounds, side by side.

    Lines are means over seeds, bands one standard error.
    """
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for (name, here), (colour, dashes) in zip(curves.items(), _styles(curves), strict=True):
        for axes, values in ((left, here.regret), (right, here.rank)):
            rounds, mean = np.arange(1, values.shape[1] + 1), values.mean(axis=0)
            error = values.std(axis=0) / max(1, len(values) - 1) ** 0.5
            axes.plot(rounds, mean, color=colour, linestyle=dashes, label=name)
            low, high = np.maximum(mean - error, 1.0 if axes is right else 0.0), mean + error
            axes.fill_between(rounds, low, high, color=colour, alpha=0.15, linewidth=0)
    _label(left, "cumulative regret (nats)")
    _label(right, "rank of the truly best player")
    right.set_yscale("log", base=2)
    right.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    right.invert_yaxis()
    left.legend(frameon=False)
    figure.suptitle(title)
    write_picture(figure, path, dpi=150)


def write_picture(figure: Figure, path: Path, *, dpi: int) -> None:
    """Write a picture, in the format that its name ends with."""
    with whole_binary_file(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=dpi)


def _label(axes: Axes, what: str) -> None:
    axes.set(xlabel="rounds (matches)", ylabel=what)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def _styles(curves: Mapping[str, SeedCurves]) -> list[tuple[str, object]]:
    return [STYLES[number % len(STYLES)] for number in range(len(curves))]


def need_matplotlib() -> None:
    """Raise unless matplotlib is installed; the message says how to install it."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtra("picture files need matplotlib: pip install matplotlib")
