"""Commands: every change of the record is a small value, which `apply` checks and applies.

A command checks before it writes: an error is the answer to its caller alone, and the commands
beside it in the transaction are applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import zip_longest
from typing import Any, ClassVar, Protocol

from maxin.core import Entrant, InvalidInput, Match, Stop
from maxin.core.declaration import unused_additions
from maxin.storage import PlayerState
from maxin.tournament import players
from maxin.tournament.record.failures import MOST_FAILED, MOST_VOID_OF_A_PLAYER
from maxin.tournament.record.record import Needs
from maxin.tournament.record.transaction import Restarted, Transaction, correction
from maxin.worker.source import (
    ASK,
    CORRECTION,
    RESULT,
    Ask,
    Consequence,
    Fail,
    Offers,
    Renew,
    Retract,
    ScoreConflict,
    Tell,
    Ticket,
    Void,
)

LOG_KEPT = 4_000  # characters of a failed game's output
RUN = "run"  # the kind of the event that has the stop of a run


class RecordCommand(Protocol):
    """A change of the record, as a value; `apply.register` declares how it is applied.

    What workers want is in `maxin.worker.source`: `Ask`, `Tell`, `Fail`, `Renew`, `Void`
    and `Retract`.
    """

    @property
    def rank(self) -> int:
        """Those of a lower rank are applied first, if there are several."""


@dataclass(frozen=True)
class Change:
    """A command of anybody else; it comes before results and asks."""

    rank: ClassVar[int] = CORRECTION
    needs: ClassVar[Needs] = Needs.NOTHING


def needs_of(command: RecordCommand) -> Needs:
    """What a command needs of the state: an ask needs a scheduler, and a worker's nothing else."""
    if command.rank == ASK:
        return Needs.SCHEDULER
    needs: Needs = getattr(command, "needs", Needs.NOTHING)
    return needs


@dataclass(frozen=True)
class AskAhead:
    """What an ask gets without a scheduler: matches that another process has chosen ahead.

    Args:
        ask: of a worker.
        terms: by which it stops.
        claims: whether it will choose for all if nobody has or does.
    """

    ask: Ask
    terms: str
    claims: bool = False
    rank: ClassVar[int] = RESULT  # as a result, it needs no scheduler
    needs: ClassVar[Needs] = Needs.NOTHING


@dataclass(frozen=True)
class Request(Change):
    """Have two players meet before anything else is asked, `first` in the first seat."""

    first: str
    second: str
    times: int = 1
    needs: ClassVar[Needs] = Needs.PLAYERS


@dataclass(frozen=True)
class AddPlayers(Change):
    """Let players join; the answer is the names of all players then."""

    entrants: Sequence[Entrant]
    needs: ClassVar[Needs] = Needs.PLAYERS


@dataclass(frozen=True)
class EditPlayers(Change):
    """Give players other options, in place of all that they have."""

    entrants: Sequence[Entrant]
    needs: ClassVar[Needs] = Needs.PLAYERS


@dataclass(frozen=True)
class RemovePlayers(Change):
    """Take out players who have not played."""

    names: Sequence[str]
    needs: ClassVar[Needs] = Needs.PLAYERS


@dataclass(frozen=True)
class ChangePlayers(Change):
    """Pause, retire or reactivate players."""

    state: PlayerState
    names: Sequence[str]
    needs: ClassVar[Needs] = Needs.PLAYERS


@dataclass(frozen=True)
class RecordStop(Change):
    """Record when a run is to stop."""

    stop: Stop


@dataclass(frozen=True)
class SetSettings(Change):
    """Write settings that the rules of the tournament do not depend on."""

    settings: Mapping[str, Any]


@singledispatch
def apply(command: Any, transaction: Transaction) -> Any:
    """Check a command and apply it inside a transaction; returns its answer."""
    raise TypeError(f"{command!r} is not a command")


# Matches and results


