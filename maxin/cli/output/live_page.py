"""The live page of a run: served by a thread of the same program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from maxin.core import InvalidInput, MissingExtra
from maxin.tournament import Tournament

HOST, PORT = "127.0.0.1", 8000  # another port if this one is in use


@contextmanager
def live_page(tournament: Tournament, ends: Mapping[str, Any]) -> Iterator[str]:
    """Serve a tournament while it is played; the value is the address.

    Args:
        tournament: what is shown.
        ends: the budget, the confidence and the tolerance of the run.
    """
    try:
        from maxin.service.server import listen, serving
        from maxin.service.service import Service
    except ImportError as error:
        raise MissingExtra(
            f"--serve needs {error.name}; install it with pip install 'maxin[web]'"
        ) from None
    names = ("budget", "confidence", "tolerance")
    service = Service.of(tournament, **{name: ends[name] for name in names})
    try:
        listening = listen(HOST, PORT)
    except InvalidInput:
        listening = listen(HOST, 0)
    with serving(service, listening) as url:
        yield url
