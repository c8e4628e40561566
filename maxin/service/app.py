"""The app: every route of the table behind the guards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from maxin.service.access.guards import HEADERS, check_headers, check_origin
from maxin.service.access.refusal import Refusal
from maxin.service.api.declaring import ApiRoute
from maxin.service.api.endpoint import Endpoint, problem_of, wants_page
from maxin.service.api.routes import TABLE
from maxin.service.service import Service

__all__ = ["Service", "make_app"]

WAKE_EVERY = 1.0  # seconds: other processes' results, and leases that lapse, free matches too


class Guard:
    """Refuses what other sites send, and adds headers to every answer.

    Args:
        app: what it guards.
        service: whose hosts are known.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._hosts = app, service.hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = message["headers"]
                names = {name for name, _ in own}
                message["headers"] = [*own, *(pair for pair in HEADERS if pair[0] not in names)]
            await send(message)

        headers = scope["maxin.headers"] = dict(scope["headers"])
        try:
            check_headers(scope["headers"])
            self._hosts.check(headers.get(b"host"))
            check_origin(scope["method"], headers)
        except Refusal as refused:
            await problem_of(refused).send(send_guarded)
            return
        await self._app(scope, receive, send_guarded)


def make_app(service: Service, routes: Iterable[ApiRoute] = TABLE) -> Starlette:
    """The app of a service."""
    paths: dict[str, list[ApiRoute]] = {}
    for route in routes:
        paths.setdefault(route.path, []).append(route)
    app = Starlette(
        routes=[Route(path, Endpoint(service, same)) for path, same in paths.items()],
        middleware=[Middleware(Guard, service=service)],
        exception_handlers={HTTPException: partial(_not_found, service)},
        lifespan=lambda _: _lifespan(service),
    )
    app.router.redirect_slashes = False  # only what the table has is served
    return app


async def _not_found(service: Service, request: Request, error: Exception) -> Response:
    """What Starlette refuses: a path that no route has."""
    assert isinstance(error, HTTPException)
    answer = problem_of(Refusal(error.status_code, f"there is no {request.url.path} here"))
    if wants_page(request.scope):
        return service.site.problem(answer.body, answer.headers)
    return Response(answer.encoded(), answer.status, media_type=answer.media)


@asynccontextmanager
async def _lifespan(service: Service) -> AsyncIterator[None]:
    """The service works while the app does."""
    service.start()
    waking = asyncio.create_task(_keep_waking(service))
    try:
        yield
    finally:
        waking.cancel()
        await service.close()


async def _keep_waking(service: Service) -> None:
    while True:
        await asyncio.sleep(WAKE_EVERY)
        service.queue.wake()
