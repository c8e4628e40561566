"""The server: uvicorn, with an end that does not wait for streams."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, cast

import uvicorn

from maxin.core import InvalidInput
from maxin.service.access.connections import HERE
from maxin.service.access.guards import Hosts
from maxin.service.app import make_app
from maxin.service.protocol import pieces
from maxin.service.service import Service

GRACE = 1  # seconds for open requests to end
BACKLOG = 2_048


class Server(uvicorn.Server):
    """Serves a service.

    Args:
        service: what is served.
        ready: is called when requests are taken.
    """

    def __init__(self, service: Service, ready: Callable[[], None] = lambda: None) -> None:
        connections = service.connections
        super().__init__(
            uvicorn.Config(
                make_app(service),
                http=cast(Any, partial(pieces, connections)),
                loop="auto",
                ws="none",
                lifespan="on",
                log_level="warning",
                access_log=False,
                server_header=False,
                forwarded_allow_ips=list(HERE),
                timeout_keep_alive=math.ceil(connections.limits.idle_time),
                timeout_graceful_shutdown=GRACE,
                backlog=BACKLOG,
            )
        )
        self._service, self._ready = service, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn; the streams end first, since they never end by themselves."""
        self._service.closing.set()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; the port 0 chooses a free one.

    >>> with listen("127.0.0.1", 0) as found:
    ...     found.getsockname()[1] > 0
    True
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        why = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(f"cannot listen on {host}, port {port}: {why}") from None
    listening.listen(BACKLOG)
    return listening


def url_of(listening: socket.socket) -> str:
    """The address of a socket.

    >>> with listen("127.0.0.1", 0) as found:
    ...     url_of(found)[:17]
    'http://127.0.0.1:'
    """
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def check_tokens(hosts: Hosts, n_tokens: int, store: object) -> None:
    """Refuse to serve others than this machine without a token.

    >>> check_tokens(Hosts("0.0.0.0"), 1, "sqlite:///league.db")
    """
    if not hosts.is_local and not n_tokens:
        raise InvalidInput(
            "a service for other machines needs tokens, and the store has none; "
            f"`maxin token add admin NAME --store {store}` makes one"
        )


@contextmanager
def serving(service: Service, listening: socket.socket) -> Iterator[str]:
    """Serve in a thread while the caller does something else; the value is the address."""
    check_tokens(service.hosts, len(service.tokens), service.tournament.store)
    ready = threading.Event()
    server = Server(service, ready.set)
    thread = threading.Thread(target=server.run, args=([listening],), name="maxin serves")
    with listening:
        thread.start()
        try:
            while not ready.wait(0.1):
                if not thread.is_alive():
                    raise RuntimeError("the server did not start; its log has the reason")
            yield url_of(listening)
        finally:
            server.should_exit = True
            thread.join()


def serve(
    service: Service, listening: socket.socket, *, ready: Callable[[], None] = lambda: None
) -> None:
    """Serve until Ctrl-C or SIGTERM; `ready` is called when requests are taken."""
    check_tokens(service.hosts, len(service.tokens), service.tournament.store)
    with listening, suppress(KeyboardInterrupt):
        Server(service, ready).run([listening])
