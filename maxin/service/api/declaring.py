"""How a route is declared, and what its handler gets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from starlette.types import ASGIApp, Receive, Scope

from maxin.core import InvalidInput
from maxin.core.text import shortened
from maxin.service.access.roles import MAY, Caller, Need
from maxin.service.api.answers import Answer
from maxin.service.service import Service
from maxin.worker.source import UnknownMatch

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
        return self.number("match")

    def number(self, name: str) -> int:
        """The number in this part of the path."""
        text: str = self.scope["path_params"][name]
        if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
            raise UnknownMatch(
                f"the number of a {name} must be a whole number from 1 on with at most "
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
Decorated = TypeVar("Decorated", bound=Handler)


class ApiRoute(NamedTuple):
    """A route: every one has a role, and nothing is served that is not declared.

    Args:
        method: of HTTP.
        path: with the names of its parts in braces: /matches/{match}/result.
        role: who may; "anyone" needs no token.
        handler: makes the answer; its docstring describes the route.
        answers: the type of the body for each status; None for an empty one or a problem, and
            the media type, as text, for what is not JSON.
        body: the type of the request's body.
        query: the type of its query.
    """

    method: str
    path: str
    role: Need
    handler: Handler
    answers: Mapping[int, Any]
    body: Any = None
    query: Any = None

    @property
    def in_api(self) -> bool:
        """Whether the description of the API has it; pages are for people."""
        return bool(self.answers)

    @property
    def summary(self) -> str:
        """A sentence for the description of the API."""
        return " ".join((self.handler.__doc__ or "").split())


class Routes(list[ApiRoute]):
    """A table of routes; `add` declares the function below it as the handler of one.

    Args:
        prefix: what all paths begin with.

    >>> routes = Routes()
    >>> @routes.add("GET /players", "viewer", {200: list}, (404,))
    ... async def players(call):
    ...     "All players."
    >>> routes[0].path, routes[0].summary, routes[0].answers
    ('/api/v1/players', 'All players.', {401: None, ..., 404: None, 200: <class 'list'>})
    """

    def __init__(self, prefix: str = PREFIX) -> None:
        super().__init__()
        self._prefix = prefix

    def add(
        self,
        route: str,
        role: Need,
        answers: Mapping[int, Any] = MappingProxyType({}),
        problems: Iterable[int] = (),
        *,
        body: Any = None,
        query: Any = None,
    ) -> Callable[[Decorated], Decorated]:
        """Declare a handler; `ApiRoute` has the arguments.

        Args:
            route: method and path, such as "GET /players".
            role: who may.
            answers: the types of bodies. A route without answers is a page, which the description
                of the API leaves out.
            problems: further statuses, besides those that every route with a token, a body or a
                query may answer.
            body: the type of the request's body.
            query: the type of its query.
        """
        method, _, path = route.partition(" ")
        if role not in MAY:
            raise InvalidInput(f"the route {path} must have a role: {', '.join(MAY)}; got {role!r}")
        common: tuple[int, ...] = () if role == "anyone" else (401, 403, 429)
        common += () if body is None else (400, 413, 422)
        common += () if query is None else (422,)
        statuses = {**dict.fromkeys((*common, *problems)), **answers} if answers else {}

        def declare(handler: Decorated) -> Decorated:
            found = (method, self._prefix + path, role, handler, statuses)
            self.append(ApiRoute(*found, body, query))
            return handler

        return declare
