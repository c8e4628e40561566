"""How a page is made: once for all viewers, and only if the board has changed."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from jinja2 import ChoiceLoader, Environment, PackageLoader
from starlette.requests import Request
from starlette.responses import Response

from maxin.service.shared_cache import SharedCache
from maxin.views.html.pages import environment as report_environment

PART = "X-Part"  # a page that is open asks for its content alone


class _Made(NamedTuple):
    """A page as it is sent."""

    body: bytes
    packed: bytes  # the same by gzip


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
    """Makes each page once per board, and sends it to viewers who have an older one."""

    def __init__(self) -> None:
        self._cache: SharedCache[_Made] = SharedCache()

    async def send(self, request: Request, etag: str, make: Callable[[], str]) -> Response:
        """The page that `make` returns, or "not modified" to a viewer who has it.

        Args:
            request: what is asked.
            etag: of everything that the page depends on, besides its address.
            make: returns the page; called in a thread.
        """
        headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": f"{PART}, Accept-Encoding"}
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        key = (etag, request.url.path, request.url.query, request.headers.get(PART, ""))
        found = await self._cache.get(key, partial(_made, make))
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(found.packed, media_type="text/html", headers=headers)
        return Response(found.body, media_type="text/html", headers=headers)


def is_part(request: Request) -> bool:
    """Whether an open page asks for its content alone."""
    return PART in request.headers


def _made(make: Callable[[], str]) -> _Made:
    body = make().encode()
    return _Made(body, gzip.compress(body, 5))
