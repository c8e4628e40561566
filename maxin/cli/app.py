"""The `maxin` command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from maxin._version import __version__
from maxin.cli.commands import (
    ask,
    bench,
    export,
    games,
    init,
    paper,
    plan,
    players,
    rank,
    report,
    run,
    show,
    simulate,
    verify,
)
from maxin.core import MaxinError

app = typer.Typer(
    help="Find the best player in the fewest matches.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
TOURNAMENT, BY_HAND, WITHOUT = "A tournament", "A tournament by hand", "Without a tournament"
COMMANDS: dict[str, dict[str, Callable[..., None]]] = {
    TOURNAMENT: {
        "init": init.init,
        "plan": plan.plan,
        "run": run.run,
        "show": show.show,
        "report": report.report,
        "export": export.export,
        "import": export.import_,
        "verify": verify.verify,
    },
    BY_HAND: {
        "start": players.start,
        "ask": ask.ask,
        "tell": ask.tell,
        "void": ask.void,
        "demand": ask.demand,
        "add": players.add,
        "pause": players.pause,
        "resume": players.resume,
        "retire": players.retire,
    },
    WITHOUT: {
        "rank": rank.rank,
        "simulate": simulate.simulate,
        "paper": paper.paper,
        "bench": bench.bench,
    },
}
for panel, commands in COMMANDS.items():
    for name, function in commands.items():
        app.command(name=name, rich_help_panel=panel)(function)
app.add_typer(games.app, name="games", rich_help_panel=WITHOUT)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"maxin {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Find the best player in the fewest matches."""


def main() -> None:
    """Run the command; errors end in one line: exit code 2 for what was asked, 1 for the disk."""
    try:
        app()
    except OSError as error:  # first: a store's failure is one of these, and a `MaxinError` too
        _fail(error, code=1)
    except MaxinError as error:
        _fail(error, code=2)


def _fail(error: Exception, code: int) -> NoReturn:
    Console(stderr=True, highlight=False, soft_wrap=True).print("[bold red]error:[/]", end=" ")
    typer.echo(str(error), err=True)
    sys.exit(code)
