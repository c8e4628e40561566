"""What voters do: join, compare pairs, vote and undo; and how organisers invite and remove them."""

from __future__ import annotations

import asyncio
from functools import partial

from maxin.service.access.cookies import session_cookie
from maxin.service.access.refusal import Refusal
from maxin.service.access.roles import Caller
from maxin.service.api.admin import actor, signed_in
from maxin.service.api.answers import Answer
from maxin.service.api.declaring import PREFIX, Call, Routes
from maxin.service.api.outputs import sent
from maxin.service.api.schemas import (
    BiasBody,
    InvitationBody,
    InviteBody,
    JoinBody,
    PairBody,
    RemovedBody,
    SideBody,
    VoteBody,
    VotedBody,
    VoterBody,
    VoterChangeBody,
    VotersBody,
)
from maxin.service.arena.pairs import CastVote, NextPair, OpenPair, Pair, Side, UndoVote, content
from maxin.service.arena.voters import Invite, RemoveVotes, voter_table
from maxin.service.group_writer import Over
from maxin.service.service import PATIENCE
from maxin.worker.result_checks import checked_reason

RETRY_AFTER = 5  # seconds, if there is nothing to compare now
LONGEST_KEY = 100  # characters
ENDS = {
    "decided": "the answer is known",
    "finished": "what is open depends on players who are paused",
}
VOTERS = Routes()


def voter_of(caller: Caller) -> str:
    """Who votes: the number of a token; without one, the name of a user of this machine.

    >>> voter_of(Caller("1f", "voter", "eve")), voter_of(Caller("", "admin", "local"))
    ('1f', 'local')
    """
    return caller.id or caller.name


@VOTERS.add("POST /voters/join", "anyone", {204: None}, (401, 403, 429), body=JoinBody)
async def join(call: Call) -> Answer:
    """Accept an invitation; the answer sets a cookie."""
    body: JoinBody = call.body
    found = await call.service.tokens.look_up(body.invitation)
    if found is None:
        raise call.service.authenticator.failed_login(call.address)
    if found.role != "voter":
        raise Refusal(403, f"this is a token of role {found.role}, not an invitation to vote")
    is_https = call.scope.get("scheme") == "https"
    return Answer(204, headers=(session_cookie(body.invitation, call.headers, is_https=is_https),))


@VOTERS.add("POST /pairs", "voter", {200: PairBody, 204: None}, (409, 410, 503))
async def next_pair(call: Call) -> Answer:
    """Get two outputs to compare: the same ones until they are answered."""
    service, voter = call.service, voter_of(call.caller)
    try:
        pair = await service.apply(NextPair(service.arena, voter))
    except Over as over:  # what was undone can still be answered
        pair = await service.apply(OpenPair(service.arena, voter))
        if pair is None:
            raise Refusal(410, enough(str(over))) from None
    if pair is None:
        return Answer(204, headers=(("retry-after", str(RETRY_AFTER)),))
    return Answer(200, _pair_body(pair))


def enough(reason: str) -> str:
    """Why no more votes are needed, without the names that a reason may have.

    >>> enough("decided: anna is the best, give or take 10 Elo: 99.2 % sure")
    'enough votes are in: the answer is known'
    """
    kind = reason.partition(":")[0]
    return f"enough votes are in: {ENDS.get(kind, kind)}"


def _pair_body(pair: Pair) -> PairBody:
    url = f"{PREFIX}/pairs/{pair.key}"
    left, right = SideBody(f"{url}/left", pair.left), SideBody(f"{url}/right", pair.right)
    return PairBody(pair.key, pair.prompt, left, right, pair.n_votes, pair.latest)


def pair_key(call: Call) -> str:
    """The key of the pair in the path."""
    key: str = call.scope["path_params"]["pair"]
    return key[:LONGEST_KEY]


async def _side(side: Side, call: Call) -> Answer:
    store = call.service.tournament.store
    read = partial(content, store, voter_of(call.caller), pair_key(call), side)
    async with asyncio.timeout(PATIENCE):
        output = await call.service.lanes.outputs.run(read)
    return sent(output, call.header("range"))


@VOTERS.add("GET /pairs/{pair}/left", "voter", {200: bytes, 206: bytes}, (404, 410, 416, 503))
async def left(call: Call) -> Answer:
    """The output on the left: a text, an image or a sound."""
    return await _side("left", call)


@VOTERS.add("GET /pairs/{pair}/right", "voter", {200: bytes, 206: bytes}, (404, 410, 416, 503))
async def right(call: Call) -> Answer:
    """The output on the right."""
    return await _side("right", call)


@VOTERS.add(
    "PUT /pairs/{pair}/vote",
    "voter",
    {201: VotedBody, 200: VotedBody},
    (404, 409, 410, 503),
    body=VoteBody,
)
async def vote(call: Call) -> Answer:
    """Vote: a is the left side, b the right one; bad is a tie of two bad outputs."""
    body: VoteBody = call.body
    key = pair_key(call)
    command = CastVote(voter_of(call.caller), key, body.choice, body.ms, body.reason)
    is_new = await call.service.apply(command)
    call.service.queue.wake()
    return Answer(201 if is_new else 200, VotedBody(key, body.choice, is_new))


@VOTERS.add("DELETE /pairs/{pair}/vote", "voter", {204: None}, (404, 409, 503))
async def undo(call: Call) -> Answer:
    """Undo one's latest vote; the pair is open again."""
    await call.service.apply(UndoVote(voter_of(call.caller), pair_key(call)))
    return Answer(204)


# Organisers


@VOTERS.add("POST /voters", "admin", {201: list[InvitationBody]}, (503,), body=InviteBody)
async def invite_voters(call: Call) -> Answer:
    """Make invitations to vote; they are shown only this once."""
    body: InviteBody = call.body
    made = await call.service.apply(Invite(body.n, body.name, actor(call)))
    async with asyncio.timeout(PATIENCE):
        await asyncio.to_thread(call.service.tokens.read)  # they can join at once
    return Answer(201, [InvitationBody(*one) for one in made], await signed_in(call))


@VOTERS.add("GET /voters", "admin", {200: VotersBody}, (503,))
async def voters(call: Call) -> Answer:
    """All voters: votes, pace, side share and agreement with the ratings."""
    make = partial(voter_table, call.service.tournament)
    table = await call.service.lanes.admin.run(make)
    bias = None if table.bias is None else BiasBody(*table.bias)
    return Answer(200, VotersBody([VoterBody(*row) for row in table.voters], bias))


@VOTERS.add("PATCH /voters/{voter}", "admin", {200: RemovedBody}, (404, 503), body=VoterChangeBody)
async def change_voter(call: Call) -> Answer:
    """Remove a voter: the invitation is revoked and the votes are taken back."""
    body: VoterChangeBody = call.body
    voter: str = call.scope["path_params"]["voter"]
    total, reason = 0, checked_reason(body.reason)
    while n_votes := await call.service.apply(RemoveVotes(voter, reason, actor(call))):
        total += n_votes
    async with asyncio.timeout(PATIENCE):
        await asyncio.to_thread(call.service.tokens.read)
    return Answer(200, RemovedBody(voter, total))
