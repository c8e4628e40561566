"""`maxin simulate`: schedulers side by side on a game whose truth is known."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from maxin.cli.config.flags import repeated, setting
from maxin.cli.output.charts.chart import side_by_side
from maxin.cli.output.progress import ProgressBars
from maxin.core import InvalidInput
from maxin.core.declaration import whole
from maxin.core.text import counted
from maxin.games import make_game
from maxin.schedulers import make_scheduler
from maxin.schedulers.names import SCHEDULER_NAMES
from maxin.simulation.plotting import check_picture, save_curves
from maxin.simulation.simulation import SeedCurves
from maxin.views.formats import number, share

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
            f"{', '.join(SCHEDULER_NAMES)}, with options and ratings: maxin:exploration=0.6+melo. "
            "Repeat it to compare several.",
            "NAME",
            shown=" and ".join(COMPARED),
        ),
    ] = COMPARED,
    rounds: Annotated[
        int, setting(whole(1), "Matches that each scheduler plays.", "N", shown="1000")
    ] = 1000,
    seeds: Annotated[
        int, setting(whole(1), "Simulations per scheduler; means are shown.", "N", shown="10")
    ] = 10,
    seed: Annotated[
        int, setting(whole(0), "The first seed; the same seeds give the same runs.", "N", shown="0")
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
    curves = play(game, scheduler, rounds, range(seed, seed + seeds), console)
    which = f"seed {seed}" if seeds == 1 else f"mean of seeds {seed} to {seed + seeds - 1}"
    title = f"{game}, {counted(rounds, 'round')}, {which}"
    console.print(score_table(curves, title))
    show_curves(curves, title, picture, console)


def play(
    game: str, schedulers: Sequence[str], rounds: int, seeds: range, console: Console
) -> dict[str, SeedCurves]:
    """The curves of every scheduler; on a terminal, with progress."""
    players = make_game(game, np.random.default_rng([seeds[0], 0])).n_players
    for name in schedulers:
        make_scheduler(name, players, np.random.default_rng(0))
    with ProgressBars(console, is_transient=True) as bars:

        def simulated(name: str) -> SeedCurves:
            return SeedCurves.of(
                game, name, rounds, seeds, lambda n_seeds: bars(name, n_seeds, len(seeds))
            )

        return {name: simulated(name) for name in schedulers}


def score_table(curves: Mapping[str, SeedCurves], title: str) -> Table:
    """How every scheduler did: means, with standard errors."""
    table = Table(
        "scheduler", "rounds", "regret", "rank of true best", "true best on top", title=Text(title)
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for name, here in curves.items():
        regret, rank, found, played = (curve[:, -1].astype(float) for curve in here)
        table.add_row(
            Text(name, style="bold", overflow="fold"),
            number(played.mean()),
            mean_and_error(regret),
            mean_and_error(rank),
            share(found.mean()),
        )
    if len(regret) > 1:
        table.caption = "after ±: the standard error of the mean"
    return table


def mean_and_error(values: NDArray[np.float64]) -> str:
    """The mean of one value per seed, with its standard error.

    >>> mean_and_error(np.array([1.0, 2.0, 3.0]))
    '2.00 ± 0.58'
    """
    mean, n_seeds = values.mean(), len(values)
    digits = 0 if abs(mean) >= 100.0 else 2
    error = f" ± {values.std(ddof=1) / n_seeds**0.5:.{digits}f}" if n_seeds > 1 else ""
    return f"{mean:,.{digits}f}{error}"


def show_curves(
    curves: Mapping[str, SeedCurves], title: str, picture: Path | None, console: Console
) -> None:
    """The curves, on the terminal and, if asked for, in a file."""
    panels = {
        "cumulative regret (nats)": {
            name: here.regret.mean(axis=0, dtype=float) for name, here in curves.items()
        },
        "rank of the truly best player": {
            name: here.rank.mean(axis=0, dtype=float) for name, here in curves.items()
        },
    }
    console.print(side_by_side(panels, console))
    if picture is not None:
        save_curves(curves, title, picture)
        console.print(f"Curves saved to {picture}", highlight=False, soft_wrap=True, markup=False)
