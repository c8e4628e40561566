"""`maxin games`: which games there are, and what one of them looks like."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from maxin.games import Game

app = typer.Typer(help="List the games, or show one.", invoke_without_command=True)


@app.callback()
def list_games(context: typer.Context) -> None:
    """List the games, or show one."""
    if context.invoked_subcommand is None:
        Console().print(games_table())


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(help="A game, e.g. elo:n_players=50,noise=0.1, or a .npy/.csv file.")
    ],
    seed: Annotated[int, typer.Option(min=0, help="Draws the players of a random game.")] = 0,
) -> None:
    """Show a game: its size, how cyclic it is, who is on top, and its payoffs."""
    import numpy as np

    from maxin.games import make_game

    console = Console()
    game = make_game(name, np.random.default_rng([seed, 0]))
    console.print(facts_table(game))
    console.print(top_table(game))
    print_payoffs(game, console)


def games_table() -> Table:
    """Every game made from rules, with its options."""
    from maxin.games import GAMES

    table = Table("game", "options", "what it is", title="Games made from rules", title_style="")
    for name, builder in GAMES.items():
        options = [
            f"{parameter.name}={parameter.default}"
            for parameter in inspect.signature(builder).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY
        ]
        what = (inspect.getdoc(builder) or "").splitlines()[0]
        table.add_row(f"[bold]{name}[/]", "\n".join(options), what)
    table.caption = "Options follow a colon: elo:n_players=50,noise=0.1. Or give a .npy/.csv file."
    return table


def facts_table(game: Game) -> Table:
    """Size, transitive and cyclic share, sink components."""
    from scipy.special import logit

    from maxin.evaluation import sink_components
    from maxin.ratings import hodge

    share = hodge(logit(game.probabilities)).transitive_share
    sinks = sink_components(game.probabilities)
    sizes = ", ".join(str(len(sink)) for sink in sinks[:10]) + (", ..." if len(sinks) > 10 else "")
    title = Text(game.name, style="bold")
    table = Table(show_header=False, title=title, min_width=40)
    table.add_row("players", str(game.n_players))
    table.add_row("transitive share", f"{share:.1%}")
    table.add_row("cyclic share", f"{1.0 - share:.1%}")
    table.add_row("sink components", f"{len(sinks)} (of {sizes} players)")
    return table


def top_table(game: Game) -> Table:
    """The five best players by true rating."""
    table = Table("rank", "player", "true rating", "mean score", title="Top five", title_style="")
    for rank, player in enumerate(game.top(min(5, game.n_players))[:5], start=1):
        rating, score = game.ratings[player], game.mean_scores[player]
        table.add_row(str(rank), str(player), f"{rating:+.3f}", f"{score:.3f}")
    return table


def print_payoffs(game: Game, console: Console) -> None:
    """The payoff matrix as coloured cells, best players first."""
    from maxin.cli.output.heatmap import heatmap

    order = (-game.ratings).argsort(kind="stable")
    console.print("\nPayoffs, best players first (row against column)")
    console.print(heatmap(game.payoffs[order][:, order], console))
