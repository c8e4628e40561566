"""What viewers see: standings, the crosstable, players and matches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from maxin.core import check_name
from maxin.service.api.answers import Answer
from maxin.service.api.bodies import (
    CrosstableBody,
    CrosstableQuery,
    LeaderboardBody,
    MatchesBody,
    MatchesQuery,
    PlayersBody,
    StandingsQuery,
)
from maxin.service.api.declaring import ApiRoute, Call, api
from maxin.service.api.listing import list_results, list_void
from maxin.service.board import Seen
from maxin.service.pages.shown import is_found
from maxin.storage import Store
from maxin.views.crosstable import Crosstable


async def fresh(call: Call, make: Callable[[], Any]) -> Answer:
    """The answer as of the board, or 304 to somebody who has it."""
    etag = call.service.board.seen.etag
    headers = (("etag", etag), ("cache-control", "no-cache"))
    if etag in (call.header("if-none-match") or ""):
        return Answer(304, headers=headers)
    query = call.scope["query_string"].decode("latin-1")
    key = (etag, call.scope["path"], query)
    async with asyncio.timeout(call.service.patience):
        body = await call.service.made.get(key, lambda: Answer(body=make()).encoded())
    return Answer(200, body, headers)


async def leaderboard(call: Call) -> Answer:
    """GET /leaderboard."""
    return await fresh(call, partial(_leaderboard, call.service.board.seen, call.query))


def _leaderboard(seen: Seen, query: StandingsQuery) -> dict[str, Any]:
    document = {"seq": seen.seq, "over": seen.overview.over or None, **seen.overview.document()}
    found = [row for row in document["standings"] if is_found(row["player"], query.find)]
    end = None if query.limit is None else query.offset + query.limit
    return {**document, "n_found": len(found), "standings": found[query.offset : end]}


async def crosstable(call: Call) -> Answer:
    """GET /crosstable."""
    return await fresh(call, partial(_crosstable, call.service.board.seen, call.query))


def _crosstable(seen: Seen, query: CrosstableQuery) -> dict[str, Any]:
    belief = seen.overview.belief
    ranked = [row.player for row in seen.overview.leaderboard[: query.limit]]
    table = Crosstable.of(belief.names, belief.tally, ranked)
    return {"seq": seen.seq, **table.document(), "coverage": table.coverage.document()}


async def players(call: Call) -> Answer:
    """GET /players."""
    store = call.service.tournament.store
    return await fresh(call, partial(_players, call.service.board.seen, store))


def _players(seen: Seen, store: Store) -> dict[str, Any]:
    n_matches = {row.player: row.matches for row in seen.overview.leaderboard}
    rows = [
        {
            "name": row.name,
            "state": row.state,
            "options": dict(row.options),
            "matches": n_matches.get(row.name, 0),
        }
        for row in store.players()
        if row.state != "removed"
    ]
    return {"seq": seen.seq, "rows": rows}


async def matches(call: Call) -> Answer:
    """GET /matches."""
    return await fresh(call, partial(_matches, call.service.tournament.store, call.query))


def _matches(store: Store, query: MatchesQuery) -> dict[str, Any]:
    names = [row.name for row in store.players()]
    player = None
    if query.player is not None:
        player = names.index(check_name(query.player, names, "player"))
    found = (list_void if query.voided else list_results)(store, query.after, query.limit, player)
    rows = [{**row, "first": names[row["first"]], "second": names[row["second"]]} for row in found]
    return {"rows": rows, "next": rows[-1]["seq"] if len(rows) == query.limit else None}


VIEWERS: tuple[ApiRoute, ...] = (
    api(
        "GET",
        "/leaderboard",
        "viewer",
        leaderboard,
        "The verdict and the standings, whole or in part.",
        {200: LeaderboardBody, 304: None, 422: None},
        query=StandingsQuery,
    ),
    api(
        "GET",
        "/crosstable",
        "viewer",
        crosstable,
        "What each player scored against each other, of the best players.",
        {200: CrosstableBody, 304: None, 422: None},
        query=CrosstableQuery,
    ),
    api(
        "GET",
        "/players",
        "viewer",
        players,
        "All players with their options.",
        {200: PlayersBody, 304: None},
    ),
    api(
        "GET",
        "/matches",
        "viewer",
        matches,
        "Results in the order of the record, those taken back included; or void matches.",
        {200: MatchesBody, 304: None, 404: None, 422: None},
        query=MatchesQuery,
    ),
)
