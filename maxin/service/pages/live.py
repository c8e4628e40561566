"""The pages that show a tournament: live standings, a player, matches, the report."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from importlib.resources import files
from operator import attrgetter
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from maxin.core import InvalidInput
from maxin.core.text import shortened, visible
from maxin.service.access.refusal import Refusal
from maxin.service.access.roles import Caller, Need
from maxin.service.api.problems import Problem
from maxin.service.arena.voters import voter_table
from maxin.service.board import LiveBoard, LiveState
from maxin.service.pages import shown
from maxin.service.pages.match_page import MatchPage, recorded_elsewhere
from maxin.service.pages.site import Pages, is_part, render, report_policy
from maxin.storage import StoreFailed
from maxin.storage.items import has_items
from maxin.storage.results import latest_results
from maxin.storage.tokens import read_tokens
from maxin.tournament import Tournament
from maxin.views.crosstable import Crosstable
from maxin.views.html.board import PageBoard
from maxin.views.html.report_data import options_line, read_report
from maxin.views.overview import Leaders
from maxin.views.slices import USUAL

LONGEST = 200  # characters of what is searched for
MATCHES = 100  # on a page
STATIC = {  # every file that a page loads
    "style.css": ("maxin.views.html", "templates/style.css", "text/css"),
    "service.css": ("maxin.service.pages", "static/service.css", "text/css"),
    "outputs.css": ("maxin.service.pages", "static/outputs.css", "text/css"),
    "vote.css": ("maxin.service.pages", "static/vote.css", "text/css"),
    "vote.js": ("maxin.service.pages", "static/vote.js", "text/javascript"),
    "match.css": ("maxin.service.pages", "static/match.css", "text/css"),
    "live.js": ("maxin.service.pages", "static/live.js", "text/javascript"),
    "admin.js": ("maxin.service.pages", "static/admin.js", "text/javascript"),
    "sign_in.js": ("maxin.service.pages", "static/sign_in.js", "text/javascript"),
}


class Site:
    """Answers the requests for pages.

    Args:
        tournament: what is shown.
        board: what all viewers see.
    """

    def __init__(self, tournament: Tournament, board: LiveBoard) -> None:
        self._tournament, self._board = tournament, board
        self._pages = Pages()
        self._has_items = has_items(tournament.store)

    @property
    def _state(self) -> LiveState:
        return self._board.state

    def _render(self, template: str, **values: Any) -> str:
        """A page, whose links lead to the votes if there is something to vote on."""
        with suppress(StoreFailed):  # pages are shown while the store is away
            self._has_items = self._has_items or has_items(self._tournament.store)
        return render(template, has_items=self._has_items, **values)

    async def live(self, request: Request) -> Response:
        """The live page."""
        state = self._state
        make = partial(self._live, state, *_slice(request), is_part(request))
        return await self._pages.send(request, state.etag, make)

    def _live(self, state: LiveState, find: str, page: int, part: bool) -> str:
        overview, leaderboard = state.overview, state.overview.leaderboard
        candidates = overview.top.candidates if overview.top else ()
        leaders = Leaders.of(overview)
        rows = shown.Rows.of(leaderboard, find, page, attrgetter("player"))
        on_page = shown.leaders_of_page(rows, leaders)
        best = leaders.names[: shown.CROSSTABLE]
        return self._render(
            "live.html",
            is_part=part,
            here="/",
            state=state,
            progress=shown.progress(state),
            verdict=shown.verdict(state),
            find=find,
            rows=rows,
            board=PageBoard(leaderboard, on_page, candidates) if rows.shown else None,
            leaders=leaders,
            crosstable=Crosstable.of(overview.belief.names, overview.belief.tally, best),
            latest=shown.latest_matches(state),
            fields=state.fields,
            workers=shown.shown_workers(state.held),
            votes=shown.OpenVotes.of(state.held),
        )

    async def player(self, request: Request) -> Response:
        """The page of one player."""
        state, name = self._state, request.path_params["name"]
        row = next((row for row in state.overview.leaderboard if row.player == name), None)
        if row is None:
            words = f"there is no player named {shortened(visible(name), LONGEST)!r}"
            raise Refusal(404, words)
        make = partial(self._player, state, name, is_part(request))
        return await self._pages.send(request, state.etag, make)

    def _player(self, state: LiveState, name: str, part: bool) -> str:
        names, store = state.overview.belief.names, self._tournament.store
        row = next(row for row in state.overview.leaderboard if row.player == name)
        options = {one.name: one.options for one in self._tournament.entrants()}[name]
        rows = latest_results(store, shown.LATEST, players=(names.index(name),))
        return self._render(
            "player.html",
            is_part=part,
            here="",
            state=state,
            player=shown.ShownPlayer.of(state, row, options_line(options)),
            latest=shown.shown_matches(names, rows),
        )

    async def matches(self, request: Request) -> Response:
        """The matches, newest first, of everyone or of one or two players."""
        state = self._state
        make = partial(self._matches, state, dict(request.query_params), is_part(request))
        return await self._pages.send(request, state.etag, make)

    def _matches(self, state: LiveState, query: dict[str, str], part: bool) -> str:
        names, store = state.overview.belief.names, self._tournament.store
        wanted = {key: query.get(key, "")[:LONGEST] for key in ("player", "against")}
        unknown = [name for name in wanted.values() if name and name not in names]
        with_retracted, before = query.get("retracted") == "yes", query.get("before", "")
        problem = f"There is no player named {unknown[0]!r}." if unknown else ""
        if before and not _is_whole(before):
            problem = f"`before` must be the number of an entry; got {before[:LONGEST]!r}."
        rows = (
            []
            if problem
            else latest_results(
                store,
                MATCHES,
                before=int(before) if before else None,
                players=tuple(names.index(name) for name in wanted.values() if name),
                retracted=with_retracted,
            )
        )
        latest = shown.shown_matches(names, rows)
        older = urlencode({**query, "before": latest[-1].seq}) if len(latest) == MATCHES else ""
        return self._render(
            "matches.html",
            is_part=part,
            here="/matches",
            state=state,
            progress=shown.progress(state),
            **wanted,
            retracted=with_retracted,
            problem=problem,
            latest=latest,
            older=f"/matches?{older}" if older else "",
        )

    async def match(
        self, request: Request, caller: Caller, number: int | None, entry: int = 0
    ) -> Response:
        """The page of one match: by its number, or by the entry of its result if it has none."""
        state, is_admin = self._state, caller.may("admin")
        step = _asked(request, "game"), _asked(request, "ply")
        make = partial(self._match, state, number, entry, step, is_admin, is_part(request))
        etag = f'{state.etag[:-1]}-admin"' if is_admin else state.etag
        return await self._pages.send(request, etag, make)

    def _match(
        self,
        state: LiveState,
        number: int | None,
        entry: int,
        step: tuple[int | None, int | None],
        is_admin: bool,
        part: bool,
    ) -> str:
        store = self._tournament.store
        if number is None:
            match = recorded_elsewhere(store, entry)
        else:
            match = self._tournament.match(number)
        page = MatchPage.of(store, match, step, names_voters=is_admin)
        return self._render(
            "match.html", is_part=part, here="", state=state, page=page, match=match
        )

    async def slices(self, request: Request) -> Response:
        """A leaderboard for each value of a field of the results."""
        by = request.query_params.get("by", USUAL)[:LONGEST]
        make = partial(self._slices, self._state, by, is_part(request))
        return await self._pages.send(request, self._state.etag, make)

    def _slices(self, state: LiveState, by: str, part: bool) -> str:
        found, problem = None, ""
        try:
            found = self._tournament.slices(by)
        except InvalidInput as error:
            problem = str(error)
        return self._render(
            "slices.html",
            is_part=part,
            here="/slices",
            state=state,
            progress=shown.progress(state),
            by=by,
            fields=state.fields,
            slices=found,
            boards=[] if found is None else shown.slice_boards(found),
            problem=problem,
        )

    async def report(self, request: Request) -> Response:
        """The report of all results; it carries its own style and script."""
        answer = await self._pages.send(request, self._state.etag, self._report)
        answer.headers["Content-Security-Policy"] = report_policy()
        return answer

    def _report(self) -> str:
        return self._render(
            "report_page.html", data=read_report(self._tournament), matches="/matches"
        )

    async def admin(self, request: Request, caller: Caller) -> Response:
        """The page on which organisers change things; made for each of them."""
        part, wanted = is_part(request), _slice(request)
        text = await asyncio.to_thread(self._admin, self._state, caller, *wanted, part)
        return Response(text, media_type="text/html", headers={"Cache-Control": "no-store"})

    def _admin(self, state: LiveState, caller: Caller, find: str, page: int, part: bool) -> str:
        store = self._tournament.store
        players = [row for row in store.players() if row.state != "removed"]
        return self._render(
            "admin.html",
            is_part=part,
            here="/admin",
            module="admin.js",
            me=caller,
            state=state,
            progress=shown.progress(state),
            find=find,
            rows=shown.Rows.of(players, find, page, attrgetter("name")),
            tokens=[row for row in read_tokens(store) if row.role != "voter"],
            voters=voter_table(self._tournament),
            audit=shown.audit_log(store),
        )

    def problem(
        self, found: Problem, headers: Iterable[tuple[str, str]], need: Need = "viewer"
    ) -> Response:
        """What a person sees instead of a page; with a form to sign in, if that would help."""
        text = render("problem.html", problem=found, need=need, has_items=self._has_items)
        return Response(text, found.status, dict(headers), media_type="text/html")

    def sign_in(self, caller: Caller) -> Response:
        """The page on which a browser gets a token, or forgets it."""
        text = render("sign_in.html", me=caller, has_items=self._has_items)
        return Response(text, media_type="text/html", headers={"Cache-Control": "no-store"})

    async def static(self, request: Request) -> Response:
        """A file that pages load."""
        found = STATIC.get(request.path_params["file"])
        if found is None:
            raise Refusal(404, "there is no such file")
        package, path, kind = found
        body = files(package).joinpath(path).read_bytes()
        return Response(body, media_type=kind, headers={"Cache-Control": "no-cache"})


def _slice(request: Request) -> tuple[str, int]:
    """What a list is searched for, and which page of it is wanted; the first by default."""
    find, page = request.query_params.get("find", ""), request.query_params.get("page", "1")
    return find[:LONGEST], int(page) if _is_whole(page) else 1


def _asked(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    return int(text) if _is_whole(text) else None


def _is_whole(text: str) -> bool:
    return text.isdecimal() and len(text) < 19
