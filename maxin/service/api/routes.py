"""All routes; the app and the description of the API are made from this one table."""

from __future__ import annotations

from functools import cache
from typing import Any

from maxin._version import __version__
from maxin.service.access.cookies import ended_session, session_cookie
from maxin.service.access.refusal import Refusal
from maxin.service.api.admin import ADMIN
from maxin.service.api.answers import Answer
from maxin.service.api.declaring import PREFIX, ApiRoute, Call, Routes
from maxin.service.api.openapi import description
from maxin.service.api.schemas import HealthBody, SessionBody
from maxin.service.api.viewers import VIEWERS
from maxin.service.api.voters import VOTERS
from maxin.service.api.workers import WORKERS
from maxin.service.pages.routes import PAGES

GENERAL = Routes(prefix="")


@GENERAL.add("GET /health", "anyone", {200: HealthBody}, (503,))
async def health(call: Call) -> Answer:
    """Whether the service works."""
    if not (call.service.writer.is_alive and call.service.board.is_alive):
        raise Refusal(503, "a thread of the service has ended; start it again")
    trouble = call.service.writer.trouble.reason
    if trouble is not None:
        raise Refusal(503, f"the store fails: {trouble}; the log of the service says more")
    return Answer(200, HealthBody("ok", __version__))


@GENERAL.add("GET /openapi.json", "anyone", {200: dict[str, Any]})
async def openapi(call: Call) -> Answer:
    """This description."""
    return Answer(200, _described())


@cache
def _described() -> bytes:
    return Answer(body=description(TABLE)).encoded()


@GENERAL.add(f"POST {PREFIX}/session", "anyone", {204: None}, (401, 429), body=SessionBody)
async def sign_in(call: Call) -> Answer:
    """Have this browser send a token with every request, as a cookie."""
    body: SessionBody = call.body
    access = call.service.authenticator
    if await access.tokens.look_up(body.token) is None:
        raise access.failed_login(call.address)
    is_https = call.scope["scheme"] == "https"
    return Answer(204, headers=(session_cookie(body.token, call.headers, is_https=is_https),))


@GENERAL.add(f"DELETE {PREFIX}/session", "anyone", {204: None})
async def sign_out(call: Call) -> Answer:
    """Forget the token."""
    is_https = call.scope["scheme"] == "https"
    return Answer(204, headers=ended_session(call.headers, is_https=is_https))


TABLE: tuple[ApiRoute, ...] = (
    *WORKERS,
    *VOTERS,
    *VIEWERS,
    *ADMIN,
    *GENERAL,
    *PAGES,
)
