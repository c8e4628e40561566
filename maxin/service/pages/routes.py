"""The routes of all pages, and of the bell that keeps them up to date."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp

from maxin.service.api.declaring import ApiRoute, Call, Handler, api
from maxin.service.events import HEADERS, bells
from maxin.service.pages.live import Site


def page(path: str, answer: Callable[[Site, Request], Awaitable[Response]]) -> ApiRoute:
    """Declare a page that viewers see."""

    async def handler(call: Call) -> ASGIApp:
        return await answer(call.service.site, Request(call.scope))

    return _route(path, handler)


def _route(path: str, handler: Handler) -> ApiRoute:
    return ApiRoute("GET", path, "viewer", handler, "", {})


async def static(call: Call) -> ASGIApp:
    """GET /static/{file}."""
    return await call.service.site.static(Request(call.scope))


async def events(call: Call) -> ASGIApp:
    """GET /api/v1/events."""
    streams = call.service.streams
    with streams.one():  # refused before the answer begins
        pass

    async def body() -> AsyncIterator[bytes]:
        with streams.one():
            async for event in bells(call.service.board, call.header("last-event-id")):
                yield event

    return StreamingResponse(body(), headers=HEADERS)


PAGES: tuple[ApiRoute, ...] = (
    page("/", Site.live),
    page("/players/{name:path}", Site.player),
    page("/matches", Site.matches),
    page("/report", Site.report),
    ApiRoute("GET", "/static/{file}", "anyone", static, "", {}),
    api("GET", "/events", "viewer", events, "The bell: server-sent events.", {200: str}),
)
