"""Make the README's pictures: the report of a real tournament, and the chart of its claim.

The report is that of `examples/connect_four`, photographed by Chromium. The chart reads its
numbers from `studies/docs/benchmarks.md`, so that the two cannot disagree.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from PIL import Image, ImageChops, ImageOps

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "studies" / "docs" / "benchmarks.md"
CLAIM = ROOT / "docs" / "figures" / "readme-claim.svg"
REPORT = ROOT / "docs" / "figures" / "readme-report.png"

# What the picture shows of the report: the headline, the numbers below it and the best players.
CUT = """<style>
section ~ section, footer { display: none }
tbody tr:nth-child(n + 7) { display: none }
</style>"""
WIDTH, HEIGHT, SCALE = 900, 1200, 2  # of the browser's window, and pixels per pixel
MARGIN, BORDER = 48, 2  # pixels around the report: white, then a line
COLOURS = 64  # enough for text and one blue, and a third of the bytes

# The rows of the chart: how a row of the benchmarks is called in it, and its colour.
OURS = "maxin"  # with top-two, its default
SCHEDULERS = {
    "top-two": (OURS, "#0b6fae"),
    "random+bradley-terry": ("random pairs", "#b8bec4"),
    "round-robin:cycles=none": ("round robin", "#8d959c"),
}
GAMES = ("10 players", "30 players", "100 players")
TITLE = "Matches until the best player is found in 90 % of tournaments"
EDGE = -0.17  # where the text begins, in widths of the axes
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Count(NamedTuple):
    """Matches needed, with a 95 % interval; what is capped was not reached within `cap`."""

    matches: int
    low: int
    high: int
    cap: int
    is_capped: bool
    is_high_capped: bool

    def __str__(self) -> str:
        return f"> {self.cap:,}" if self.is_capped else f"{self.matches:,}"


def read_counts(page: str) -> dict[tuple[str, str], Count]:
    """The matches to P(best found) = 0.9 by game and scheduler, from the text of the benchmarks."""
    section = page.partition("\n## Finding the best\n")[2].partition("\n## ")[0]
    counts = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if cells[0] in GAMES and cells[1] in SCHEDULERS:
            counts[cells[0], cells[1]] = read_count(cells[3], cap=int(cells[-1]))
    return counts


def read_count(cell: str, cap: int) -> Count:
    """A cell such as `7297 [6125, > 8000]`."""
    found = re.fullmatch(r"(> )?(\d+) \[(> )?(\d+), (> )?(\d+)\]", cell)
    if found is None:
        raise ValueError(f"{BENCHMARKS} has {cell!r} where matches and an interval should be")
    return Count(int(found[2]), int(found[4]), int(found[6]), cap, bool(found[1]), bool(found[5]))


def describe(counts: dict[tuple[str, str], Count]) -> str:
    """The chart as a sentence, for those who cannot see it."""
    parts = []
    for game in GAMES:
        bars = [f"{label} {counts[game, name]}" for name, (label, _) in SCHEDULERS.items()]
        parts.append(f"{game}: {', '.join(bars)}")
    return f"{TITLE}. {'; '.join(parts)}."


def draw_claim(path: Path) -> None:
    """Bars of the matches needed, three schedulers for each size of the field."""
    counts = read_counts(BENCHMARKS.read_text())
    mpl.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10, "svg.hashsalt": "maxin"})
    figure, axes = plt.subplots(figsize=(7.6, 4.0), layout="constrained")
    left = {"ha": "left", "va": "center", "transform": axes.get_yaxis_transform()}
    for group, game in enumerate(GAMES):
        axes.text(EDGE, 4.4 * group, game, weight="bold", **left)
        for row, (scheduler, (label, colour)) in enumerate(SCHEDULERS.items()):
            draw_bar(axes, 4.4 * group + 1 + row, label, colour, counts[game, scheduler])
    caps = sorted({count.cap for count in counts.values() if count.is_capped})
    within = " or ".join(f"{cap:,}" for cap in caps)
    note = f"Lines: 95 % intervals. Hatched: not reached within {within} matches."
    axes.text(EDGE, 13.6, note, color="#555555", fontsize=9, **left)
    axes.set_ylim(14, -0.6)
    axes.set_xlim(0, 13_600)
    axes.axis("off")
    axes.set_title(TITLE, loc="left", x=EDGE, fontsize=11.5, weight="bold")
    metadata = {"Date": None, "Title": TITLE, "Description": describe(counts)}
    figure.savefig(path, metadata=metadata, facecolor="white")


def draw_bar(axes: Axes, y: float, label: str, colour: str, count: Count) -> None:
    """A bar with its interval; one that reached the cap is hatched and has none."""
    edge = {"hatch": "///", "edgecolor": "white"} if count.is_capped else {}
    axes.barh(y, count.matches, height=0.84, color=colour, linewidth=0, **edge)
    end = count.matches if count.is_capped else count.high
    if not count.is_capped:
        axes.plot([count.low, count.high], [y, y], color="#222222", linewidth=1)
        axes.plot(count.high, y, ">" if count.is_high_capped else "", color="#222222", markersize=4)
    style = {"va": "center", "weight": "bold" if label == OURS else "normal"}
    axes.text(end + 150, y, str(count), **style)
    axes.text(-0.012, y, label, ha="right", transform=axes.get_yaxis_transform(), **style)


def photograph_example(path: Path) -> None:
    """Play the tournament of connect four, and photograph the top of its report."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/demo.db"
        game = "examples/connect_four/tournament.toml"
        command = [sys.executable, "-m", "maxin", "run", game, "--store", store, "--quiet"]
        subprocess.run(command, cwd=ROOT, check=True)
        photograph_report(store, path)


def photograph_report(store: str, path: Path, colours: int = COLOURS) -> None:
    """Photograph the top of the report of a stored tournament."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"the picture of a report needs one of {', '.join(BROWSERS)} on the PATH")
    with tempfile.TemporaryDirectory() as folder:
        page, shot = Path(folder, "report.html"), Path(folder, "report.png")
        command = [sys.executable, "-m", "maxin", "report", page, "--store", store]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        page.write_text(page.read_text().replace("</head>", CUT + "</head>"))
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--window-size={WIDTH},{HEIGHT}", f"--force-device-scale-factor={SCALE}"]
        subprocess.run(
            [browser, *options, f"--screenshot={shot}", page.as_uri()],
            check=True,
            stderr=subprocess.DEVNULL,  # it complains about desktops that are not there
        )
        picture = ImageOps.expand(trimmed(Image.open(shot).convert("RGB")), BORDER, "#d0d7de")
        few = picture.quantize(colours, method=Image.Quantize.MAXCOVERAGE)  # rare ones too
        few.save(path, optimize=True)


def trimmed(image: Image.Image) -> Image.Image:
    """The image without the white around it, but for a margin."""
    white = Image.new("RGB", image.size, "white")
    left, top, right, bottom = ImageChops.difference(image, white).getbbox()
    corner = max(0, left - MARGIN), max(0, top - MARGIN)
    return image.crop((*corner, min(image.width, right + MARGIN), bottom + MARGIN))


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["claim", "report"]
    if "claim" in wanted:
        draw_claim(CLAIM)
    if "report" in wanted:
        photograph_example(REPORT)
