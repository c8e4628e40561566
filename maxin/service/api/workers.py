"""What workers do: ask for matches, keep them, and report what became of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from maxin.core import InvalidInput, check_lease
from maxin.runners import MatchFailed
from maxin.service.access.refusal import Refusal
from maxin.service.api.answers import Answer
from maxin.service.api.declaring import Call, Routes
from maxin.service.api.problems import refusal_of
from maxin.service.api.schemas import (
    MOST_RESULTS,
    AskBody,
    FailureBody,
    LeasesBody,
    NumberedResult,
    OutcomeBody,
    PausedBody,
    PlayerBody,
    RecordedBody,
    RenewedBody,
    ResultBody,
    TicketBody,
    TicketsBody,
    TournamentBody,
    TriedBody,
)
from maxin.service.group_writer import Over
from maxin.tournament import Tournament
from maxin.tournament.record.commands import apply
from maxin.tournament.record.transaction import Transaction
from maxin.worker.result_checks import check_sent, checked_outcome, checked_reason
from maxin.worker.source import RESULT, Ask, Consequence, Fail, Offers, Renew, Tell

LONGEST_KEY = 200  # characters of an Idempotency-Key
RETRY_AFTER = 2  # seconds, if there is no match now
WORKERS = Routes()


@WORKERS.add("POST /matches", "worker", {201: TicketsBody, 204: None}, (410, 503), body=AskBody)
async def ask(call: Call) -> Answer:
    """Get matches to play. With the same Idempotency-Key, the answer is the same while leased."""
    body: AskBody = call.body
    key = call.header("idempotency-key")
    if key is not None and not 0 < len(key) <= LONGEST_KEY:
        raise InvalidInput(f"an Idempotency-Key has 1 to {LONGEST_KEY} characters; got {len(key)}")
    command = Ask(body.n, check_lease(body.lease), key, worker=call.caller.holder)
    service = call.service
    until = asyncio.get_running_loop().time() + body.wait
    while True:
        try:
            offers: Offers = await service.apply(command)
            if offers.idle is not None and offers.idle.is_over:
                raise Over(offers.idle)
        except Over:
            service.queue.wake()  # it is over for all who wait
            raise
        left = until - asyncio.get_running_loop().time()
        if offers.tickets or left <= 0 or not await _waited(call, left):
            break
    if not offers.tickets:
        return Answer(204, headers=(("retry-after", str(RETRY_AFTER)),))
    service.queue.wake()  # there may be more for the next one
    return Answer(201, _tickets(offers))


async def _waited(call: Call, seconds: float) -> bool:
    """Wait for our turn; False if it does not come in time, or the caller has gone."""
    turn = call.service.queue.join()
    gone = asyncio.ensure_future(call.receive())
    closing = asyncio.ensure_future(call.service.closing.wait())
    awaited: set[asyncio.Future[Any]] = {turn, gone, closing}
    try:
        await asyncio.wait(awaited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if turn.done() and (gone.done() or closing.done()):
            call.service.queue.wake()  # it is somebody else's turn then
        return turn.done() and not gone.done() and not closing.done()
    finally:
        for future in awaited:
            future.cancel()


def _tickets(offers: Offers) -> TicketsBody:
    def player(name: str) -> PlayerBody:
        return PlayerBody(name, dict(offers.entrants[name].options))

    return TicketsBody(
        [
            TicketBody(
                ticket.id,
                player(ticket.first),
                player(ticket.second),
                ticket.seed,
                ticket.fence,
                offers.until,
            )
            for ticket in offers.tickets
        ]
    )


def _tell_of(match: int, body: ResultBody, holder: str) -> Tell:
    outcome = checked_outcome(match, body.score, body.games, body.errors, body.data)
    return Tell(match, check_sent(outcome), body.fence, worker=holder)


@WORKERS.add(
    "POST /matches/{match}/result",
    "worker",
    {201: RecordedBody, 200: RecordedBody},
    (404, 409, 503),
    body=ResultBody,
)
async def result(call: Call) -> Answer:
    """Report the result of a match."""
    match = call.match
    command = _tell_of(match, call.body, call.caller.holder)
    is_new = await call.service.apply(command)
    call.service.queue.wake()
    return Answer(201 if is_new else 200, RecordedBody(match, is_new))


@WORKERS.add("POST /results", "worker", {200: list[OutcomeBody]}, (503,), body=list[NumberedResult])
async def results(call: Call) -> Answer:
    """Report up to 1,000 results; each has its own outcome."""
    given: list[NumberedResult] = call.body
    if len(given) > MOST_RESULTS:
        raise Refusal(422, f"a request may have {MOST_RESULTS:,} results; got {len(given):,}")
    outcomes = await call.service.apply(TellMany(given, call.caller.holder))
    call.service.queue.wake()
    return Answer(200, outcomes)


@dataclass(frozen=True)
class TellMany:
    """Record results; each that is refused has its own reason, and the others are recorded."""

    given: Sequence[NumberedResult]
    worker: str
    rank: ClassVar[int] = RESULT


@apply.register
def _(command: TellMany, transaction: Transaction) -> list[OutcomeBody]:
    return [_tell(command.worker, one, transaction) for one in command.given]


def _tell(holder: str, one: NumberedResult, transaction: Transaction) -> OutcomeBody:
    told: bool | InvalidInput
    try:
        told = apply(_tell_of(one.match, one, holder), transaction)
    except InvalidInput as error:
        told = error
    if isinstance(told, InvalidInput):
        refused = refusal_of(told)
        assert refused is not None
        return OutcomeBody(one.match, refused.status, refused.detail, refused.reason or "")
    return OutcomeBody(one.match, 201 if told else 200)


@WORKERS.add("POST /leases", "worker", {200: RenewedBody}, (503,), body=LeasesBody)
async def renew(call: Call) -> Answer:
    """Keep matches for longer."""
    body: LeasesBody = call.body
    if len(body.fences) not in (0, len(body.matches)):
        raise InvalidInput(
            f"fences must be as many as matches, {len(body.matches)}, or none; got "
            f"{len(body.fences)}"
        )
    fences = body.fences or [""] * len(body.matches)
    held = dict(zip(body.matches, fences, strict=True))
    lease = check_lease(body.lease) if body.lease else 0.0
    renewal = Renew(tuple(held), lease, call.caller.holder, tuple(held.values()))
    kept, lost = await call.service.apply(renewal)
    if not lease:
        call.service.queue.wake()
    return Answer(200, RenewedBody(kept, lost))


@WORKERS.add(
    "POST /matches/{match}/failure", "worker", {201: TriedBody}, (404, 409, 503), body=FailureBody
)
async def fail(call: Call) -> Answer:
    """Report that a match could not be played; it is tried again, and is never a loss."""
    body: FailureBody = call.body
    failure = MatchFailed(checked_reason(body.reason), log=body.log, player=body.player)
    command = Fail(call.match, [failure], body.blame, call.caller.holder, body.fence)
    found: Consequence = await call.service.apply(command)
    call.service.queue.wake()
    paused = [PausedBody(player, reason) for player, reason in found.paused]
    return Answer(201, TriedBody(found.again, found.attempt, found.is_void, paused, found.stop))


@WORKERS.add("GET /tournament", "worker", {200: TournamentBody}, (503,))
async def about(call: Call) -> Answer:
    """The rules of the tournament, and its players in the order they joined."""
    tournament = call.service.tournament
    async with asyncio.timeout(call.service.patience):
        return Answer(200, await call.service.writer.call(partial(describe, tournament)))


def describe(tournament: Tournament) -> TournamentBody:
    """What a worker has to know before it plays."""
    rules = tournament.settings
    identity, goal = tournament.store.identity(), str(rules.goal)
    return TournamentBody(identity, goal, rules.games_per_match, rules.seed, tournament.names)
