"""How do rounds, leaderboards and memory grow with the number of players?

- rounds: ask, tell, and read the ranking, after a warm-up of n matches, `top-two` with 1, 16 and
  64 matches in flight. All schedulers play the same game in turn;
- `maxin` from the first batch on, when the graph of matches is not yet connected;
- leaderboards: the fit of 5 n results, margins, P(best), and the top;
- the sieve: matches of `top-two` with more than 2,000 players, in a process of its own;
- memory: how much a process grows by a scheduler that plays.

Times are CPU time on one core. `python benchmarks/scaling.py` prints the tables, `--million` adds
a sieve of 1,000,000 players, and `--write` puts the tables and a picture into
docs/reference/speed.md.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from common import human, markdown, seconds, show, write_measured  # isort: skip  (sets one core)

import numpy as np
from scipy.special import expit
from sieve import Field, SieveCost, play_on, sieve_cost

from maxin.core import Result
from maxin.games import make_game
from maxin.ratings import Tally
from maxin.schedulers import Scheduler, make_scheduler
from maxin.simulation.plotting import STYLES, write_picture
from maxin.views import Belief, Top

DOCS = Path(__file__).resolve().parents[1] / "docs"
PICTURE = DOCS / "figures" / "scale-growth.png"
SIZES = (100, 300, 1_000)
PLAYED = (
    ("top-two", 1),
    ("top-two", 16),
    ("top-two", 64),
    ("double-thompson", 1),
    ("ranking", 1),
    ("maxin", 1),
)  # scheduler, matches in flight
VARIANTS = ("maxin", "maxin:exploration=0.6,alone=self", "maxin:exploration=2")
BOARDS = (20, 100, 300, 1_000, 10_000, 100_000)
FIELDS = (10_000, 100_000)
MILLION = 1_000_000
CHANGE = 2_000  # players, above which the method changes
TURNS = 3  # the least disturbed one counts
PER_PLAYER = 5  # results, of a leaderboard
MEMORIES = (
    ("maxin", 100, 1_000),
    ("maxin", 100, 16_000),
    ("maxin", 1_000, 3_000),
    ("top-two", 100, 1_000),
    ("top-two", 100, 16_000),
    ("top-two", 1_000, 3_000),
)  # scheduler, players, matches


class Measured(NamedTuple):
    """A table."""

    title: str
    header: list[str]
    rows: list[list[str]]

    def shown(self) -> Measured:
        """Print it."""
        show(*self)
        return self

    def text(self) -> str:
        """It, for a page."""
        return f"{self.title}:\n\n{markdown(self.header, self.rows)}"


class Board(NamedTuple):
    """CPU seconds of what a leaderboard needs."""

    fit: float
    margins: float
    odds: float
    top: float


Rounds = dict[tuple[str, int, int], float]  # seconds, by scheduler, players and matches in flight


class Play:
    """A scheduler at play, warmed up by n random matches."""

    def __init__(self, text: str, n_players: int, n_flying: int) -> None:
        self.rng = np.random.default_rng(0)
        ratings = self.rng.uniform(-3.0, 3.0, n_players)
        self.chances = expit(np.subtract.outer(ratings, ratings)).tolist()
        self.scheduler = make_scheduler(text, n_players, np.random.default_rng(1))
        for _ in range(n_players):
            self._tell(*self.rng.choice(n_players, 2, replace=False).tolist())
        self.waiting = [self.scheduler.ask() for _ in range(n_flying - 1)]

    def _tell(self, first: int, second: int) -> None:
        score = float(self.rng.random() < self.chances[first][second])
        self.scheduler.tell(Result((first, second), score))

    def turn(self, count: int) -> float:
        """Seconds per round, of so many rounds or of a second: enough for several refits."""
        start, played = time.thread_time(), 0
        while played < count and time.thread_time() - start < 1.0:
            self.waiting.append(self.scheduler.ask())
            self._tell(*self.waiting.pop(0))
            self.scheduler.ratings().argmax()
            played += 1
        return (time.thread_time() - start) / played


def ratio(one: float, other: float) -> str:
    return f"{one / other:.2g} x" if one < 10.0 * other else f"{one / other:,.0f} x"


def rounds_of(n_players: int) -> Rounds:
    """All schedulers of one size, in turn."""
    plays = {(text, flight): Play(text, n_players, flight) for text, flight in PLAYED}
    best = dict.fromkeys(plays, float("inf"))
    for _ in range(TURNS):
        for key, play in plays.items():
            best[key] = min(best[key], play.turn(max(300, n_players)))
    return {(text, n_players, flight): cost for (text, flight), cost in best.items()}


def rounds_table(rounds: Rounds) -> Measured:
    rows, largest = [], SIZES[-1]
    for text, flight in PLAYED:
        costs = [rounds[text, size, flight] for size in SIZES]
        growth = [ratio(cost, costs[0]) for cost in costs[1:]]
        ours = [ratio(costs[-1], rounds[text, largest, 1])]
        ours.append(ratio(costs[-1], rounds["top-two", largest, 1]))
        rows.append([f"`{text}`", str(flight), *map(human, costs), *growth, *ours])
    squares = [ratio(size**2, SIZES[0] ** 2) for size in SIZES[1:]]
    rows.append(["n^2", "", "", "", "", *squares, "", ""])
    header = ["scheduler", "pending", *(f"{size:,} players" for size in SIZES)]
    header += [f"{size:,} / {SIZES[0]}" for size in SIZES[1:]]
    header += [f"{largest:,}, to 1 pending", f"{largest:,}, to `top-two`"]
    return Measured("CPU time of a round", header, rows)


def maxin_rounds(text: str, n_players: int) -> tuple[float, float, float]:
    """Seconds per round in the first n rounds after the first batch, and in 3 n.

    The third is the mean share of widths updated.
    """
    rng = np.random.default_rng(0)
    game = make_game(f"elo:n_players={n_players}", rng)
    scheduler = make_scheduler(text, n_players, rng)

    def play(count: int) -> None:
        for _ in range(count):
            match = scheduler.ask()
            scheduler.tell(Result(match, game.play(match, rng)))
            scheduler.ratings().argmax()

    play(scheduler.batch_size)
    before = scheduler.uncertainty.n_touched
    early = seconds(lambda: play(n_players), 1, time.thread_time)
    late = seconds(lambda: play(2 * n_players), 1, time.thread_time)
    touched = (scheduler.uncertainty.n_touched - before) / (3 * n_players**3)
    return early / n_players, (early + late) / (3 * n_players), touched


def maxin_table() -> Measured:
    rows = []
    for text in VARIANTS:
        costs = {size: maxin_rounds(text, size) for size in SIZES}
        for size, (early, mean, touched) in costs.items():
            growth = [ratio(mean, costs[SIZES[0]][1]), ratio(size**2, SIZES[0] ** 2)]
            rows.append(
                [text, f"{size:,}", human(early), human(mean), *growth, f"{100.0 * touched:.2f} %"]
            )
    header = ["scheduler", "players", "first n rounds", "3 n rounds", f"relative to {SIZES[0]}"]
    header += ["n^2", "widths updated"]
    return Measured("A round of `maxin`, from the first batch on", header, rows)


def board(n_players: int) -> Board:
    """A leaderboard of random matches."""
    field = Field("normal", n_players, 0)
    first = field.rng.integers(n_players, size=PER_PLAYER * n_players)
    second = (first + field.rng.integers(1, n_players, size=len(first))) % n_players
    tally = Tally(n_players)
    tally.add_many(first, second, field.play(np.stack([first, second], axis=1)))
    belief = Belief([f"player {number}" for number in range(n_players)], tally)
    reads: list[Callable[[], object]] = [
        lambda: belief.fit,
        lambda: (belief.ratings, belief.margins),
        lambda: belief.best_odds,
        lambda: Top.of(belief),
    ]
    return Board(*(seconds(read, 1, time.thread_time) for read in reads))


def turns(n_players: int) -> int:
    """How often to measure a leaderboard: the largest ones take long, and are disturbed less."""
    return TURNS if n_players <= FIELDS[0] else 1


def boards_table(boards: dict[int, Board]) -> Measured:
    rows, base = [], BOARDS[1]
    for size, parts in boards.items():
        growth = [ratio(sum(parts), sum(boards[base])), ratio(size, base), ratio(size**2, base**2)]
        rows.append([f"{size:,}", *map(human, parts), human(sum(parts)), *growth])
    header = ["players", "fit", "margins", "P(best)", "top", "all", f"relative to {base}", "n"]
    title = f"A leaderboard of {PER_PLAYER} n results"
    return Measured(title, [*header, "n^2"], rows)


def sieve_table(costs: dict[int, SieveCost]) -> Measured:
    rows, base = [], costs[FIELDS[0]]
    for size, cost in costs.items():
        row = [f"{size:,}", f"{cost.matches / size:.1f} n"]
        row += [human(cost.screening), ratio(cost.screening, base.screening)]
        row += [human(cost.after), ratio(cost.after, base.after), human(cost.verdict)]
        rows.append([*row, f"{cost.memory / 1024.0:.2f} GB"])
    other = f"relative to {FIELDS[0]:,}"
    header = ["players", "screening ends after", "per match", other, "per match after it", other]
    title = "Matches of `top-two` above 2,000 players"
    return Measured(title, [*header, "a verdict", "process at most"], rows)


def resident() -> float:
    """The memory of this process in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def scheduler_memory(text: str, n_players: int, n_matches: int) -> float:
    """By how many MB this process grows while a scheduler plays."""

    def play(size: int, count: int) -> Scheduler:
        scheduler, field = make_scheduler(text, size, np.random.default_rng(0)), fields[size]
        play_on(scheduler, field, count)
        return scheduler

    fields = {size: Field("normal", size, 0) for size in (20, n_players)}
    play(20, 200)  # load the code
    before = resident()
    scheduler = play(n_players, n_matches)
    return resident() - before if scheduler.n_told else 0.0


