"""What viewers see: standings, the crosstable, players and matches."""

from __future__ import annotations

import asyncio
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
from maxin.service.lanes import Lane
from maxin.service.pages.shown import is_found
from maxin.service.shared_cache import Made
from maxin.storage import PlayedMatch, Store
from maxin.storage.results import results_after, void_after
from maxin.storage.votes.items import output_types
from maxin.tournament import Tournament
from maxin.views.crosstable import Crosstable
from maxin.views.formats import worker_name

MOST_TEXT = 1 << 20  # characters of what programs said about the matches in one answer
VIEWERS = Routes()


async def fresh(call: Call, lane: Lane, make: partial[Any], *asked: Any) -> Answer:
    """The answer as of the board, or 304 to somebody who has it.

    Args:
        call: the request.
        lane: where the body is made.
        make: makes it of what is asked, and of nothing else in the request.
        asked: what the request means: other words for it make no other answer.
    """
    etag = call.service.board.state.etag
    headers = (("etag", etag), ("cache-control", "no-cache"))
    if etag in (call.header("if-none-match") or ""):
        return Answer(304, headers=headers)
    key = (make.func, etag, repr(asked))
    async with asyncio.timeout(call.service.patience):
        made = await call.service.cache.get(
            key, lane, lambda: Made(Answer(body=make(*asked)).encoded())
        )
    return Answer(200, made.body, headers)


@VIEWERS.add("GET /leaderboard", "viewer", {200: LeaderboardBody, 304: None}, query=StandingsQuery)
async def leaderboard(call: Call) -> Answer:
    """The verdict and the standings, whole or in part."""
    service = call.service
    make = partial(_leaderboard, service.board.state)
    return await fresh(call, service.lanes.board, make, call.query)


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
    make = partial(_slices, service.board.state, service.tournament)
    return await fresh(call, service.lanes.whole, make, call.query)


def _slices(state: LiveState, tournament: Tournament, query: SlicesQuery) -> Any:
    document = tournament.slices(query.by).document()
    for part in document["slices"]:
        part["standings"] = part["standings"][: query.limit]
    return SlicesBody(seq=state.seq, **document)


@VIEWERS.add("GET /crosstable", "viewer", {200: CrosstableBody, 304: None}, query=CrosstableQuery)
async def crosstable(call: Call) -> Answer:
    """What each player scored against each other, of the best players."""
    service = call.service
    make = partial(_crosstable, service.board.state)
    return await fresh(call, service.lanes.board, make, call.query)


def _crosstable(state: LiveState, query: CrosstableQuery) -> Any:
    belief = state.overview.belief
    ranked = [row.player for row in state.overview.leaderboard[: query.limit]]
    table = Crosstable.of(belief.names, belief.tally, ranked)
    coverage = table.coverage.document()
    return CrosstableBody(seq=state.seq, coverage=coverage, **table.document())


@VIEWERS.add("GET /players", "viewer", {200: PlayersBody, 304: None})
async def players(call: Call) -> Answer:
    """All players with their options."""
    service = call.service
    make = partial(_players, service.board.state, service.tournament.store)
    return await fresh(call, service.lanes.record, make)


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
    """Results in the order of the record, those taken back included; or void matches.

    An answer ends after `limit` rows, or before their data, errors and games have more than 1 MiB.
    """
    make = partial(_matches, call.service.tournament.store)
    return await fresh(call, call.service.lanes.record, make, call.query)


def _matches(store: Store, query: MatchesQuery) -> MatchesBody:
    names = [row.name for row in store.players()]
    players: tuple[int, ...] = ()
    if query.player is not None:
        players = (names.index(check_name(query.player, names, "player")),)
    wanted, is_whole = (query.after, query.limit, players), True
    if query.voided:
        found = [match._asdict() for match in void_after(store, *wanted)]
    else:
        results, is_whole = results_after(store, *wanted, size=MOST_TEXT)
        found = [_result(*one) for one in results]
    for row in found:
        row["first"], row["second"] = names[row["first"]], names[row["second"]]
    rows = [MatchRow(**row) for row in found]
    is_last = is_whole and len(rows) < query.limit
    return MatchesBody(rows, None if is_last else rows[-1].seq)


@VIEWERS.add("GET /matches/{match}", "viewer", {200: MatchBody, 304: None}, (404,))
async def one_match(call: Call) -> Answer:
    """One match: its results, what failed, and what a voter compared, once there is a vote."""
    make = partial(_match, call.service.tournament)
    return await fresh(call, call.service.lanes.record, make, call.match)


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
        read = partial(answered_output, store, call.match, seat)
        output = await call.service.lanes.outputs.run(read)
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
