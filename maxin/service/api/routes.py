"""All routes; the app and the description of the API are made from this one table."""

from __future__ import annotations

from functools import cache
from typing import Any

from maxin._version import __version__
from maxin.service.access.cookies import ended_session, session_cookie
from maxin.service.access.refusal import Refusal
from maxin.service.api.admin import ADMIN
from maxin.service.api.answers import Answer
from maxin.service.api.bodies import HealthBody, SessionBody
from maxin.service.api.declaring import ApiRoute, Call, api, declared
from maxin.service.api.openapi import description
from maxin.service.api.viewers import VIEWERS
from maxin.service.api.voters import VOTERS
from maxin.service.api.workers import WORKERS
from maxin.service.pages.routes import PAGES


async def health(call: Call) -> Answer:
    """GET /health."""
    if not (call.service.desk.is_alive and call.service.board.is_alive):
        raise Refusal(503, "a thread of the service has ended; start it again")
    trouble = call.service.desk.trouble.reason
    if trouble is not None:
        raise Refusal(503, f"the store fails: {trouble}; the log of the service says more")
    return Answer(200, HealthBody("ok", __version__))


async def openapi(call: Call) -> Answer:
    """GET /openapi.json."""
    return Answer(200, _described())


@cache
def _described() -> bytes:
    return Answer(body=description(TABLE)).encoded()


async def sign_in(call: Call) -> Answer:
    """POST /session."""
    body: SessionBody = call.body
    keeper = call.service.doorkeeper
    if await keeper.tokens.look_up(body.token) is None:
        raise keeper.failed_login(call.address)
    is_https = call.scope["scheme"] == "https"
    return Answer(204, headers=(session_cookie(body.token, call.headers, is_https=is_https),))


async def sign_out(call: Call) -> Answer:
    """DELETE /session."""
    is_https = call.scope["scheme"] == "https"
    return Answer(204, headers=ended_session(call.headers, is_https=is_https))


GENERAL: tuple[ApiRoute, ...] = (
    declared(
        "GET",
        "/health",
        "anyone",
        health,
        "Whether the service works.",
        {200: HealthBody, 503: None},
    ),
    declared("GET", "/openapi.json", "anyone", openapi, "This description.", {200: dict[str, Any]}),
    api(
        "POST",
        "/session",
        "anyone",
        sign_in,
        "Have this browser send a token with every request, as a cookie.",
        {204: None, 401: None, 422: None, 429: None},
        body=SessionBody,
    ),
    api("DELETE", "/session", "anyone", sign_out, "Forget the token.", {204: None}),
)

TABLE: tuple[ApiRoute, ...] = (
    *WORKERS,
    *VOTERS,
    *VIEWERS,
    *ADMIN,
    *GENERAL,
    *PAGES,
)
