"""What viewers see: standings, the crosstable, players and matches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from maxin.core import check_name
from maxin.service.api.answers import Answer
from maxin.service.api.declaring import Call, Routes
from maxin.service.api.outputs import sent
from maxin.service.api.schemas import (
    CrosstableBody,
    CrosstableQuery,
    FailureRow,
    LeaderboardBody,
    MatchBody,
    MatchesBody,
    MatchesQuery,
    MatchRow,
    PlayerRowBody,
    PlayersBody,
    SideBody,
    SlicesBody,
    SlicesQuery,
    StandingsQuery,
)
from maxin.service.arena.answered import answered_output, answered_pair, output_url
from maxin.service.board import LiveState
from maxin.service.pages.shown import is_found
from maxin.storage import PlayedMatch, Store
from maxin.storage.items import output_types
from maxin.storage.results import results_after, void_after
from maxin.tournament import Tournament
from maxin.views.crosstable import Crosstable
from maxin.views.formats import worker_name

VIEWERS = Routes()


async def fresh(call: Call, make: Callable[[], Any]) -> Answer:
    """The answer as of the board, or 304 to somebody who has it."""
    etag = call.service.board.state.etag
    headers = (("etag", etag), ("cache-control", "no-cache"))
    if etag in (call.header("if-none-match") or ""):
        return Answer(304, headers=headers)
    query = call.scope["query_string"].decode("latin-1")
    key = (etag, call.scope["path"], query)
    async with asyncio.timeout(call.service.patience):
        body = await call.service.cache.get(key, lambda: Answer(body=make()).encoded())
    return Answer(200, body, headers)


@VIEWERS.add("GET /leaderboard", "viewer", {200: LeaderboardBody, 304: None}, query=StandingsQuery)
async def leaderboard(call: Call) -> Answer:
    """The verdict and the standings, whole or in part."""
    return await fresh(call, partial(_leaderboard, call.service.board.state, call.query))


def _leaderboard(state: LiveState, query: StandingsQuery) -> Any:
    document = state.overview.document()
    found = [row for row in document["standings"] if is_found(row["player"], query.find)]
    end = None if query.limit is None else query.offset + query.limit
    document["standings"] = found[query.offset : end]
    over = state.overview.over or None
    return LeaderboardBody(seq=state.seq, over=over, n_found=len(found), **document)


@VIEWERS.add("GET /leaderboard/slices", "viewer", {200: SlicesBody, 304: None}, query=SlicesQuery)
async def slices(call: Call) -> Answer:
    """A leaderboard for each value of a field of the results, such as a category."""
    service = call.service
    return await fresh(call, partial(_slices, service.board.state, service.tournament, call.query))


def _slices(state: LiveState, tournament: Tournament, query: SlicesQuery) -> Any:
    document = tournament.slices(query.by).document()
    for part in document["slices"]:
        part["standings"] = part["standings"][: query.limit]
    return SlicesBody(seq=state.seq, **document)


@VIEWERS.add("GET /crosstable", "viewer", {200: CrosstableBody, 304: None}, query=CrosstableQuery)
async def crosstable(call: Call) -> Answer:
    """What each player scored against each other, of the best players."""
    return await fresh(call, partial(_crosstable, call.service.board.state, call.query))


def _crosstable(state: LiveState, query: CrosstableQuery) -> Any:
    belief = state.overview.belief
    ranked = [row.player for row in state.overview.leaderboard[: query.limit]]
    table = Crosstable.of(belief.names, belief.tally, ranked)
    coverage = table.coverage.document()
    return CrosstableBody(seq=state.seq, coverage=coverage, **table.document())


@VIEWERS.add("GET /players", "viewer", {200: PlayersBody, 304: None})
async def players(call: Call) -> Answer:
    """All players with their options."""
    store = call.service.tournament.store
    return await fresh(call, partial(_players, call.service.board.state, store))


def _players(state: LiveState, store: Store) -> PlayersBody:
    n_matches = {row.player: row.matches for row in state.overview.leaderboard}
    rows = [
        PlayerRowBody(row.name, row.state, dict(row.options), n_matches.get(row.name, 0))
        for row in store.players()
        if row.state != "removed"
    ]
    return PlayersBody(state.seq, rows)


@VIEWERS.add("GET /matches", "viewer", {200: MatchesBody, 304: None}, (404,), query=MatchesQuery)
async def matches(call: Call) -> Answer:
    """Results in the order of the record, those taken back included; or void matches."""
    return await fresh(call, partial(_matches, call.service.tournament.store, call.query))


def _matches(store: Store, query: MatchesQuery) -> MatchesBody:
    names = [row.name for row in store.players()]
    players: tuple[int, ...] = ()
    if query.player is not None:
        players = (names.index(check_name(query.player, names, "player")),)
    wanted = (query.after, query.limit, players)
    found = (
        [match._asdict() for match in void_after(store, *wanted)]
        if query.voided
        else [_result(*one) for one in results_after(store, *wanted)]
    )
    for row in found:
        row["first"], row["second"] = names[row["first"]], names[row["second"]]
    rows = [MatchRow(**row) for row in found]
    return MatchesBody(rows, rows[-1].seq if len(rows) == query.limit else None)


@VIEWERS.add("GET /matches/{match}", "viewer", {200: MatchBody, 304: None}, (404,))
async def one_match(call: Call) -> Answer:
    """One match: its results, what failed, and what a voter compared, once there is a vote."""
    return await fresh(call, partial(_match, call.service.tournament, call.match))


def _match(tournament: Tournament, number: int) -> MatchBody:
    found = tournament.match(number)
    body = MatchBody(
        number,
        found.first,
        found.second,
        found.state,
        found.seed,
        [MatchRow(**_result(one.seq, one.played)) for one in found.results],
        [FailureRow(*one) for one in found.failures],
    )
    pair = answered_pair(tournament.store, number)
    if pair is not None:
        types = output_types(tournament.store, pair.pair.item, pair.players)
        body.item, body.prompt = pair.pair.name, pair.pair.prompt
        body.outputs = [
            SideBody(output_url(number, seat), types[player])
            for seat, player in enumerate(pair.players)
        ]
    return body


async def _output(call: Call, seat: int) -> Answer:
    async with asyncio.timeout(call.service.patience):
        store = call.service.tournament.store
        output = await asyncio.to_thread(answered_output, store, call.match, seat)
    return sent(output, call.header("range"))


@VIEWERS.add("GET /matches/{match}/first", "viewer", {200: bytes, 206: bytes}, (404, 416, 503))
async def first_output(call: Call) -> Answer:
    """What the first player of a match answered, once a voter has compared it."""
    return await _output(call, 0)


@VIEWERS.add("GET /matches/{match}/second", "viewer", {200: bytes, 206: bytes}, (404, 416, 503))
async def second_output(call: Call) -> Answer:
    """What the second player answered."""
    return await _output(call, 1)


def _result(seq: int, played: PlayedMatch[Any]) -> dict[str, Any]:
    fields = played._asdict()
    number, worker = fields.pop("number"), worker_name(fields.pop("worker") or "")
    return {"seq": seq, "match": number, **fields, "worker": worker}
