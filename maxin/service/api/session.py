"""Sessions: a browser gives its token once, and then sends it as a cookie that no script sees."""

from __future__ import annotations

from maxin.service.access.callers import session_cookie
from maxin.service.api.answers import Answer
from maxin.service.api.bodies import SessionBody
from maxin.service.api.declaring import ApiRoute, Call, api


async def sign_in(call: Call) -> Answer:
    """POST /session."""
    body: SessionBody = call.body
    keeper = call.service.doorkeeper
    if keeper.tokens.find(body.token) is None:
        raise keeper.failed_login(call.address)
    is_https = call.scope["scheme"] == "https"
    return Answer(204, headers=(session_cookie(body.token, is_https=is_https),))


async def sign_out(call: Call) -> Answer:
    """DELETE /session."""
    is_https = call.scope["scheme"] == "https"
    return Answer(204, headers=(session_cookie("", is_https=is_https),))


SESSION: tuple[ApiRoute, ...] = (
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
