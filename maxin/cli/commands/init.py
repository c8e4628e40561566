"""`maxin init`: a config file to begin with."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from maxin.core import InvalidInput

DEFAULT_FILE = Path("maxin.toml")


def template() -> str:
    """The config file that is written: every key, its default and what it is for."""
    return files("maxin.cli.config").joinpath("template.toml").read_text(encoding="utf-8")


def init(
    path: Annotated[Path, typer.Argument(help="The file to write.")] = DEFAULT_FILE,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a file that is there.")
    ] = False,
) -> None:
    """Write a commented config file for `maxin run`."""
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        raise InvalidInput(f"{str(path)!r} is there already; --force writes over it") from None
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise InvalidInput(f"{str(path)!r} cannot be written: {error.strerror}") from None
    typer.echo(f"Wrote {path}. Edit it, then: maxin run {shlex.quote(str(path))}")
