"""Guards: requests of other sites, and for other hosts, are refused; answers allow little."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from maxin.core import InvalidInput
from maxin.service.access.refusal import Refusal

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})  # methods that change nothing
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
SINGLE = frozenset(  # headers of which a request has one at most
    (
        b"authorization",
        b"cookie",
        b"host",
        b"idempotency-key",
        b"origin",
        b"sec-fetch-site",
        b"x-forwarded-proto",
        b"x-worker",
    )
)
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",  # the bars of a table have their width there
        "img-src 'self' data:",
        "media-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (  # of every answer that does not set its own
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Hosts:
    """The names under which the service may be called.

    A page of another site can have its name lead here, and would then count as the same site; its
    name is not among these.

    Args:
        bound: the address that the service listens on.
        allowed: more names.

    >>> hosts = Hosts("127.0.0.1")
    >>> hosts.has("localhost:8000"), hosts.has("evil.example"), hosts.is_local
    (True, False, True)
    """

    def __init__(self, bound: str, allowed: Iterable[str] = ()) -> None:
        named = {check_host_name(name) for name in allowed}
        self._is_loopback = _is_loopback(bound)
        self.is_local = self._is_loopback and not named
        self.names = LOCAL | named | {bound.lower()}

    def has(self, host: str) -> bool:
        """Whether a header Host names us; with a port or without."""
        name = hostname(host)
        if name in self.names or _is_loopback(name):
            return True
        # No name leads to an address that is written as numbers.
        return not self._is_loopback and _is_address(name)

    def check(self, host: bytes | None) -> None:
        """Raise `Refusal` unless the header Host names us."""
        text = "" if host is None else host.decode("latin-1")
        if not self.has(text):
            name = hostname(text) or "NAME"
            raise Refusal(
                421,
                f"this service does not answer for the host {text!r}; to allow it, start "
                f"`maxin serve` with --allow-host {name}",
            )


def check_host_name(name: str) -> str:
    """Return a name in lower case, or raise unless it is one without scheme and port.

    >>> check_host_name("Arena.example.org"), check_host_name("[::1]")
    ('arena.example.org', '::1')
    """
    plain = name.strip().lower().removeprefix("[").removesuffix("]")
    is_name = bool(plain) and all(c.isalnum() or c in "-._" for c in plain)
    if is_name or _is_address(plain):
        return plain
    raise InvalidInput(
        f"an allowed host must be a name without scheme and port, arena.example.org; got {name!r}"
    )


def check_headers(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Raise `Refusal` if a header that names who asks for what was sent twice.

    A proxy may read the first one and we the last.

    >>> check_headers([(b"host", b"localhost"), (b"host", b"evil.example")])
    Traceback (most recent call last):
    maxin.service.access.refusal.Refusal: the header host may be sent once only
    """
    sent = set()
    for name, _ in headers:
        if name in sent:
            raise Refusal(400, f"the header {name.decode()} may be sent once only")
        if name in SINGLE:
            sent.add(name)


def check_origin(method: str, headers: Mapping[bytes, bytes]) -> None:
    """Raise `Refusal` if another site makes a browser send a request that changes something.

    A token in the header is proof enough: browsers do not send it by themselves.

    >>> check_origin("POST", {b"sec-fetch-site": b"cross-site"})
    Traceback (most recent call last):
    maxin.service.access.refusal.Refusal: another site ... (sec-fetch-site: cross-site)
    """
    if method in SAFE or headers.get(b"authorization", b"")[:7].lower() == b"bearer ":
        return
    site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
    if site is not None:
        if site not in (b"same-origin", b"none"):
            raise _foreign("sec-fetch-site", site)
    elif origin is not None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        with suppress(ValueError):
            if urlsplit(origin.decode("latin-1")).netloc.lower() == host:
                return
        raise _foreign("origin", origin)


def _foreign(header: str, value: bytes) -> Refusal:
    return Refusal(
        403,
        "another site may not change anything here; send the request from a page of this service, "
        f"or with a token in the header Authorization ({header}: {value.decode('latin-1')})",
    )


def hostname(host: str) -> str:
    """A host without its port, in lower case.

    >>> hostname("Localhost:8000"), hostname("[::1]:8000")
    ('localhost', '::1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return False


def _is_loopback(name: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(name).is_loopback
    return name.lower() == "localhost"
