"""The `maxin` command."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from maxin._version import __version__
from maxin.cli import bench, games, paper, simulate
from maxin.core import MaxinError

app = typer.Typer(
    help="Find the best player in the fewest matches.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(games.app, name="games")
app.command(name="simulate")(simulate.simulate)
app.command(name="paper")(paper.paper)
app.command(name="bench")(bench.bench)


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
    except MaxinError as error:
        _fail(error, code=2)
    except OSError as error:
        _fail(error, code=1)


def _fail(error: Exception, code: int) -> NoReturn:
    Console(stderr=True, highlight=False, soft_wrap=True).print("[bold red]error:[/]", end=" ")
    typer.echo(str(error), err=True)
    sys.exit(code)
