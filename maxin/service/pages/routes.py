"""The routes of the pages, and of the stream of events that keeps them live."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache, partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from maxin.service.access.roles import Need
from maxin.service.api.answers import Answer
from maxin.service.api.declaring import PREFIX, Call, Routes
from maxin.service.api.voters import pair_key, voter_of
from maxin.service.arena.markdown import markdown_html
from maxin.service.arena.pairs import SIDES, compared
from maxin.service.board import LiveBoard
from maxin.service.pages.live import Site
from maxin.service.pages.outputs import CHOICES, ShownSide, output_html
from maxin.service.pages.site import environment, render
from maxin.service.service import Service
from maxin.storage import Store

PAGES = Routes(prefix="")
HTML = "text/html; charset=utf-8"
HEARTBEAT = 15.0  # seconds between two signs of life, so that a proxy keeps the connection
HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # nginx passes each event on at once
}


def _page(path: str, role: Need, answer: Callable[[Site, Request], Awaitable[Response]]) -> None:
    """Declare a page that the site answers."""

    @PAGES.add(f"GET {path}", role)
    async def handler(call: Call) -> ASGIApp:
        return await answer(call.service.site, Request(call.scope, call.receive))


_page("/", "viewer", Site.live)
_page("/players/{name:path}", "viewer", Site.player)
_page("/matches", "viewer", Site.matches)
_page("/slices", "viewer", Site.slices)
_page("/report", "viewer", Site.report)
_page("/static/{file}", "anyone", Site.static)


@cache
def vote_html() -> bytes:
    """The page for voters, which is the same for everybody: the API has what it shows."""
    return environment().get_template("votes/vote.html").render(choices=CHOICES).encode()


@PAGES.add("GET /vote", "anyone")
async def vote_page(call: Call) -> Answer:
    """The page on which people vote."""
    return Answer(200, vote_html(), (("cache-control", "no-cache"),), HTML)


@PAGES.add("GET /vote/{pair}", "voter")
async def pair_part(call: Call) -> Answer:
    """What a voter compares, as a part of that page."""
    read = partial(pair_html, call.service.tournament.store, voter_of(call.caller), pair_key(call))
    async with asyncio.timeout(call.service.patience):
        return Answer(200, await call.service.lanes.outputs.run(read), media=HTML)


def pair_html(store: Store, voter: str, key: str) -> bytes:
    """A prompt and two outputs as HTML; it names no player."""
    prompt, *outputs = compared(store, voter, key)
    left, right = (
        ShownSide(letter, output_html(output, letter, f"{PREFIX}/pairs/{key}/{side}"))
        for side, letter, output in zip(SIDES, "AB", outputs, strict=True)
    )
    page = render("votes/pair.html", prompt=markdown_html(prompt), left=left, right=right)
    return page.encode()


async def board_events(board: LiveBoard, last_id: str | None) -> AsyncIterator[bytes]:
    """One event per state of the board; slow viewers get the latest only.

    Args:
        board: whose state is sent.
        last_id: the last event that this viewer got before its connection broke.
    """
    yield b"retry: 2000\n\n"
    sent = int(last_id) if last_id and last_id.isdecimal() else -1
    while board.is_open:
        state = board.state if board.state.seq != sent else await board.news(sent, HEARTBEAT)
        if state is None:
            yield b": still here\n\n"
        else:
            sent = state.seq
            data = json.dumps(state.event())
            yield f"id: {sent}\nevent: board\ndata: {data}\n\n".encode()


class EventStream:
    """A viewer's stream of events, which ends when the service does.

    Args:
        service: whose board is watched.
        last_id: the last event that this viewer got.
    """

    def __init__(self, service: Service, last_id: str | None) -> None:
        self._service, self._last_id = service, last_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve ASGI."""
        with self._service.streams.one():
            await StreamingResponse(self._parts(), headers=HEADERS)(scope, receive, send)

    async def _parts(self) -> AsyncIterator[bytes]:
        source = board_events(self._service.board, self._last_id)
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


@PAGES.add(f"GET {PREFIX}/events", "viewer", {200: HEADERS["Content-Type"]}, (503,))
async def events(call: Call) -> ASGIApp:
    """Server-sent events: one whenever the board has changed."""
    call.service.streams.check()
    return EventStream(call.service, call.header("last-event-id"))


@PAGES.add("GET /matches/{match}", "viewer")
async def match_page(call: Call) -> ASGIApp:
    """The page of one match."""
    request = Request(call.scope, call.receive)
    return await call.service.site.match(request, call.caller, call.match)


@PAGES.add("GET /results/{result}", "viewer")
async def result_page(call: Call) -> ASGIApp:
    """The page of a match without a number, by the entry of its result."""
    request = Request(call.scope, call.receive)
    return await call.service.site.match(request, call.caller, None, call.number("result"))


@PAGES.add("GET /admin", "admin")
async def admin_page(call: Call) -> ASGIApp:
    """The page of organisers."""
    return await call.service.site.admin(Request(call.scope, call.receive), call.caller)


@PAGES.add("GET /sign-in", "anyone")
async def sign_in_page(call: Call) -> ASGIApp:
    """The page on which a browser gets a token."""
    return call.service.site.sign_in(call.caller)
