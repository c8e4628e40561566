"""Tickets: matches are handed out and results taken in, one short transaction at a time."""

from __future__ import annotations

import itertools
import shlex
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from maxin.core import InvalidInput, Match
from maxin.core.text import counted, duration
from maxin.runners import Outcome
from maxin.storage import Lease, PlayedMatch
from maxin.tournament.settings import Settings
from maxin.tournament.tickets.leases import (
    CLOCK_SKEW,
    HeldMatch,
    clock_skew,
    holder,
    is_lapsed,
    remaining,
)
from maxin.tournament.tickets.ledger import TRIES, Ledger, Moved

if TYPE_CHECKING:
    from maxin.storage import Store, Writer

LEASE_CHECK = 1.0  # seconds between two searches for lapsed leases
MOST_REASONS = 3  # of refused results in one message
GRACE = 30.0  # seconds that others have to renew their leases when a lost server is back


class Ticket(NamedTuple):
    """A match to play: its number, who sits first, who second, and its seed.

    `players` are the numbers of the two; a `Client` does not know them, and has -1. `fence` is the
    number of the entry that handed it out, by which a ticket of another record is found out; 0
    stands for any.
    """

    id: int
    first: str
    second: str
    seed: int
    players: Match
    fence: int = 0


class ScoreConflict(InvalidInput):
    """A match was reported with another score before; the message names both."""


class RefusedResults(InvalidInput):
    """Some of many results were refused; the others are recorded.

    Args:
        answers: for each result whether it was new, or why it was refused.

    >>> str(RefusedResults([True, InvalidInput("there is no match 7"), False]))
    '1 of 3 results was refused, and the others are recorded: there is no match 7'
    """

    def __init__(self, answers: Sequence[bool | InvalidInput]) -> None:
        self.answers = list(answers)
        reasons = [str(answer) for answer in answers if isinstance(answer, InvalidInput)]
        were = "was" if len(reasons) == 1 else "were"
        super().__init__(
            f"{len(reasons):,} of {counted(len(answers), 'result')} {were} refused, and the others "
            f"are recorded: {'; '.join(reasons[:MOST_REASONS])}"
            + ("; ..." if len(reasons) > MOST_REASONS else "")
        )


class UnknownMatch(InvalidInput):
    """A match that was never handed out; the message names the last one."""


def correction(store: Store, *words: str) -> str:
    """What corrects the record, in a shell and in Python; whoever copies it fills in the reason.

    >>> from maxin.storage import open_store
    >>> correction(open_store("sqlite://"), "void", "5")
    '`maxin void 5 --store sqlite:// --reason ...`, or tournament.void(5, reason) in Python,'
    """
    verb, *rest = words
    source = rest[1:]  # after --source
    call = f"{verb}_source({source[0]!r}, reason)" if source else f"{verb}({rest[0]}, reason)"
    command = shlex.join(["maxin", *words, "--store", str(store), "--reason", "..."])
    return f"`{command}`, or tournament.{call} in Python,"


