"""The pages that show a tournament: live standings, a player, matches, the report."""

from __future__ import annotations

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
from maxin.service.lanes import Lanes
from maxin.service.pages import shown
from maxin.service.pages.match_page import MatchPage, recorded_elsewhere
from maxin.service.pages.report import Reports
from maxin.service.pages.site import (
    Pages,
    answer,
    has,
    is_part,
    not_modified,
    render,
    report_policy,
)
from maxin.service.shared_cache import SharedCache
from maxin.storage import StoreFailed
from maxin.storage.results import latest_results
from maxin.storage.tokens import read_tokens
from maxin.storage.votes.items import has_items
from maxin.tournament import Tournament
from maxin.views.crosstable import Crosstable
from maxin.views.html.board import PageBoard
from maxin.views.html.report_data import options_line
from maxin.views.overview import MANY, Leaders
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
        lanes: where pages are made.
        cache: keeps them.
    """

    def __init__(
        self, tournament: Tournament, board: LiveBoard, lanes: Lanes, cache: SharedCache
    ) -> None:
        self._tournament, self._board, self._lanes = tournament, board, lanes
        self._pages, self._reports = Pages(cache), Reports(tournament)
        self._has_items = has_items(tournament.store)

    @property
    def _state(self) -> LiveState:
        return self._board.state

    def _render(self, template: str, **values: Any) -> str:
        """A page, whose links lead to the votes if there is something to vote on."""
        with suppress(StoreFailed):  # pages are shown while the store is away
            self._has_items = self._has_items or has_items(self._tournament.store)
        return render(template, has_items=self._has_items, **values)

    def close(self) -> None:
        """Make no more reports."""
        self._reports.close()

    async def live(self, request: Request) -> Response:
        """The live page."""
        state, (find, page) = self._state, _slice(request)
        page = min(page, len(state.overview.leaderboard) // MANY + 1)  # all beyond are the last
        asked = find, page, is_part(request)
        return await self._pages.send(request, self._lanes.board, self._live, state, *asked)

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
        asked = name, is_part(request)
        return await self._pages.send(request, self._lanes.record, self._player, state, *asked)

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
        query = request.query_params
        wanted = (query.get(key, "")[:LONGEST] for key in ("player", "against", "before"))
        asked = *wanted, query.get("retracted") == "yes", is_part(request)
        return await self._pages.send(
            request, self._lanes.record, self._matches, self._state, *asked
        )

    def _matches(
        self,
        state: LiveState,
        player: str,
        against: str,
        before: str,
        with_retracted: bool,
        part: bool,
    ) -> str:
        names, store = state.overview.belief.names, self._tournament.store
        wanted = {"player": player, "against": against}
        unknown = [name for name in wanted.values() if name and name not in names]
        problem = f"There is no player named {unknown[0]!r}." if unknown else ""
        if before and not _is_whole(before):
            problem = f"`before` must be the number of an entry; got {before!r}."
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
        here = {**wanted, "retracted": "yes" if with_retracted else ""}
        kept = {key: value for key, value in here.items() if value}
        older = urlencode({**kept, "before": latest[-1].seq}) if len(latest) == MATCHES else ""
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
        asked = number, entry, step, is_admin, is_part(request)
        etag = f'{state.etag[:-1]}-admin"' if is_admin else state.etag
        return await self._pages.send(
            request, self._lanes.match, self._match, state, *asked, etag=etag
        )

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
        asked = request.query_params.get("by", USUAL)[:LONGEST], is_part(request)
        return await self._pages.send(request, self._lanes.whole, self._slices, self._state, *asked)

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
        etag = self._state.etag
        if has(request, etag):
            found = not_modified(etag)
        else:
            found = answer(request, *await self._reports.get(etag))
        found.headers["Content-Security-Policy"] = report_policy()
        return found

    async def admin(self, request: Request, caller: Caller) -> Response:
        """The page on which organisers change things; made for each of them."""
        make = partial(self._admin, self._state, caller, *_slice(request), is_part(request))
        text = await self._lanes.admin.run(make)
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
