"""`maxin simulate`: schedulers side by side on a game whose truth is known."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from maxin.core import InvalidInput

if TYPE_CHECKING:
    from maxin.experiments import Simulation

SLICE = 0.08  # seconds of play between two looks at the table


def simulate(
    game: Annotated[
        str, typer.Argument(help="A game (see `maxin games`), e.g. elo:n_players=50, or a file.")
    ] = "elo",
    scheduler: Annotated[
        list[str] | None,
        typer.Option(
            help="top-two, double-thompson, ranking, maxin, maxinp, rg-ucb, dbgd, alpha-ig, "
            "random, round-robin or knockout, with options and ratings: "
            "maxin:exploration=0.6+melo. Give it again to compare.",
            show_default="top-two and random",
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Matches each scheduler may play.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same run.")] = 0,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw the curves to this .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Play schedulers against a game whose truth is known, with the same budget."""
    from maxin.experiments import start_simulations
    from maxin.experiments.plotting import check_picture

    names = scheduler or ["top-two", "random"]
    if len(set(names)) < len(names):
        raise InvalidInput(f"every --scheduler once; got {', '.join(names)}")
    if picture is not None:
        check_picture(picture)
    console = Console()
    runs = dict(zip(names, start_simulations(game, names, seed), strict=True))
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
            f"{run.regret:.0f}",
            str(run.rank),
            f"player {run.scheduler.ratings().argmax()}",
        )
    truth = next(iter(runs.values())).game.top()
    table.caption = "truly best: " + ", ".join(f"player {player}" for player in truth)
    return table


def show_curves(
    runs: dict[str, Simulation], title: str, picture: Path | None, console: Console
) -> None:
    """The closing picture, on the terminal and, if asked for, in a file."""
    from maxin.cli.output.chart import side_by_side
    from maxin.experiments.plotting import save_curves

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
