"""`maxin simulate`: schedulers side by side on a game whose truth is known."""

import time
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from maxin.cli.config.declaration import setting
from maxin.cli.config.options import repeated
from maxin.cli.config.rules import whole
from maxin.cli.config.settings import SCHEDULER_NAMES
from maxin.cli.output.charts.chart import side_by_side
from maxin.core import InvalidInput
from maxin.experiments import Simulation, start_simulations
from maxin.experiments.plotting import check_picture, save_curves

SLICE = 0.08  # seconds of play between two updates of the table
COMPARED = ("top-two", "random")  # schedulers, if none are given


def simulate(
    game: Annotated[
        str,
        Parameter(
            help="A game (see `maxin games`), e.g. elo:n_players=50, or a file.", metavar="GAME"
        ),
    ] = "elo",
    /,
    *,
    scheduler: Annotated[
        tuple[str, ...],
        repeated(
            f"{SCHEDULER_NAMES}, with options and ratings: maxin:exploration=0.6+melo. Repeat it "
            "to compare several.",
            "NAME",
            shown=" and ".join(COMPARED),
        ),
    ] = COMPARED,
    rounds: Annotated[
        int, setting(whole(1), "Matches that each scheduler plays.", "N", shown="1000")
    ] = 1000,
    seed: Annotated[
        int, setting(whole(0), "The same seed gives the same run.", "N", shown="0")
    ] = 0,
    picture: Annotated[
        Path | None,
        Parameter(help="Also draw the curves to this .png, .svg or .pdf file.", metavar="FILE"),
    ] = None,
) -> None:
    """Simulate schedulers on a game whose truth is known, with the same number of matches."""
    if len(set(scheduler)) < len(scheduler):
        raise InvalidInput(f"give every --scheduler once; got {', '.join(scheduler)}")
    if picture is not None:
        check_picture(picture)
    console = Console()
    runs = dict(zip(scheduler, start_simulations(game, list(scheduler), seed), strict=True))
    title = f"{next(iter(runs.values())).game.name}, {rounds} rounds, seed {seed}"
    play(runs, rounds, title, console)
    show_curves(runs, title, picture, console)


def play(runs: dict[str, Simulation], rounds: int, title: str, console: Console) -> None:
    """Play all simulations in turns; on a terminal their table grows side by side."""
    progress = Progress(
        TextColumn("rounds"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    )
    task = progress.add_task("rounds", total=rounds * len(runs))
    shown = Live(console=console, auto_refresh=False, transient=True)
    with shown if console.is_terminal else nullcontext():
        while any(not run.is_over and run.n_rounds < rounds for run in runs.values()):
            for run in runs.values():
                _advance(run, rounds)
            done = sum(rounds if run.is_over else run.n_rounds for run in runs.values())
            progress.update(task, completed=done)
            shown.update(Group(score_table(runs, title), progress), refresh=console.is_terminal)
    console.print(score_table(runs, title))


def _advance(run: Simulation, rounds: int) -> None:
    """Let one simulation play for a slice of time."""
    end = time.perf_counter() + SLICE
    while not run.is_over and run.n_rounds < rounds and time.perf_counter() < end:
        run.advance(1)


def score_table(runs: dict[str, Simulation], title: str) -> Table:
    """How every scheduler is doing."""
    table = Table(
        "scheduler", "rounds", "regret", "rank of true best", "thinks best", title=Text(title)
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for name, run in runs.items():
        table.add_row(
            Text(name + (" (over)" if run.is_over else ""), style="bold", overflow="fold"),
            str(run.n_rounds),
            str(round(run.regret)),
            str(run.rank),
            f"player {run.scheduler.ratings().argmax()}",
        )
    truth = next(iter(runs.values())).game.top()
    table.caption = "truly best: " + ", ".join(f"player {player}" for player in truth)
    return table


def show_curves(
    runs: dict[str, Simulation], title: str, picture: Path | None, console: Console
) -> None:
    """The curves, on the terminal and, if asked for, in a file."""
    traces = {name: run.trace() for name, run in runs.items()}
    panels = {
        "cumulative regret (nats)": {name: trace.regret for name, trace in traces.items()},
        "rank of the truly best player": {
            name: trace.rank.astype(float) for name, trace in traces.items()
        },
    }
    console.print(side_by_side(panels, console))
    if picture is not None:
        save_curves(traces, title, picture)
        console.print(f"Curves saved to {picture}", highlight=False, soft_wrap=True, markup=False)
