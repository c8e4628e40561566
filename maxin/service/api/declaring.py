"""How a route is declared, and what its handler gets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Receive, Scope

from maxin.core import InvalidInput
from maxin.core.text import shortened
from maxin.service.access.roles import MAY, Caller, Need
from maxin.service.api.answers import Answer
from maxin.service.service import Service
from maxin.tournament.tickets.tickets import UnknownMatch

PREFIX = "/api/v1"
LONGEST_NUMBER = 15  # digits of a match's number
LONGEST_SHOWN = 40  # characters of one that is wrong


@dataclass(slots=True)
class Call:
    """One request.

    Args:
        service: what is asked.
        caller: who asks; its role is enough.
        scope: of ASGI.
        receive: of ASGI; the body has been read if the route has one.
        headers: names in lower case.
        body: what the route's type says.
        query: what the route's type says.
    """

    service: Service
    caller: Caller
    scope: Scope
    receive: Receive
    headers: Mapping[bytes, bytes]
    body: Any = None
    query: Any = None

    @property
    def match(self) -> int:
        """The number of the match in the path."""
        text: str = self.scope["path_params"]["match"]
        if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
            raise UnknownMatch(
                "the number of a match must be a whole number from 1 on with at most "
                f"{LONGEST_NUMBER} digits; got {shortened(text, LONGEST_SHOWN)!r}"
            )
        return int(text)

    @property
    def address(self) -> str:
        """Where the request comes from."""
        return self.scope["client"][0] if self.scope.get("client") else ""

    def header(self, name: str) -> str | None:
        """A header; None if it was not sent."""
        found = self.headers.get(name.encode())
        return None if found is None else found.decode("latin-1")


Handler = Callable[[Call], Awaitable[Answer | ASGIApp]]


class ApiRoute(NamedTuple):
    """A route: every one has a role, and nothing is served that is not declared.

    Args:
        method: of HTTP.
        path: with the names of its parts in braces: /matches/{match}/result.
        role: who may; "anyone" needs no token.
        handler: makes the answer.
        summary: a sentence for the description of the API.
        answers: the type of the body for each status; None for an empty one or a problem, and
            the media type, as text, for what is not JSON.
        body: the type of the request's body.
        query: the type of its query.
    """

    method: str
    path: str
    role: Need
    handler: Handler
    summary: str
    answers: Mapping[int, Any]
    body: Any = None
    query: Any = None

    @property
    def in_api(self) -> bool:
        """Whether the description of the API has it; pages are for people."""
        return bool(self.answers)


def api(
    method: str,
    path: str,
    role: Need,
    handler: Handler,
    summary: str,
    answers: Mapping[int, Any],
    *,
    body: Any = None,
    query: Any = None,
) -> ApiRoute:
    """Declare a route below /api/v1; `ApiRoute` has the arguments.

    >>> len(api("GET", "/players", "viewer", None, "All players.", {200: list}).path)
    15
    """
    return declared(method, PREFIX + path, role, handler, summary, answers, body=body, query=query)


def declared(
    method: str,
    path: str,
    role: Need,
    handler: Handler,
    summary: str = "",
    answers: Mapping[int, Any] = MappingProxyType({}),
    *,
    body: Any = None,
    query: Any = None,
) -> ApiRoute:
    """Declare a route anywhere; one without answers is a page, which the description leaves out.

    >>> declared("GET", "/vote", "", None)
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: the route /vote must have a role: anyone, ...; got ''
    """
    if role not in MAY:
        raise InvalidInput(f"the route {path} must have a role: {', '.join(MAY)}; got {role!r}")
    return ApiRoute(method, path, role, handler, summary, answers, body, query)
