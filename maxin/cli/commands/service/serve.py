"""`maxin serve`: a tournament on the network."""

import sys
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.flags import repeated, setting
from maxin.cli.config.settings import StopSettings, Store, stop_of
from maxin.cli.config.stores import stored_tournament
from maxin.core import InvalidInput, MissingExtra
from maxin.core.declaration import TEXT, whole


def serve(
    url: Store = None,
    /,
    *,
    store: Store = None,
    host: Annotated[
        str,
        setting(
            TEXT, "The address to listen on; 0.0.0.0 is all of them.", "ADDRESS", shown="127.0.0.1"
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        setting(whole(0, 65_535), "The port to listen on; 0 takes a free one.", "N", shown="8000"),
    ] = 8000,
    allow_host: Annotated[
        tuple[str, ...],
        repeated("A name that leads here, such as arena.example.org; repeat it for each.", "NAME"),
    ] = (),
    stop: Annotated[StopSettings, Parameter("*")] = StopSettings(),
) -> None:
    """Serve a tournament: workers and people take part over HTTP.

    By default only this machine is served, and needs no token. To serve others, make tokens with
    `maxin token add` and give --host or --allow-host. Ctrl-C ends it; workers keep their matches.
    """
    try:
        from maxin.service.access.guards import Hosts
        from maxin.service.server import check_tokens, listen, url_of
        from maxin.service.server import serve as serve_http
        from maxin.service.service import Service
        from maxin.storage.votes.items import has_items
    except ImportError as error:
        raise MissingExtra(
            f"`maxin serve` needs {error.name}; install it with pip install 'maxin[web]'"
        ) from None
    if url is not None and store is not None:
        raise InvalidInput(f"give the store once; got {url!r} and --store {store!r}")
    with stored_tournament(url or store) as tournament:
        service = Service.of(tournament, hosts=Hosts(host, allow_host), **vars(stop_of(stop)))
        check_tokens(service.hosts, len(service.tokens), tournament.store)
        listening = listen(host, port)
        place = url_of(listening)
        if not service.hosts.is_local:
            note = "connections are not encrypted; have a proxy with TLS in front of it"
            print(f"warning: {note}", file=sys.stderr)
        lines = [f"serving {place}"]
        if has_items(tournament.store):
            lines.append(f"people vote at {place}/vote")
        serve_http(service, listening, ready=lambda: print(*lines, sep="\n", flush=True))
