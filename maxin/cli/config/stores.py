"""The store that a command works on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from maxin.tournament import Tournament

DEFAULT = "sqlite:///maxin.db"

StoreOption = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="MAXIN_STORE",
        help="The tournament's store: sqlite:///league.db or postgresql://host/name.",
    ),
]


def stored_tournament(url: str, *, worker: str | None = None) -> Tournament:
    """The tournament in the store at `url`, which must be there."""
    from maxin.storage import open_store
    from maxin.tournament import Tournament

    return Tournament(store=open_store(url, create=False), worker=worker)
