"""Make the pictures of `docs/explanation`: how one tournament chose, stopped, and how sure it was.

The ten players have ratings that only the matches know, so the pictures can show the truth too.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from maxin import Leaderboard, Stop, Top, Tournament

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
ELO = {"ann": 160, "bea": 100, "cai": 80, "dov": 40, "eli": 10}
ELO |= {"fay": -20, "gus": -60, "hal": -90, "ida": -110, "jon": -150}
SEED = 7
EVERY = 5  # matches between two looks
CONFIDENCE = Stop().confidence
BLUE, GREY, ORANGE = "#0b6fae", "#8d959c", "#c85200"


class Look(NamedTuple):
    """What was known after some matches."""

    n_matches: int
    top: Top
    board: Leaderboard


def play(first: str, second: str, seed: int) -> float:
    """A match, by the logistic curve of Elo."""
    chance = 1 / (1 + 10 ** ((ELO[second] - ELO[first]) / 400))
    return float(random.Random(seed).random() < chance)


def played() -> tuple[list[tuple[str, str]], list[Look]]:
    """The pairs of a tournament until it is decided, and looks at it on the way."""
    pairs, looks = [], []
    with Tournament(ELO, seed=SEED) as tournament:
        while not looks or not looks[-1].top.is_decided:
            ticket = tournament.ask()
            tournament.tell(ticket, play(ticket.first, ticket.second, ticket.seed))
            pairs.append((ticket.first, ticket.second))
            if len(pairs) % EVERY == 0:
                looks.append(Look(len(pairs), tournament.top(), tournament.leaderboard()))
    return pairs, looks


def draw_choosing(pairs: list[tuple[str, str]]) -> None:
    """Who met whom: in the first matches, in the next, and in the last."""
    names, third = list(ELO), len(pairs) // 3
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 3.0), layout="constrained", sharey=True)
    for part, plot in enumerate(axes):
        start, end = part * third, (part + 1) * third if part < 2 else len(pairs)
        met = np.zeros((len(names), len(names)))
        for first, second in pairs[start:end]:
            met[names.index(first), names.index(second)] += 1
        met += met.T
        plot.imshow(met, cmap="Blues", vmin=0, vmax=30)
        plot.set_title(f"matches {start + 1} to {end}", fontsize=10)
        plot.set_xticks(range(len(names)), names, rotation=90)
        plot.set_yticks(range(len(names)), names)
        for row, column in zip(*np.nonzero(met), strict=True):
            n_met = int(met[row, column])
            colour = "white" if n_met > 15 else "#333333"
            plot.text(column, row, n_met, ha="center", va="center", fontsize=7, color=colour)
    save(figure, "explanation-choosing", "How often each pair met")


def draw_stopping(looks: list[Look]) -> None:
    """What the leader is expected to miss, and what the rule allows."""
    figure, axes = plt.subplots(figsize=(7.6, 3.0), layout="constrained")
    known = [look for look in looks if look.top.shortfall is not None]
    matches = [look.n_matches for look in known]
    axes.plot(matches, [look.top.shortfall for look in known], color=BLUE, linewidth=2)
    axes.plot(matches, [look.top.needed for look in known], color=ORANGE, linewidth=2)
    end = known[-1]
    axes.plot(end.n_matches, end.top.shortfall, "o", color=BLUE)
    axes.text(matches[-1] * 0.55, 18, "expected to be missed", color=BLUE)
    axes.text(matches[-1] * 0.05, end.top.needed * 0.55, "what the rule allows", color=ORANGE)
    axes.annotate(
        f"decided after {end.n_matches} matches",
        (end.n_matches, end.top.shortfall),
        xytext=(-150, -2),
        textcoords="offset points",
    )
    axes.set_yscale("log")
    axes.set_xlabel("matches")
    axes.set_ylabel("Elo beyond the tolerance")
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, "explanation-stopping", "What the leader is expected to miss, match by match")


def draw_intervals(looks: list[Look]) -> None:
    """Ratings with intervals at three moments, and the true ratings."""
    moments = [looks[len(looks) // 12], looks[len(looks) // 3], looks[-1]]
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 3.2), layout="constrained", sharey=True)
    mean = sum(ELO.values()) / len(ELO)
    for look, plot in zip(moments, axes, strict=True):
        rows = {row.player: row for row in look.board}
        for place, (name, truth) in enumerate(ELO.items()):
            row = rows[name]
            plot.errorbar(row.rating, place, xerr=row.margin, color=BLUE, fmt="o", markersize=4)
            plot.plot(truth - mean, place, "|", color=ORANGE, markersize=12, markeredgewidth=2)
        plot.set_title(f"after {look.n_matches} matches", fontsize=10)
        plot.set_yticks(range(len(ELO)), list(ELO))
        plot.set_xlim(-420, 420)
        plot.set_xlabel("Elo")
        plot.spines[["top", "right"]].set_visible(False)
    axes[0].invert_yaxis()
    save(figure, "explanation-intervals", "Ratings with 95 % intervals, and the truth")


def save(figure: plt.Figure, name: str, title: str) -> None:
    """Write a picture that is the same each time."""
    path = FIGURES / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None, "Title": title}, facecolor="white")


if __name__ == "__main__":
    mpl.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "svg.hashsalt": "maxin"})
    pairs, looks = played()
    draw_choosing(pairs)
    draw_stopping(looks)
    draw_intervals(looks)
    print(f"{len(pairs)} matches: {looks[-1].top.sentence(CONFIDENCE)}")
    print(looks[-1].board)
