"""The live page of a run: served by a thread of the same program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from maxin.core import InvalidInput, MissingExtra, Stop
from maxin.tournament import Tournament

HOST, PORT = "127.0.0.1", 8000  # another port if this one is in use


@contextmanager
def live_page(tournament: Tournament, stop: Stop) -> Iterator[str]:
    """Serve a tournament while it is played; the value is the address.

    Args:
        tournament: what is shown.
        stop: when the run ends.
    """
    try:
        from maxin.service.server import listen, serving
        from maxin.service.service import Service
    except ImportError as error:
        raise MissingExtra(
            f"--serve needs {error.name}; install it with pip install 'maxin[web]'"
        ) from None
    service = Service.of(tournament, **vars(stop))
    try:
        listening = listen(HOST, PORT)
    except InvalidInput:
        listening = listen(HOST, 0)
    with serving(service, listening) as url:
        yield url
