"""What admins do: players, matches and tokens; all of it is in the audit log."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from maxin.core import Entrant, InvalidInput
from maxin.service.access.cookies import session_cookie
from maxin.service.access.tokens import AddToken, RevokeToken
from maxin.service.api.answers import Answer
from maxin.service.api.declaring import Call, Routes
from maxin.service.api.schemas import (
    AuditBody,
    AuditRow,
    ChangedBody,
    NewPlayer,
    NewToken,
    PageQuery,
    PlayerChange,
    ReasonBody,
    RequestBody,
    TokenBody,
    TokenListBody,
    TokenRowBody,
)
from maxin.storage import PlayerState, Store, Writer
from maxin.storage.tokens import read_tokens
from maxin.tournament.players import entrants
from maxin.tournament.record.commands import (
    AddPlayers,
    Change,
    ChangePlayers,
    RecordCommand,
    Request,
    apply,
)
from maxin.tournament.record.record import Needs
from maxin.tournament.record.transaction import Transaction
from maxin.worker.result_checks import checked_reason
from maxin.worker.source import Retract, Void

STATES: dict[str, PlayerState] = {"active": "active", "paused": "paused", "retired": "retired"}
ADMIN = Routes()


def actor(call: Call) -> str:
    """Who acts, in the audit log."""
    return f"{call.caller.name} ({call.caller.id or 'without a token'})"


@dataclass(frozen=True)
class Audited(Change):
    """A command of an admin, which is noted in the audit log if it changes anything.

    Args:
        command: what is done.
        by: who does it.
        action: what it is called in the log.
        about: more about it.
    """

    command: RecordCommand
    by: str
    action: str
    about: Mapping[str, Any]
    needs: ClassVar[Needs] = Needs.PLAYERS  # that is the most that one of them needs


@apply.register
def _(command: Audited, transaction: Transaction) -> Any:
    answer = apply(command.command, transaction)
    if answer is not False:
        transaction.writer.event("admin", token=command.by, action=command.action, **command.about)
    return answer


async def audited(call: Call, command: RecordCommand, action: str, **about: Any) -> Any:
    """Apply a command of an admin, and note in the same transaction what it changed."""
    answer = await call.service.apply(Audited(command, actor(call), action, about))
    call.service.queue.wake()
    return answer


@ADMIN.add("POST /players", "admin", {201: ChangedBody}, (503,), body=NewPlayer)
async def add_player(call: Call) -> Answer:
    """Let a player join."""
    body: NewPlayer = call.body
    new = entrants([Entrant(body.name, body.options)])
    about = {"name": body.name, "options": body.options}
    await audited(call, AddPlayers(new), "add a player", **about)
    return Answer(201, ChangedBody(True))


@ADMIN.add("PATCH /players/{name:path}", "admin", {200: ChangedBody}, (404, 503), body=PlayerChange)
async def change_player(call: Call) -> Answer:
    """Pause, resume or retire a player."""
    name, body = call.scope["path_params"]["name"], call.body
    if body.state not in STATES:
        raise InvalidInput(f"state must be one of {', '.join(STATES)}; got {body.state!r}")
    to = STATES[body.state]
    await audited(call, ChangePlayers(to, [name]), "change a player", name=name, state=to)
    return Answer(200, ChangedBody(True))


@ADMIN.add("POST /requests", "admin", {201: ChangedBody}, (404, 503), body=RequestBody)
async def request(call: Call) -> Answer:
    """Have two players meet before anything else."""
    body: RequestBody = call.body
    command = Request(body.first, body.second, body.times)
    about = {"first": body.first, "second": body.second, "times": body.times}
    await audited(call, command, "request matches", **about)
    return Answer(201, ChangedBody(True))


@ADMIN.add(
    "POST /matches/{match}/void", "admin", {200: ChangedBody}, (404, 409, 503), body=ReasonBody
)
async def void(call: Call) -> Answer:
    """Give up a pending match."""
    reason = checked_reason(call.body.reason)
    return await _corrected(call, Void(call.match, reason, call.body.fence), "void a match")


@ADMIN.add(
    "POST /matches/{match}/retract", "admin", {200: ChangedBody}, (404, 409, 503), body=ReasonBody
)
async def retract(call: Call) -> Answer:
    """Take back the result of a match."""
    reason = checked_reason(call.body.reason)
    command = Retract(call.match, reason, call.body.fence, call.caller.holder)
    return await _corrected(call, command, "retract a result")


async def _corrected(call: Call, command: Void | Retract, action: str) -> Answer:
    about = {"match": command.number, "reason": command.reason}
    return Answer(200, ChangedBody(await audited(call, command, action, **about)))


@ADMIN.add("POST /tokens", "admin", {201: TokenBody}, (503,), body=NewToken)
async def make_token(call: Call) -> Answer:
    """Make a token, which is shown only this once."""
    body: NewToken = call.body
    token = await call.service.apply(AddToken(body.role, body.name, actor(call)))
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
    token = await call.service.apply(AddToken("admin", "this browser", actor(call)))
    await call.service.tokens.refresh(now=True)
    return (session_cookie(token, call.headers, is_https=call.scope["scheme"] == "https"),)


@ADMIN.add("DELETE /tokens/{id}", "admin", {200: ChangedBody}, (404, 422, 503))
async def revoke(call: Call) -> Answer:
    """Revoke a token; the last one of an admin stays."""
    number, is_local = call.scope["path_params"]["id"], call.service.hosts.is_local
    is_new = await call.service.apply(RevokeUnlessLast(number, actor(call), is_local))
    await call.service.tokens.refresh(now=True)
    return Answer(200, ChangedBody(is_new))


@dataclass(frozen=True)
class RevokeUnlessLast(Change):
    """Revoke a token, unless nobody could administer the service without it."""

    number: str
    by: str
    is_local: bool


@apply.register
def _(command: RevokeUnlessLast, transaction: Transaction) -> bool:
    _check_admin_left(transaction.writer, command.number, is_local=command.is_local)
    is_new: bool = apply(RevokeToken(command.number, command.by), transaction)
    return is_new


def _check_admin_left(writer: Writer, number: str, *, is_local: bool) -> None:
    """Raise if nobody could administer the service without this token.

    A service for this machine alone needs no token while the store has none.
    """
    rows = [row for row in read_tokens(writer) if row.revoked is None]
    admins = [row for row in rows if row.role == "admin"]
    if [row.id for row in admins] == [number] and not (is_local and len(rows) == 1):
        raise InvalidInput(
            f"{admins[0].name!r} is the last admin token, and without it nobody could administer "
            "the service; make another one first, or run `maxin token revoke` where the store is"
        )


@ADMIN.add("GET /tokens", "admin", {200: TokenListBody})
async def tokens(call: Call) -> Answer:
    """All tokens, without secrets."""
    return await _listed(call, partial(_tokens, call.service.tournament.store))


def _tokens(store: Store) -> TokenListBody:
    """All tokens without their digests."""
    rows = read_tokens(store)
    return TokenListBody(
        [TokenRowBody(row.id, row.role, row.name, row.created, row.revoked) for row in rows]
    )


@ADMIN.add("GET /audit", "admin", {200: AuditBody}, query=PageQuery)
async def audit(call: Call) -> Answer:
    """Who did what, in the order of the record."""
    return await _listed(call, partial(_audit, call.service.tournament.store, call.query))


def _audit(store: Store, query: PageQuery) -> AuditBody:
    """What was done by admins."""
    rows = []
    for event in itertools.islice(store.events("admin", after=query.after), query.limit):
        detail = dict(event.detail)
        by, action = str(detail.pop("token", "")), str(detail.pop("action", ""))
        rows.append(AuditRow(event.seq, event.time, event.match, by, action, detail))
    return AuditBody(rows, rows[-1].seq if len(rows) == query.limit else None)


async def _listed(call: Call, make: Callable[[], AuditBody | TokenListBody]) -> Answer:
    async with asyncio.timeout(call.service.patience):
        return Answer(200, await call.service.lanes.admin.run(make))