@apply.register
def _(command: Ask, transaction: Transaction) -> Offers:
    if command.is_cancelled():
        return Offers([])
    worker, writer = command.worker or transaction.record.worker, transaction.writer
    tickets = None if command.key is None else transaction.earlier(worker, command.key)
    if tickets is None:
        tickets = _new_tickets(command, worker, transaction)
    else:  # whoever asks again has them from now on
        writer.lease([ticket.id for ticket in tickets], worker, command.lease)
    if command.key is not None and tickets:
        transaction.remember(worker, command.key, tickets, command.lease)
    return Offers(tickets, until=writer.now + command.lease)


@apply.register
def _(command: AskAhead, transaction: Transaction) -> Offers:
    ask = command.ask
    tickets: list[Ticket] = []
    worker = ask.worker or transaction.record.worker
    while len(tickets) < ask.n + ask.n_more and not ask.is_cancelled():
        ticket = transaction.hand_out_ahead(ask.lease, worker, command.terms)
        if ticket is None:
            break
        tickets.append(ticket)
    is_awaited = command.claims and len(tickets) < ask.n
    return Offers(tickets, pause=transaction.await_ahead(command.terms) if is_awaited else 0.0)


def _new_tickets(ask: Ask, worker: str, transaction: Transaction) -> list[Ticket]:
    """The matches for an ask, one by one, since each may be the last."""
    tickets: list[Ticket] = []
    while len(tickets) < ask.n and not transaction.is_over(ask.is_busy):
        try:
            ticket = transaction.hand_out(ask.lease, worker)
        except (InvalidInput, Restarted):  # of the scheduler
            if not tickets:
                raise
            break  # those that are handed out already are the answer
        if ticket is None:
            break
        tickets.append(ticket)
    return tickets


@apply.register
def _(command: Tell, transaction: Transaction) -> bool | ScoreConflict:
    worker = command.worker or transaction.record.worker
    if command.failures:
        match, _ = transaction.match(command.number, command.fence)
        _record_failures(command, match, transaction)
    return transaction.tell(command.number, command.outcome, worker, command.fence)


@apply.register
def _(command: Renew, transaction: Transaction) -> tuple[list[int], list[int]]:
    worker, writer = command.worker or transaction.record.worker, transaction.writer
    fences = dict(zip_longest(command.matches, command.fences, fillvalue=""))
    ours = [match for match in command.matches if transaction.is_ours(match, fences[match])]
    holders = {match: writer.holder(match) for match in ours}
    kept = [match for match, held in holders.items() if held and held.worker == worker]
    writer.lease(kept, worker, command.lease)
    if not command.lease:
        transaction.record.leases.look_again()
    return kept, [match for match in command.matches if match not in kept]


@apply.register
def _(command: Void, transaction: Transaction) -> bool:
    match, score = transaction.match(command.number, command.fence)
    if score is not None:
        retraction = correction(transaction.record.store, "retract", str(command.number))
        raise InvalidInput(
            f"{transaction.named(command.number, match)} has a result, {score:g}, and cannot be "
            f"void; {retraction} takes a result back"
        )
    return transaction.void(command.number, command.reason)


@apply.register
def _(command: Retract, transaction: Transaction) -> bool:
    worker = command.worker or transaction.record.worker
    return transaction.retract(command.number, command.reason, worker, command.fence)


@apply.register
def _(command: Request, transaction: Transaction) -> None:
    pair = players.requested(transaction.state, command.first, command.second, command.times)
    for _ in range(command.times):
        transaction.record.note(transaction.writer.request(*pair))


# Players and settings


@apply.register
def _(command: AddPlayers, transaction: Transaction) -> list[str]:
    state, writer = transaction.state, transaction.writer
    joining = players.joining(state, writer, command.entrants)
    names = list(state.names)
    for number, entrant in joining:
        names += [entrant.name] * (number == len(names))
        transaction.write_player(number, entrant.name, "active", entrant.options)
    return names


