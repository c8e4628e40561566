"""An endpoint: all methods of one path, from the request to the answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import parse_qsl

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from maxin.service.access.refusal import Refusal
from maxin.service.access.roles import Caller
from maxin.service.api.answers import Answer
from maxin.service.api.declaring import PREFIX, ApiRoute, Call
from maxin.service.api.problems import problem, refusal_of
from maxin.service.api.rules import checked, decoded
from maxin.service.service import Service

LARGEST_BODY = 1 << 20  # bytes
LARGEST_OF_ANYONE = 1 << 12  # bytes: a token, and no more
LOG = logging.getLogger("maxin.service")


class Endpoint:
    """Answers requests for one path.

    Args:
        service: what is asked.
        routes: those with this path.
    """

    def __init__(self, service: Service, routes: Sequence[ApiRoute]) -> None:
        self._service = service
        self._routes = {route.method: route for route in routes}
        self._decoders = {
            route.method: msgspec.json.Decoder(route.body) for route in routes if route.body
        }
        methods = {*self._routes, *(("HEAD",) if "GET" in self._routes else ())}
        self._allowed = ", ".join(sorted(methods))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve ASGI."""
        answer: Answer | ASGIApp
        try:
            answer = await self._answer(scope, receive)
        except Exception as error:
            answer = self._refused(scope, problem_of(error))
        if isinstance(answer, Answer):
            await answer.send(send)
        else:
            await answer(scope, receive, send)

    def _refused(self, scope: Scope, answer: Answer) -> Answer | ASGIApp:
        """A page for a person, and the problem itself for a program."""
        if not wants_page(scope):
            return answer
        need = self._routes["GET"].role if "GET" in self._routes else "viewer"
        return self._service.site.problem(answer.body, answer.headers, need)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer | ASGIApp:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        route = self._routes.get(method)
        if route is None:
            detail = f"{scope['path']} has no {method}; it has {self._allowed}"
            raise Refusal(405, detail, headers=(("allow", self._allowed),))
        headers = scope["maxin.headers"]
        call = Call(self._service, Caller(), scope, receive, headers)
        service = self._service
        call.caller = await service.authenticator.admit(headers, call.address, route.role)
        service.connections.admit(scope["maxin.connection"], call.caller, call.address)
        if route.query is not None:
            given = dict(parse_qsl(scope["query_string"].decode("latin-1")))
            convert = partial(msgspec.convert, given, route.query, strict=False)
            call.query = checked(convert, route.query, lambda: given, "the query")
        if route.body is not None:
            largest = LARGEST_OF_ANYONE if route.role == "anyone" else LARGEST_BODY
            body_time = service.connections.limits.body_time
            body = await read_body(receive, headers, largest, body_time)
            call.body = decoded(self._decoders[method], body, route.body)
        return await route.handler(call)


def wants_page(scope: Scope) -> bool:
    """Whether a person asks, with a browser.

    >>> wants_page({"path": "/", "maxin.headers": {b"accept": b"text/html"}})
    True
    """
    is_api = scope["path"].startswith(PREFIX)
    return not is_api and b"text/html" in scope["maxin.headers"].get(b"accept", b"")


def problem_of(error: Exception) -> Answer:
    """The answer to an error; one that is a mistake of ours is logged."""
    refused = refusal_of(error)
    if refused is None:
        LOG.error("a request failed", exc_info=error)
        refused = Refusal(500, "the service made a mistake; its log has the details")
    return problem(refused)


async def read_body(
    receive: Receive, headers: Mapping[bytes, bytes], largest: int, seconds: float
) -> bytes:
    """The whole body, if it has at most `largest` bytes and comes in so many seconds."""
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length[:20]) > largest:
        raise _too_large(largest)
    try:
        async with asyncio.timeout(seconds):
            return await _received(receive, largest)
    except TimeoutError:
        raise Refusal(408, f"the body did not arrive within {seconds:g} s") from None


async def _received(receive: Receive, largest: int) -> bytes:
    parts, is_whole = bytearray(), False
    while not is_whole:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "the body ended before all of it had arrived")
        parts += message["body"]
        is_whole = not message["more_body"]
        if len(parts) > largest:
            raise _too_large(largest)
    return bytes(parts)


def _too_large(largest: int) -> Refusal:
    return Refusal(413, f"a body may have {largest:,} bytes at most")
