"""Consoles of a known width that print to memory."""

import io

from rich.console import Console


def console(colours):
    """A console of 80 columns, with or without colours."""
    return Console(
        file=io.StringIO(),
        width=80,
        force_terminal=colours,
        color_system="truecolor" if colours else None,
    )


def printed(thing, where):
    """What the console shows of a thing."""
    where.print(thing)
    return where.file.getvalue()