@apply.register
def _(command: EditPlayers, transaction: Transaction) -> None:
    state = transaction.state
    for number, entrant in players.edited(state, transaction.writer, command.entrants):
        transaction.write_player(number, entrant.name, state.states[number], entrant.options)


@apply.register
def _(command: RemovePlayers, transaction: Transaction) -> None:
    for number in players.removed(transaction.state, command.names):
        transaction.write_player(number, transaction.state.names[number], "removed")


@apply.register
def _(command: ChangePlayers, transaction: Transaction) -> None:
    state = transaction.state
    for number in players.changed(state, command.state, command.names):
        transaction.write_player(number, state.names[number], command.state)


@apply.register
def _(command: RecordStop, transaction: Transaction) -> None:
    terms, unused = vars(command.stop), unused_additions(command.stop)
    given = {name: value for name, value in terms.items() if name not in unused}
    transaction.writer.event(RUN, **given)


@apply.register
def _(command: SetSettings, transaction: Transaction) -> None:
    transaction.writer.set(command.settings)


# Failures


@apply.register
def _(command: Fail, transaction: Transaction) -> Consequence:
    writer, number = transaction.writer, command.number
    worker = command.worker or transaction.record.worker
    match, score = transaction.match(number, command.fence)
    named = command.failures[-1].player
    if command.blame == "match" and named not in (None, *(writer.name(one) for one in match)):
        place = transaction.named(number, match).removesuffix(",")
        raise InvalidInput(f"{named!r} does not play {place}")
    held = writer.holder(number)
    if score is not None or held is None or held.worker != worker:
        return Consequence()  # somebody else plays it, or its result has come
    attempt = _record_failures(command, match, transaction)
    last = command.failures[-1]
    if command.blame == "worker":
        _resume_paused(worker, transaction)
    if command.blame != "match":
        transaction.release(number, worker)
        return Consequence(attempt, again=True)
    stop = f"there was no score {MOST_FAILED} times in a row; the last reason: {last.reason}"
    stop *= transaction.failures.stops(worker)
    if attempt < transaction.failures.attempts and not last.is_hopeless:
        transaction.release(number, worker)
        return Consequence(attempt, again=True, stop=stop)
    paused = _give_up(command, worker, match, transaction)
    return Consequence(attempt, is_void=True, paused=paused, stop=stop)


def _record_failures(command: Tell | Fail, match: Match, transaction: Transaction) -> int:
    """Record the attempts that failed; returns how many there were at the match so far."""
    writer = transaction.writer
    attempt = writer.n_failures(command.number)
    for failure in command.failures:
        attempt += 1
        writer.event(
            "failed",
            match=command.number,
            players=[writer.name(player) for player in match],
            attempt=attempt,
            reason=failure.reason,
            log=failure.log[-LOG_KEPT:],
        )
    return attempt


def _give_up(
    command: Fail, worker: str, match: Match, transaction: Transaction
) -> list[tuple[str, str]]:
    """Void a match; returns the players who were paused for too many void ones, and why."""
    last, writer = command.failures[-1], transaction.writer
    seats = [(player, writer.name(player)) for player in match]
    blamed = [seat for seat in seats if seat[1] == last.player] or seats
    transaction.void(command.number, last.reason, [player for player, _ in blamed])
    paused = []
    for player, name in blamed:
        if writer.n_void_in_a_row(player) >= MOST_VOID_OF_A_PLAYER:
            reason = (
                f"its last {MOST_VOID_OF_A_PLAYER} matches gave no score; "
                f"the last reason: {last.reason}"
            )
            transaction.write_player(player, name, "paused")
            writer.event("paused", player=player, reason=reason, worker=worker)
            paused.append((name, reason))
    return paused


def _resume_paused(worker: str, transaction: Transaction) -> None:
    """Let players play again who were paused because of this worker: it was not their fault."""
    from maxin.storage.results import paused_players

    transaction.writer.flush()
    for player, by in paused_players(transaction.writer):
        if by == worker:
            transaction.write_player(player, transaction.writer.name(player), "active")
