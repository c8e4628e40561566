"""What workers do: ask for matches, keep them, and report what became of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from maxin.core import InvalidInput, check_lease
from maxin.runners import Outcome
from maxin.service.access.refusal import Refusal
from maxin.service.api.answers import Answer
from maxin.service.api.bodies import (
    MOST_RESULTS,
    AskBody,
    FailureBody,
    LeasesBody,
    NumberedResult,
    OutcomeBody,
    PlayerBody,
    RecordedBody,
    RenewedBody,
    ResultBody,
    TicketBody,
    TicketsBody,
    TournamentBody,
    TriedBody,
)
from maxin.service.api.declaring import ApiRoute, Call, api
from maxin.service.api.problems import refusal_of
from maxin.service.desk import Over
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.tournament.tickets.idle import Idle, idle_reason
from maxin.tournament.tickets.result_checks import checked_outcome, checked_reason
from maxin.tournament.tickets.tickets import Ticket
from maxin.tournament.tickets.wishes import (
    RESULT,
    AskWish,
    FailWish,
    RenewWish,
    TellWish,
    WishGroup,
    WorkWish,
)

LONGEST_KEY = 200  # characters of an Idempotency-Key
RETRY_AFTER = 2  # seconds, if there is no match now


class HandedOut(NamedTuple):
    """The matches for a worker, until when it has them, and when players last changed.

    If there are none, `idle` says why; it is None for an ask that was answered before.
    """

    tickets: list[Ticket]
    until: float
    players_at: int
    idle: Idle | None


class RemoteAsk(AskWish):
    """An ask whose answer says until when the matches are held.

    Whoever asks again with the same key has them from then on.
    """

    is_void = False  # whether nobody waits for the answer any more

    def grant(self, group: WishGroup) -> Any:
        """See `Wish.grant`."""
        if self.is_void:
            return None
        earlier = None if self.key is None else group.earlier(self.worker, self.key)
        if earlier is None:
            tickets = super().grant(group)
        else:
            tickets = earlier
            self._hold(group, tickets)
        state = group.tickets.state
        is_idle = earlier is None and not tickets
        idle = idle_reason(state, group.budget) if is_idle else None
        return HandedOut(tickets, group.writer.now + self.lease, state.players_at, idle)

    def _hold(self, group: WishGroup, tickets: list[Ticket]) -> None:
        """Count the lease from now, and remember the key for as long."""
        group.writer.lease([ticket.id for ticket in tickets], self.worker, self.lease)
        if self.key is not None and tickets:
            group.remember(self.worker, self.key, tickets, self.lease)


async def ask(call: Call) -> Answer:
    """POST /matches."""
    body: AskBody = call.body
    key = call.header("idempotency-key")
    if key is not None and not 0 < len(key) <= LONGEST_KEY:
        raise InvalidInput(f"an Idempotency-Key has 1 to {LONGEST_KEY} characters; got {len(key)}")
    wish = RemoteAsk(call.caller.holder, body.n, check_lease(body.lease), key)
    service = call.service
    until = asyncio.get_running_loop().time() + body.wait
    while True:
        try:
            handed = await _granted(service, wish)
        except Over:
            service.queue.wake()  # it is over for all who wait
            raise
        left = until - asyncio.get_running_loop().time()
        if handed.tickets or left <= 0 or not await _waited(call, left):
            break
    if not handed.tickets:
        return Answer(204, headers=(("retry-after", str(RETRY_AFTER)),))
    service.queue.wake()  # there may be more for the next one
    return Answer(201, await _tickets(call, handed))


async def _granted(service: Service, wish: RemoteAsk) -> HandedOut:
    """What is handed out now; `Over` if waiting will not help."""
    try:
        handed: HandedOut = await service.grant(wish)
    except TimeoutError:
        wish.is_void = True  # what is handed out later would wait for its lease to end
        raise
    if handed.idle is not None and handed.idle.is_over:
        raise Over(handed.idle.reason)
    return handed


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


async def _tickets(call: Call, handed: HandedOut) -> TicketsBody:
    known = await call.service.entrants(handed.players_at)

    def player(name: str) -> PlayerBody:
        return PlayerBody(name, dict(known[name].options))

    return TicketsBody(
        [
            TicketBody(
                ticket.id, player(ticket.first), player(ticket.second), ticket.seed, handed.until
            )
            for ticket in handed.tickets
        ]
    )


def _outcome(match: int, body: ResultBody) -> Outcome:
    return checked_outcome(match, body.score, body.games, body.errors, body.data)


async def result(call: Call) -> Answer:
    """POST /matches/{match}/result."""
    match = call.match
    is_new = await call.service.grant(
        TellWish(call.caller.holder, match, _outcome(match, call.body))
    )
    call.service.queue.wake()
    return Answer(201 if is_new else 200, RecordedBody(match, is_new))


async def results(call: Call) -> Answer:
    """POST /results."""
    given: list[NumberedResult] = call.body
    if len(given) > MOST_RESULTS:
        raise Refusal(422, f"a request may have {MOST_RESULTS:,} results; got {len(given):,}")
    work = WorkWish(partial(_tell_all, call.caller.holder, given), rank=RESULT)
    outcomes = await call.service.grant(work)
    call.service.queue.wake()
    return Answer(200, outcomes)


def _tell_all(holder: str, given: Sequence[NumberedResult], group: WishGroup) -> list[OutcomeBody]:
    """Record results; each that is refused has its own reason, and the others are recorded."""
    return [_tell(holder, one, group) for one in given]


def _tell(holder: str, one: NumberedResult, group: WishGroup) -> OutcomeBody:
    told: bool | InvalidInput
    try:
        told = TellWish(holder, one.match, _outcome(one.match, one)).grant(group)
    except InvalidInput as error:
        told = error
    if isinstance(told, InvalidInput):
        refused = refusal_of(told)
        assert refused is not None
        return OutcomeBody(one.match, refused.status, refused.detail)
    return OutcomeBody(one.match, 201 if told else 200)


async def renew(call: Call) -> Answer:
    """POST /leases."""
    body: LeasesBody = call.body
    matches = tuple(dict.fromkeys(body.matches))
    wish = RenewWish(call.caller.holder, matches, check_lease(body.lease))
    kept, lost = await call.service.grant(wish)
    return Answer(200, RenewedBody(kept, lost))


async def fail(call: Call) -> Answer:
    """POST /matches/{match}/failure."""
    body: FailureBody = call.body
    reason = checked_reason(body.reason)
    again = await call.service.grant(FailWish(call.caller.holder, call.match, reason, body.log))
    call.service.queue.wake()
    return Answer(201, TriedBody(again))


async def about(call: Call) -> Answer:
    """GET /tournament."""
    tournament = call.service.tournament
    async with asyncio.timeout(call.service.patience):
        return Answer(200, await call.service.desk.call(partial(describe, tournament)))


def describe(tournament: Tournament) -> TournamentBody:
    """What a worker has to know before it plays.

    >>> describe(Tournament(["anna", "bo"], seed=7)).seed
    7
    """
    rules = tournament.settings
    identity, goal = tournament.store.identity(), str(rules.goal)
    return TournamentBody(identity, goal, rules.games_per_match, rules.seed, tournament.names)


WORKERS: tuple[ApiRoute, ...] = (
    api(
        "GET",
        "/tournament",
        "worker",
        about,
        "The rules of the tournament, and its players in the order they joined.",
        {200: TournamentBody, 503: None},
    ),
    api(
        "POST",
        "/matches",
        "worker",
        ask,
        "Get matches to play. With the same Idempotency-Key, the answer is the same while leased.",
        {201: TicketsBody, 204: None, 410: None, 422: None, 503: None},
        body=AskBody,
    ),
    api(
        "POST",
        "/matches/{match}/result",
        "worker",
        result,
        "Report the result of a match.",
        {201: RecordedBody, 200: RecordedBody, 404: None, 409: None, 422: None, 503: None},
        body=ResultBody,
    ),
    api(
        "POST",
        "/results",
        "worker",
        results,
        "Report up to 1,000 results; each has its own outcome.",
        {200: list[OutcomeBody], 422: None, 503: None},
        body=list[NumberedResult],
    ),
    api(
        "POST",
        "/leases",
        "worker",
        renew,
        "Keep matches for longer.",
        {200: RenewedBody, 422: None, 503: None},
        body=LeasesBody,
    ),
    api(
        "POST",
        "/matches/{match}/failure",
        "worker",
        fail,
        "Report that a match could not be played; it is tried again, and is never a loss.",
        {201: TriedBody, 404: None, 422: None, 503: None},
        body=FailureBody,
    ),
)
