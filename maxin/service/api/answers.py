"""Answers: a status, a body that is encoded as JSON, and headers."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

JSON = "application/json"
BODILESS = (204, 304)  # may not even say how long their body is
_ENCODER = msgspec.json.Encoder()


class Answer(NamedTuple):
    """A response of the API.

    Args:
        status: of HTTP.
        body: what msgspec can encode, or bytes as they are; None for an empty body.
        headers: names in lower case, and values.
        media: the type of the body.
    """

    status: int = 200
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()
    media: str = JSON

    def encoded(self) -> bytes:
        """The body as it is sent.

        >>> Answer(200, {"kept": [1, 2]}).encoded()
        b'{"kept":[1,2]}'
        """
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else _ENCODER.encode(self.body)

    async def send(self, send: Any) -> None:
        """Send it over ASGI."""
        body = self.encoded()
        headers = []
        if self.status not in BODILESS:
            headers.append((b"content-length", b"%d" % len(body)))
        if body:
            headers.append((b"content-type", self.media.encode()))
        headers += [(name.encode("latin-1"), text.encode("latin-1")) for name, text in self.headers]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
