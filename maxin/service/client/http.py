"""Requests to a service, with connections that are kept and used again."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from maxin._version import __version__
from maxin.core import InvalidInput
from maxin.core.text import visible
from maxin.service.client.errors import ServiceLost

API = "/api/v1"
TIMEOUT = 30.0  # seconds without a byte after which an answer is lost
LONGEST = 2000  # characters of a sentence of a service that are shown
MOST_KEPT = 64  # connections that are kept open while nobody uses them


class Address(NamedTuple):
    """Where a service is: `path` is what comes before /api/v1, behind a proxy for example."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, url: str) -> Address:
        """The address in a URL, or an error that names what is wrong with it.

        >>> Address.of("https://host/league/")
        Address(scheme='https', host='host', port=443, path='/league')
        """
        rule = f"a service is at a URL such as https://host:8000; got {url!r}"
        try:
            parts = urlsplit(url)
            port = parts.port
        except (ValueError, TypeError, AttributeError):
            raise InvalidInput(rule) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(rule)
        if parts.username is not None or parts.query or parts.fragment:
            raise InvalidInput(
                f"the URL of a service is only a host, a port and a path, without a password, '?' "
                f"or '#': tokens go in MAXIN_TOKEN; got one for {parts.hostname!r}"
            )
        default = 443 if parts.scheme == "https" else 80
        path = parts.path.rstrip("/").removesuffix(API)
        return cls(parts.scheme, parts.hostname, default if port is None else port, path)

    @property
    def url(self) -> str:
        """The URL, without a slash at the end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


class Reply(NamedTuple):
    """What a service answered: the status, the headers, and the JSON document if there is one."""

    status: int
    headers: Message
    document: Any

    @property
    def pause(self) -> float:
        """Seconds that the service asks to wait; 0 if it says nothing."""
        try:
            return max(0.0, float(self.headers["Retry-After"]))
        except (TypeError, ValueError):  # none, or a date
            return 0.0

    @property
    def detail(self) -> str:
        """The sentence about a problem (RFC 9457), as a terminal may show it; else empty."""
        document = self.document if isinstance(self.document, Mapping) else {}
        return visible(str(document.get("detail") or document.get("title") or ""))[:LONGEST]


class Http:
    """Sends requests to one service; any thread may call it.

    A connection is used by one request at a time and then kept, so there are as many as there
    are requests at the same time.

    Args:
        url: of the service.
        headers: sent with every request.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._address = Address.of(url)
        self._headers = {"User-Agent": f"maxin/{__version__}", **headers}
        self._kept: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._tls = ssl.create_default_context() if self._address.scheme == "https" else None

    @property
    def url(self) -> str:
        """Of the service."""
        return self._address.url

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._lock:
            kept, self._kept = self._kept, []
        for connection in kept:
            connection.close()

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        *,
        timeout: float = TIMEOUT,
    ) -> Reply:
        """The answer to one request; raises `ServiceLost` if there is none.

        A connection that the service has closed meanwhile is replaced by a new one. So a request
        may arrive twice: all requests of ours may.
        """
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        every = {**self._headers, **(headers or {})}
        if data is not None:
            every["Content-Type"] = "application/json"
        kept = self._take()
        if kept is not None:
            with suppress(ServiceLost):
                return self._exchange(kept, method, path, data, every, timeout)
            self.close()  # whatever ended this one has probably ended the others
        return self._exchange(self._connect(timeout), method, path, data, every, timeout)

    def _take(self) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._kept.pop() if self._kept else None

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        _, host, port, _ = self._address
        made: http.client.HTTPConnection
        if self._tls is None:
            made = http.client.HTTPConnection(host, port, timeout=timeout)
        else:
            made = http.client.HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        try:
            made.connect()
        except ssl.SSLCertVerificationError as error:
            raise InvalidInput(
                f"{self.url} has a certificate that is not valid here: {error.verify_message}; "
                "SSL_CERT_FILE names the certificates that this machine trusts"
            ) from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise ServiceLost(
                f"no service at {self.url}: {reason}; `maxin serve` must be running there",
                was_reached=False,
            ) from None
        return made

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        data: bytes | None,
        headers: Mapping[str, str],
        timeout: float,
    ) -> Reply:
        try:
            connection.sock.settimeout(timeout)
            connection.request(method, f"{self._address.path}{path}", data, dict(headers))
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            words = str(error) or type(error).__name__
            raise ServiceLost(f"no answer from {self.url}: {words}") from None
        except BaseException:  # Ctrl-C: half of an answer is left
            connection.close()
            raise
        self._keep(connection, response.will_close)
        return Reply(response.status, response.headers, _document(text))

    def _keep(self, connection: http.client.HTTPConnection, will_close: bool) -> None:
        with self._lock:
            is_kept = not will_close and len(self._kept) < MOST_KEPT
            if is_kept:
                self._kept.append(connection)
        if not is_kept:
            connection.close()


def _document(text: bytes) -> Any:
    """The JSON in a body; None if it is something else."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
