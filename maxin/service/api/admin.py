"""What admins do: players, matches and tokens; all of it is in the audit log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy import select

from maxin.core import Entrant, InvalidInput
from maxin.service.access.cookies import session_cookie
from maxin.service.access.tokens import add_token, revoke_token
from maxin.service.api.answers import Answer
from maxin.service.api.bodies import (
    AuditBody,
    ChangedBody,
    NewPlayer,
    NewToken,
    PageQuery,
    PlayerChange,
    ReasonBody,
    RequestBody,
    TokenBody,
    TokenListBody,
)
from maxin.service.api.declaring import ApiRoute, Call, api
from maxin.service.api.listing import list_audit, list_tokens
from maxin.storage import PlayerState, Writer
from maxin.storage.schema import TOKENS
from maxin.tournament import players as roster
from maxin.tournament.state.state import TournamentState
from maxin.tournament.tickets.result_checks import checked_reason
from maxin.tournament.tickets.wishes import WishGroup, WorkWish

STATES: dict[str, PlayerState] = {"active": "active", "paused": "paused", "retired": "retired"}


def actor(call: Call) -> str:
    """Who acts, in the audit log."""
    return f"{call.caller.name} ({call.caller.id or 'without a token'})"


async def change_roster(
    call: Call, work: Callable[[TournamentState, Writer], None], action: str, **about: Any
) -> None:
    """Change players or requests, and note it, in one transaction."""

    def noted(state: TournamentState, writer: Writer) -> None:
        work(state, writer)
        writer.event("admin", token=actor(call), action=action, **about)

    async with asyncio.timeout(call.service.patience):
        await call.service.desk.call(partial(call.service.tournament.change, noted))
    call.service.queue.wake()


async def add_player(call: Call) -> Answer:
    """POST /players."""
    body: NewPlayer = call.body
    new = roster.entrants([Entrant(body.name, body.options)])

    def work(state: TournamentState, writer: Writer) -> None:
        roster.add_players(state, writer, new)

    await change_roster(call, work, "add a player", name=body.name, options=body.options)
    return Answer(201, ChangedBody(True))


async def change_player(call: Call) -> Answer:
    """PATCH /players/{name}."""
    name, body = call.scope["path_params"]["name"], call.body
    if body.state not in STATES:
        raise InvalidInput(f"state must be one of {', '.join(STATES)}; got {body.state!r}")
    to = STATES[body.state]

    def work(state: TournamentState, writer: Writer) -> None:
        roster.change_players(state, writer, to, [name])

    await change_roster(call, work, "change a player", name=name, state=to)
    return Answer(200, ChangedBody(True))


async def request(call: Call) -> Answer:
    """POST /requests."""
    body: RequestBody = call.body

    def work(state: TournamentState, writer: Writer) -> None:
        roster.request_match(state, writer, body.first, body.second, body.times)

    about = {"first": body.first, "second": body.second, "times": body.times}
    await change_roster(call, work, "request matches", **about)
    return Answer(201, ChangedBody(True))


async def void(call: Call) -> Answer:
    """POST /matches/{match}/void."""
    return await _correct(call, "void a match", _void)


async def retract(call: Call) -> Answer:
    """POST /matches/{match}/retract."""
    return await _correct(call, "retract a result", _retract)


async def _correct(
    call: Call, action: str, correct: Callable[[WishGroup, int, str, str], bool]
) -> Answer:
    body: ReasonBody = call.body
    number, reason, holder = call.match, checked_reason(body.reason), call.caller.holder

    def act(group: WishGroup) -> bool:
        is_new = correct(group, number, reason, holder)
        if is_new:
            by = actor(call)
            group.writer.event("admin", match=number, token=by, action=action, reason=reason)
        return is_new

    is_new = await call.service.grant(WorkWish(act))
    call.service.queue.wake()
    return Answer(200, ChangedBody(is_new))


def _void(group: WishGroup, number: int, reason: str, holder: str) -> bool:
    _, score = group.tickets.match(group.writer, number)
    if score is not None:
        raise InvalidInput(f"match {number} has a result, {score:g}; retract it instead")
    return group.tickets.void(group.writer, number, reason)


def _retract(group: WishGroup, number: int, reason: str, holder: str) -> bool:
    return group.tickets.retract(group.writer, number, reason, worker=holder)


async def make_token(call: Call) -> Answer:
    """POST /tokens."""
    body: NewToken = call.body
    by = actor(call)
    wish = WorkWish(lambda group: add_token(group.writer, body.role, body.name, by))
    token = await call.service.grant(wish)
    await call.service.tokens.refresh(now=True)
    made = TokenBody(token.split("_")[2], body.role, body.name, token)
    return Answer(201, made, await signed_in(call))


async def signed_in(call: Call) -> tuple[tuple[str, str], ...]:
    """The cookie for a browser that made the first token, else nothing.

    While there is no token, somebody on this machine needs none, and with the first that ends. So
    that nobody locks themselves out, the browser gets a token of its own.
    """
    if call.caller.id or call.header("sec-fetch-site") is None:
        return ()
    by = actor(call)
    wish = WorkWish(lambda group: add_token(group.writer, "admin", "this browser", by))
    token = await call.service.grant(wish)
    await call.service.tokens.refresh(now=True)
    return (session_cookie(token, call.headers, is_https=call.scope["scheme"] == "https"),)


async def revoke(call: Call) -> Answer:
    """DELETE /tokens/{id}."""
    number, by = call.scope["path_params"]["id"], actor(call)

    def act(group: WishGroup) -> bool:
        _check_admin_left(group.writer, number, is_local=call.service.hosts.is_local)
        return revoke_token(group.writer, number, by)

    wish = WorkWish(act)
    is_new = await call.service.grant(wish)
    await call.service.tokens.refresh(now=True)
    return Answer(200, ChangedBody(is_new))


def _check_admin_left(writer: Writer, number: str, *, is_local: bool) -> None:
    """Raise if nobody could administer the service without this token.

    A service for this machine alone needs no token while the store has none.
    """
    writer.flush()
    in_force = select(TOKENS.c.id, TOKENS.c.role, TOKENS.c.name).where(TOKENS.c.revoked.is_(None))
    rows = writer.query(in_force)
    admins = [row for row in rows if row.role == "admin"]
    if [row.id for row in admins] == [number] and not (is_local and len(rows) == 1):
        raise InvalidInput(
            f"{admins[0].name!r} is the last admin token, and without it nobody could administer "
            "the service; make another one first, or run `maxin token revoke` where the store is"
        )


async def tokens(call: Call) -> Answer:
    """GET /tokens."""
    return await _listed(call, partial(list_tokens, call.service.tournament.store))


async def audit(call: Call) -> Answer:
    """GET /audit."""
    query: PageQuery = call.query
    listed = partial(list_audit, call.service.tournament.store, query.after, query.limit)
    return await _listed(call, listed)


async def _listed(call: Call, make: Callable[[], dict[str, Any]]) -> Answer:
    async with asyncio.timeout(call.service.patience):
        return Answer(200, await asyncio.to_thread(make))


ADMIN: tuple[ApiRoute, ...] = (
    api(
        "POST",
        "/players",
        "admin",
        add_player,
        "Let a player join.",
        {201: ChangedBody, 422: None, 503: None},
        body=NewPlayer,
    ),
    api(
        "PATCH",
        "/players/{name:path}",
        "admin",
        change_player,
        "Pause, resume or retire a player.",
        {200: ChangedBody, 404: None, 422: None, 503: None},
        body=PlayerChange,
    ),
    api(
        "POST",
        "/requests",
        "admin",
        request,
        "Have two players meet before anything else.",
        {201: ChangedBody, 404: None, 422: None, 503: None},
        body=RequestBody,
    ),
    api(
        "POST",
        "/matches/{match}/void",
        "admin",
        void,
        "Give up a pending match.",
        {200: ChangedBody, 404: None, 422: None, 503: None},
        body=ReasonBody,
    ),
    api(
        "POST",
        "/matches/{match}/retract",
        "admin",
        retract,
        "Take back the result of a match.",
        {200: ChangedBody, 404: None, 422: None, 503: None},
        body=ReasonBody,
    ),
    api(
        "POST",
        "/tokens",
        "admin",
        make_token,
        "Make a token, which is shown only this once.",
        {201: TokenBody, 422: None, 503: None},
        body=NewToken,
    ),
    api("GET", "/tokens", "admin", tokens, "All tokens, without secrets.", {200: TokenListBody}),
    api(
        "DELETE",
        "/tokens/{id}",
        "admin",
        revoke,
        "Revoke a token; the last one of an admin stays.",
        {200: ChangedBody, 404: None, 422: None, 503: None},
    ),
    api(
        "GET",
        "/audit",
        "admin",
        audit,
        "Who did what, in the order of the record.",
        {200: AuditBody, 422: None},
        query=PageQuery,
    ),
)