def memory_table() -> Measured:
    rows = []
    for text, size, count in MEMORIES:
        held = apart(scheduler_memory, text, size, count)
        per_pair = f"{held * 2**20 / size**2:,.0f}"
        rows.append([f"`{text}`", f"{size:,}", f"{count:,}", f"{held:.1f} MB", per_pair])
    header = ["scheduler", "players", "matches", "memory", "bytes per n^2"]
    return Measured("Memory of a scheduler", header, rows)


def apart(act: Callable[..., Any], *arguments: object) -> Any:
    """What `act` returns in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(act, *arguments).result()


def warm_sieve_cost(n_players: int) -> SieveCost:
    sieve_cost(2_100)  # load SciPy
    return sieve_cost(n_players)


def draw(rounds: Rounds, boards: dict[int, Board], costs: dict[int, SieveCost]) -> None:
    """CPU time against players: rounds on the left, leaderboards on the right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    guide(left, SIZES, rounds["top-two", SIZES[0], 1])
    guide(right, BOARDS[1:4], sum(boards[BOARDS[1]]))
    for (text, flight), style in zip(PLAYED, STYLES, strict=False):
        label = f"{text}, {flight} pending" if text == "top-two" else text
        plot(left, {size: rounds[text, size, flight] for size in SIZES}, label, style, "o")
    for label, mark in (("screening", "v"), ("after", "^")):
        line = {size: getattr(cost, label) for size, cost in costs.items()}
        words = label if label == "screening" else "after screening"
        plot(left, line, f"top-two, {words}", STYLES[0], mark)
    plot(right, {size: sum(parts) for size, parts in boards.items()}, "all of it", STYLES[0], "o")
    plot(right, {size: parts.fit for size, parts in boards.items()}, "the fit", STYLES[1], "o")
    for axes, title, place in ((left, "A round", "right"), (right, "A leaderboard", "left")):
        axes.axvline(CHANGE, color="#888888", lw=1.0, ls=(0, (1, 2)))
        axes.set(title=title, xlabel="players", ylabel="CPU time", xscale="log", yscale="log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.yaxis.set_major_formatter(lambda value, _: human(value * (1.0 + 1e-9)))
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize=7, loc=f"upper {place}")
    write_picture(figure, PICTURE, dpi=80)


