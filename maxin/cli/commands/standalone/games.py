"""List the built-in games, or show one."""

import inspect
from typing import Annotated

import numpy as np
import scipy
from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from maxin.cli.config.flags import OPTIONS, setting
from maxin.cli.output.charts.heatmap import heatmap
from maxin.core.declaration import whole
from maxin.core.text import visible
from maxin.evaluation import sink_components
from maxin.games import GAMES, Game, make_game
from maxin.ratings import hodge_decomposition
from maxin.views.formats import tenths

app = App(name="games", help=__doc__, group_parameters=OPTIONS)


@app.default
def list_games() -> None:
    """List the built-in games, or show one."""
    Console().print(games_table())


@app.command
def show(
    game: Annotated[
        str,
        Parameter(
            help="A game, e.g. elo:n_players=50,noise=0.1, or a .npy or .csv file.", metavar="GAME"
        ),
    ],
    /,
    *,
    seed: Annotated[
        int, setting(whole(0), "Seed of the players of a random game.", "N", shown="0")
    ] = 0,
) -> None:
    """Show a game: its size, how cyclic it is, its best players, and its payoffs."""
    console = Console()
    made = make_game(game, np.random.default_rng([seed, 0]))
    console.print(facts_table(made))
    console.print(top_table(made))
    print_payoffs(made, console)


def games_table() -> Table:
    """Every game, with its options; those of plug-ins come last."""
    table = Table("game", "options", "description", title="Built-in games", title_style="")
    for name, builder in GAMES.loaded().items():
        options = [
            f"{parameter.name}={parameter.default}"
            for parameter in inspect.signature(builder).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not parameter.empty
        ]
        description = (inspect.getdoc(builder) or "").partition("\n")[0]
        table.add_row(f"[bold]{name}[/]", "\n".join(options), description)
    table.caption = (
        "Options follow a colon: elo:n_players=50,noise=0.1. A .npy or .csv file is a game too."
    )
    return table


def facts_table(game: Game) -> Table:
    """Size, transitive and cyclic share, sink components."""
    share = hodge_decomposition(scipy.special.logit(game.probabilities)).transitive_share
    sinks = sink_components(game.probabilities)
    sizes = ", ".join(str(len(sink)) for sink in sinks[:10]) + (", ..." if len(sinks) > 10 else "")
    players = "player" if sizes == "1" else "players"
    table = Table(show_header=False, title=Text(game.name, style="bold"), min_width=40)
    table.add_row("players", str(game.n_players))
    table.add_row("transitive share", tenths(share))
    table.add_row("cyclic share", tenths(1.0 - share))
    table.add_row("sink components", f"{len(sinks)} (of {sizes} {players})")
    return table


def top_table(game: Game) -> Table:
    """The five best players by true rating."""
    table = Table("rank", "player", "true rating", "mean score", title="Top five", title_style="")
    for rank, player in enumerate(game.top(min(5, game.n_players))[:5], start=1):
        rating, score = game.ratings[player], game.mean_scores[player]
        name = Text(visible(game.names[player])) if game.names else str(player)
        table.add_row(str(rank), name, f"{round(rating, 3) + 0.0:+.3f}", f"{score:.3f}")
    return table


def print_payoffs(game: Game, console: Console) -> None:
    """The payoff matrix as coloured cells, best players first."""
    order = (-game.ratings).argsort(kind="stable")
    console.print("\nPayoffs, best players first (row against column)")
    console.print(heatmap(game.payoffs[order][:, order], console))