class Tickets(Ledger):
    """Hands out matches and takes in results.

    Args:
        store: the record.
        settings: the rules.
        worker: who holds the tickets handed out here.
        use_snapshots: see `Ledger`.
    """

    def __init__(
        self, store: Store, settings: Settings, worker: str, *, use_snapshots: bool = True
    ) -> None:
        super().__init__(store, settings, use_snapshots=use_snapshots)
        self.worker = worker
        self._next_lease_check = 0.0
        self._has_warned = False  # of a clock that is wrong
        self._last_asked = 0  # the number of the last match when we last handed one out

    # Handing out

    def ask(
        self, *, lease: float, held: Collection[int] = (), budget: float | None = None
    ) -> Ticket | None:
        """A lapsed ticket that the caller does not hold, if there is one; else a new ticket.

        There is no new one once results and pending matches use up the budget.
        """
        return self.patiently(lambda: self._ask(lease, held, budget))

    def _ask(self, lease: float, held: Collection[int], budget: float | None) -> Ticket | None:
        """Choose outside the lock, and hand out inside."""
        for attempt in itertools.count(1):
            self.catch_up()
            self.prepare()
            with suppress(Moved):
                lapsed = self.lapsed(held)
                if lapsed is not None:
                    ticket = self.attempt(partial(self.hand_out_again, lapsed, lease))
                    if ticket is None:
                        continue  # it was void, and there may be another one
                    return ticket
                chosen = None if self.is_spent(budget) else self.state.next_match()
                if chosen is None:
                    return None
                if attempt > TRIES:
                    return self.attempt(partial(self.hand_out, lease, budget), is_last=True)
                return self.attempt(partial(self._hand_out_chosen, chosen, lease, budget))
        raise AssertionError  # it is tried until it succeeds

    def is_spent(self, budget: float | None, n_more: int = 0) -> bool:
        """Whether the results, the pending matches and `n_more` use up the budget."""
        used = self.state.n_told + len(self.state.pending) + n_more
        return budget is not None and used >= budget

    def _hand_out_chosen(
        self, chosen: Match, lease: float, budget: float | None, writer: Writer
    ) -> Ticket:
        """Hand out a match that was chosen outside the lock.

        Others may have handed out matches since. If many are pending, or if others hand out many
        between two of ours, it does no harm to choose without the latest. But they count for the
        budget, a request is fulfilled once, and with a lag every choice follows from the last.
        """
        state = self.state
        n_missed = writer.asked - state.n_asked
        is_strict = self.settings.lag or chosen in state.requests
        n_parallel = max(len(state.pending), state.n_asked - self._last_asked, 1) - 1
        if n_missed > (0 if is_strict else n_parallel) or self.is_spent(budget, n_missed):
            raise Moved
        return self._write(writer, writer.asked + 1, chosen, lease)

    def hand_out(
        self, lease: float, budget: float | None, writer: Writer, worker: str | None = None
    ) -> Ticket | None:
        """Choose a match inside the lock, where the state has the whole record."""
        if self.state.pairing is None or writer.asked != self.state.n_asked:
            raise Moved
        chosen = None if self.is_spent(budget) else self.state.next_match()
        if chosen is None:
            return None
        return self._write(writer, writer.asked + 1, chosen, lease, worker)

    def hand_out_suited(
        self,
        lease: float,
        budget: float | None,
        writer: Writer,
        worker: str,
        suits: Callable[[Match], bool],
    ) -> Ticket | None:
        """Hand out the most promising match that suits, inside the lock.

        It is for somebody to whom no choice of the scheduler suits. None if none suits, or if the
        scheduler wants no match at all.
        """
        if self.is_spent(budget) or self.state.next_match() is None:
            return None
        chosen = next(filter(suits, self.state.promising()), None)
        if chosen is None:
            return None
        return self._write(writer, writer.asked + 1, self.state.seated(chosen), lease, worker)

    def _write(
        self, writer: Writer, number: int, match: Match, lease: float, worker: str | None = None
    ) -> Ticket:
        holder = worker or self.worker
        entry = writer.ask(number, match, self.state.seed(number), holder, lease)
        self._last_asked = writer.asked
        self.note(entry)
        return self.ticket(number, match, entry.seq)

    def hand_out_again(
        self, lapsed: Lease, lease: float, writer: Writer, worker: str | None = None
    ) -> Ticket | None:
        """Hand out again a match whose result never came; None if it had to be given up."""
        if writer.holder(lapsed.match) != lapsed:
            raise Moved  # its holder lives, or its result has come
        match = self.state.pending[lapsed.match]
        if all(self.state.states[player] == "active" for player in match):
            return self._write(writer, lapsed.match, match, lease, worker)
        self.void(writer, lapsed.match, "its lease lapsed, and a player is no longer active")
        return None

    def lapsed(self, held: Collection[int]) -> Lease | None:
        """A lease that has lapsed, of a match that the caller does not hold."""
        return next(iter(self.all_lapsed(held)), None)

    def all_lapsed(self, held: Collection[int] = ()) -> list[Lease]:
        """The leases that have lapsed, of matches that the caller does not hold.

        While there are none, it looks only once in a while.
        """
        if time.monotonic() < max(self._next_lease_check, self.lost_at + GRACE):
            return []
        now, leases = self.store.now(), self.store.leases()
        self._check_clock([time.time() - now, *(clock_skew(lease, now) for lease in leases)])
        free = self.state.pending.keys() - set(held)
        found = [lease for lease in leases if lease.match in free and is_lapsed(lease, now)]
        self._next_lease_check = 0.0 if found else time.monotonic() + LEASE_CHECK
        return found

    def may_come_back(self) -> bool:
        """Whether a pending match of nobody else may be handed out again, now or soon.

        Its lease has lapsed, or it is ours: it was asked for when the server was lost, and nobody
        here knows of it.
        """
        now, pending = self.store.now(), self.state.pending
        return any(
            lease.match in pending and (lease.worker == self.worker or is_lapsed(lease, now))
            for lease in self.store.leases()
        )

    def release(self, writer: Writer, number: int, worker: str | None = None) -> None:
        """End the lease of a match: whoever asks next gets it."""
        writer.lease([number], worker or self.worker, 0.0)
        self._next_lease_check = 0.0

    def _check_clock(self, skews: list[float]) -> None:
        """Warn once if a clock is wrong: leases hold, but the times in the record do not."""
        skew = max(skews, key=abs)
        if abs(skew) > CLOCK_SKEW and not self._has_warned:
            self._has_warned = True
            way = "ahead of" if skew > 0 else "behind"
            self.store.notice(
                f"the clock of this process is {duration(abs(skew))} {way} that of the store or of "
                "another process; leases do not depend on it, but the times of results do"
            )

    def pending(self) -> list[Ticket]:
        """The tickets without a result."""
        return [self.ticket(*item) for item in sorted(self.state.pending.items())]

    def held(self) -> list[HeldMatch]:
        """The tickets without a result, with their holders."""
        now, times = self.store.now(), self.store.handed_out()
        return [
            HeldMatch(
                ticket.id,
                ticket.first,
                ticket.second,
                holder(lease.worker),
                times[lease.match],
                remaining(lease, now),
            )
            for lease in self.store.leases()
            if lease.match in self.state.pending and lease.match in times
            for ticket in [self.ticket(lease.match, self.state.pending[lease.match])]
        ]

    def ticket(self, number: int, match: Match, fence: int = 0) -> Ticket:
        """The ticket of a match."""
        first, second = (self.state.names[player] for player in match)
        return Ticket(number, first, second, self.state.seed(number), match, fence)

    # Taking in

    def tell(
        self,
        writer: Writer,
        number: int,
        outcome: Outcome,
        fence: int = 0,
        worker: str | None = None,
    ) -> bool | ScoreConflict:
        """Record the outcome of a match; False if the same score is recorded already.

        If another score is, the new one is refused and noted: returns the error for the caller to
        raise when the note is on disk.
        """
        match, recorded = self.match(writer, number, fence)
        if recorded is None:
            score, errors, data, games = outcome
            played = PlayedMatch(number, *match, score, games, errors, data or None)
            self.note(writer.tell(played, worker or self.worker))
        if recorded is None or recorded == outcome.score:
            return recorded is None
        first, second = (writer.name(player) for player in match)
        conflict = ScoreConflict(
            f"match {number}, {first} - {second}, has the score {recorded:g}; "
            f"it cannot be reported again with {outcome.score:g}"
        )
        writer.event("refused", match=number, score=outcome.score, reason=str(conflict))
        return conflict

    def match(self, writer: Writer, number: int, fence: int = 0) -> tuple[Match, float | None]:
        """Who plays match `number`, and its score if it has one."""
        if self.is_exact and number in self.state.pending:
            return self.state.pending[number], None
        found = writer.handed_out(number, fence)
        if found is not None:
            return found
        if fence and writer.handed_out(number) is not None:
            raise InvalidInput(
                f"this ticket of match {number} is not of this record: entry {fence} did not hand "
                f"it out; was the store replaced?"
            )
        raise UnknownMatch(f"there is no match {number}; {writer.asked} were handed out so far")

    def give_up(self, writer: Writer, number: int, reason: str) -> bool:
        """Like `void`, for a caller who has to be told that there is a result."""
        players, score = self.match(writer, number)
        if score is not None:
            first, second = (writer.name(player) for player in players)
            raise InvalidInput(
                f"match {number}, {first} - {second}, has a result, {score:g}, and cannot be "
                f"void; {correction(self.store, 'retract', str(number))} takes a result back"
            )
        return self.void(writer, number, reason)

    def void(self, writer: Writer, number: int, reason: str) -> bool:
        """Give up a pending match; False if it is not pending."""
        if writer.holder(number) is None:  # a pending match has a lease
            return False
        self.note(writer.void(number, reason))
        return True

    def retract(
        self,
        writer: Writer,
        number: int,
        reason: str,
        fence: int = 0,
        worker: str | None = None,
    ) -> bool:
        """Take back the result of a match; False if that was done before."""
        match, _ = self.match(writer, number, fence)
        result = writer.result_of(number)
        if result is not None:
            self.note(writer.retract(result, reason, worker or self.worker))
        elif not writer.was_retracted(number):
            first, second = (writer.name(player) for player in match)
            is_pending = writer.holder(number) is not None
            command = correction(self.store, "void", str(number))
            state = f"is pending; {command} gives it up" if is_pending else "is void"
            raise InvalidInput(
                f"match {number}, {first} - {second}, has no result to retract: it {state}"
            )
        return result is not None
