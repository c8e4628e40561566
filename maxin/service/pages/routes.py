"""The routes of the pages, and of the stream of bells that keeps them live."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from maxin.service.access.roles import Need
from maxin.service.api.declaring import ApiRoute, Call, api, declared
from maxin.service.events import HEADERS, bells
from maxin.service.pages.live import Site
from maxin.service.pages.vote import vote_page
from maxin.service.service import Service


def page(path: str, role: Need, answer: Callable[[Site, Request], Awaitable[Response]]) -> ApiRoute:
    """Declare a page that the site answers.

    >>> len(page("/report", "viewer", Site.report).path)
    7
    """

    async def handler(call: Call) -> ASGIApp:
        return await answer(call.service.site, Request(call.scope, call.receive))

    return declared("GET", path, role, handler)


class BellStream:
    """A viewer's stream of bells, which ends when the service does.

    Args:
        service: whose board is heard of.
        last_id: the last event that this viewer heard.
    """

    def __init__(self, service: Service, last_id: str | None) -> None:
        self._service, self._last_id = service, last_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve ASGI."""
        with self._service.streams.one():
            await StreamingResponse(self._parts(), headers=HEADERS)(scope, receive, send)

    async def _parts(self) -> AsyncIterator[bytes]:
        source = bells(self._service.board, self._last_id)
        closing = asyncio.ensure_future(self._service.closing.wait())
        try:
            while True:
                part: asyncio.Future[Any] = asyncio.ensure_future(anext(source))
                await asyncio.wait({part, closing}, return_when=asyncio.FIRST_COMPLETED)
                if closing.done():
                    part.cancel()
                    return
                yield part.result()
        finally:
            closing.cancel()


async def events(call: Call) -> ASGIApp:
    """GET /events."""
    call.service.streams.check()
    return BellStream(call.service, call.header("last-event-id"))


async def admin_page(call: Call) -> ASGIApp:
    """GET /admin."""
    return await call.service.site.admin(Request(call.scope, call.receive), call.caller)


async def sign_in_page(call: Call) -> ASGIApp:
    """GET /sign-in."""
    return call.service.site.sign_in(call.caller)


PAGES: tuple[ApiRoute, ...] = (
    page("/", "viewer", Site.live),
    page("/players/{name:path}", "viewer", Site.player),
    page("/matches", "viewer", Site.matches),
    page("/report", "viewer", Site.report),
    declared("GET", "/vote", "anyone", vote_page),
    declared("GET", "/admin", "admin", admin_page),
    declared("GET", "/sign-in", "anyone", sign_in_page),
    page("/static/{file}", "anyone", Site.static),
    api(
        "GET",
        "/events",
        "viewer",
        events,
        "Server-sent events: a bell whenever the board has changed.",
        {200: HEADERS["Content-Type"], 503: None},
    ),
)
