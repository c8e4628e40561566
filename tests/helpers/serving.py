"""A real server in a thread, and requests to it."""

import http.client
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.helpers.waiting import LONG


@dataclass
class Reply:
    """The answer to a request."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw) if self.raw else None


@dataclass
class Served:
    """A service that runs: where, and how to ask it."""

    service: Any
    url: str
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host, int(port)

    def ask(self, method, path, body=None, token=None, **headers) -> Reply:
        """Send one request; underscores in the names of headers become dashes."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        connection = http.client.HTTPConnection(*self.address, timeout=LONG)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, names, answer.read())
        finally:
            connection.close()

    def api(self, method, path, body=None, token=None, **headers) -> Reply:
        """A request below /api/v1."""
        return self.ask(method, f"/api/v1{path}", body, token, **headers)


@contextmanager
def serving(service, host="127.0.0.1"):
    """Serve in a thread, on a free port."""
    from maxin.service import server

    with server.serving(service, server.listen(host, 0)) as url:
        yield Served(service, url.replace("0.0.0.0", "127.0.0.1"))
