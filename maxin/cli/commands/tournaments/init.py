"""`maxin init`: a config file to start with."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.config_file import template
from maxin.cli.config.flags import switch
from maxin.cli.config.settings import CONFIG_FILE
from maxin.core import InvalidInput
from maxin.core.files import naming, whole_file


def init(
    file: Annotated[Path, Parameter(help="The file to write.", metavar="FILE")] = CONFIG_FILE,
    /,
    *,
    force: Annotated[bool, switch("Overwrite the file if it exists.")] = False,
) -> None:
    """Write a commented config file for `maxin run`."""
    try:
        with (
            naming(file),
            whole_file(file) if force else file.open("x", encoding="utf-8") as writer,
        ):
            writer.write(template())
    except FileExistsError:
        raise InvalidInput(f"{str(file)!r} exists; --force overwrites it") from None
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise InvalidInput(f"{str(file)!r} cannot be written: {error.strerror}") from None
    print(f"Wrote {file}. Edit it, then run: maxin run {shlex.quote(str(file))}")
