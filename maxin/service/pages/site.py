"""How a page is made: once for all viewers, and only if the board has changed."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, Concatenate

from jinja2 import ChoiceLoader, Environment, PackageLoader
from starlette.requests import Request
from starlette.responses import Response

from maxin.service.board import LiveState
from maxin.service.lanes import Lane
from maxin.service.shared_cache import Made, SharedCache
from maxin.views.html.pages import environment as report_environment

PART = "X-Part"  # a page that is open asks for its content alone


@cache
def environment() -> Environment:
    """The environment of all pages: that of reports, with the templates of the service.

    >>> environment().from_string("{{ rating | signed }}").render(rating=12.4)
    '+12'
    """
    rooms = [PackageLoader("maxin.service.pages"), PackageLoader("maxin.views.html")]
    return report_environment().overlay(loader=ChoiceLoader(rooms))


def render(template: str, *, is_part: bool = False, **values: Any) -> str:
    """A page, or its content alone; all values are escaped."""
    layout = "fragment.html" if is_part else "page.html"
    text = environment().get_template(template).render(layout=layout, **values)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def report_policy() -> str:
    """What a report may do: run its own script and that of the navigation, and nothing else."""
    own = environment().globals["script_policy"]
    return (
        f"default-src 'none'; {own} 'self'; style-src 'self' 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


class Pages:
    """Makes each page once per board, and sends it to viewers who have an older one.

    Args:
        cache: keeps them.
    """

    def __init__(self, cache: SharedCache) -> None:
        self._cache = cache

    async def send(
        self,
        request: Request,
        lane: Lane,
        page: Callable[Concatenate[LiveState, ...], str],
        state: LiveState,
        *asked: Hashable,
        etag: str | None = None,
    ) -> Response:
        """A page, or "not modified" to a viewer who has it.

        Args:
            request: what is asked.
            lane: where the page is made.
            page: makes it, of the state and of what is asked, and of nothing else.
            state: of the board.
            asked: what the page understands of the request: the rest makes no other page.
            etag: of everything that the page depends on, besides its address; that of the state
                by default.
        """
        tag = etag or state.etag
        if has(request, tag):
            return not_modified(tag)
        key = (page.__name__, tag, *asked)
        made = await self._cache.get(key, lane, lambda: packed(page(state, *asked)))
        return answer(request, tag, made)


def has(request: Request, etag: str) -> bool:
    """Whether the viewer has the page already."""
    return etag in request.headers.get("if-none-match", "")


def not_modified(etag: str) -> Response:
    """The answer to a viewer who has the page."""
    return Response(status_code=304, headers=_headers(etag))


def answer(request: Request, etag: str, made: Made) -> Response:
    """A page, packed if the browser can unpack it."""
    headers = _headers(etag)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(made.packed, media_type="text/html", headers=headers)
    return Response(made.body, media_type="text/html", headers=headers)


def packed(text: str) -> Made:
    """A page as it is sent."""
    body = text.encode()
    return Made(body, gzip.compress(body, 5))


def is_part(request: Request) -> bool:
    """Whether an open page asks for its content alone."""
    return PART in request.headers


def _headers(etag: str) -> dict[str, str]:
    return {"ETag": etag, "Cache-Control": "no-cache", "Vary": f"{PART}, Accept-Encoding"}