def plot(axes: Any, line: dict[int, float], label: str, style: tuple[str, Any], mark: str) -> None:
    """A line, which is broken where the method changes."""
    colour, dashes = style
    for is_large in (False, True):
        part = {size: cost for size, cost in line.items() if (size > CHANGE) == is_large}
        if part:
            sizes, times = list(part), list(part.values())
            axes.plot(sizes, times, mark, color=colour, ls=dashes, label=label, ms=4, lw=1.4)
            label = ""  # once


def guide(axes: Any, sizes: tuple[int, ...], start: float) -> None:
    """Lines that grow with n and with n^2."""
    span = np.array([sizes[0], sizes[-1]], dtype=float)
    for power, name in ((1, "n"), (2, "n$^2$")):
        line = start * (span / span[0]) ** power
        axes.plot(span, line, color="#999999", lw=0.8)
        place, colour = (1.06 * span[-1], line[-1]), "#666666"
        axes.annotate(name, place, color=colour, fontsize=8, va="center")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--million", action="store_true", help="add a sieve of 1,000,000 players")
    parser.add_argument("--write", action="store_true", help="put all into docs/reference/speed.md")
    given = parser.parse_args()
    for text, flight in PLAYED:
        Play(text, 20, flight).turn(50)  # load SciPy
    rounds = {key: cost for size in SIZES for key, cost in rounds_of(size).items()}
    tables = [rounds_table(rounds).shown(), maxin_table().shown()]
    boards = {size: min((board(size) for _ in range(turns(size))), key=sum) for size in BOARDS}
    tables.append(boards_table(boards).shown())
    fields = (*FIELDS, MILLION) if given.million else FIELDS
    costs = {size: apart(warm_sieve_cost, size) for size in fields}
    tables += [sieve_table(costs).shown(), memory_table().shown()]
    if given.write:
        draw(rounds, boards, costs)
        picture = f"![CPU time against players](../figures/{PICTURE.name})"
        text = "\n\n".join([picture, *(table.text() for table in tables)])
        write_measured(DOCS / "reference" / "speed.md", "scaling.py", text)


if __name__ == "__main__":
    main()
