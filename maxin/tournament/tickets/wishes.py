"""Wishes: what many callers want of one tournament at once, granted in one transaction."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from sqlalchemy import bindparam, delete, insert, select

from maxin.core import InvalidInput
from maxin.runners import Outcome
from maxin.storage import Lease, Writer
from maxin.storage.schema import ASKS
from maxin.tournament.tickets.ledger import TRIES, Moved
from maxin.tournament.tickets.tickets import ScoreConflict, Ticket, Tickets

MOST_FAILURES = 3  # attempts to play a match before it is void
LOG_KEPT = 4_000  # characters of a failed game's output
RENEWAL, CORRECTION, RESULT, ASK = range(4)  # the order in which wishes are granted


class Restarted(Exception):
    """The scheduler must be made again, which takes too long inside a transaction."""


class Group:
    """One transaction that grants wishes.

    Args:
        tickets: the tournament's; its state is exact.
        writer: of the transaction.
        lapsed: leases that had lapsed before it began; their matches are handed out first.
        budget: no new match is handed out once there are this many.
    """

    def __init__(
        self, tickets: Tickets, writer: Writer, lapsed: Sequence[Lease], budget: int | None
    ) -> None:
        self.tickets, self.writer, self.budget = tickets, writer, budget
        self._lapsed = list(lapsed)

    def hand_out(self, lease: float, worker: str) -> Ticket | None:
        """A match whose lease has lapsed, else a new one; None if there is none."""
        while self._lapsed:
            again = self._lapsed.pop()
            if again.match in self.tickets.state.pending:
                with suppress(Moved):  # it was renewed in this very group
                    ticket = self.tickets.hand_out_again(again, lease, self.writer, worker)
                    if ticket is not None:
                        return ticket
        state = self.tickets.state
        if state.pairing is None and len(state.active()) >= 2:
            raise Restarted
        return (
            None
            if state.pairing is None
            else self.tickets.hand_out(lease, self.budget, self.writer, worker)
        )


class Wish(Protocol):
    """Something a caller wants: `rank` says when it is granted, and `grant` does it.

    `grant` checks before it writes: what it raises is the answer to this caller alone.
    """

    @property
    def rank(self) -> int:
        """Renewals come first, then corrections, results, and asks, which depend on them all."""

    def grant(self, group: Group) -> Any:
        """Do it inside a transaction; returns the answer."""


class Renewal(NamedTuple):
    """Keep matches for some more seconds; the answer is which are kept, and which are lost."""

    worker: str
    matches: tuple[int, ...]
    lease: float
    rank: int = RENEWAL

    def grant(self, group: Group) -> tuple[list[int], list[int]]:
        """See `Wish.grant`."""
        holders = {match: group.writer.holder(match) for match in self.matches}
        kept = [match for match, held in holders.items() if held and held.worker == self.worker]
        group.writer.lease(kept, self.worker, self.lease)
        return kept, [match for match in self.matches if match not in kept]


class Failure(NamedTuple):
    """A match could not be played: it is tried again, and void after some failures.

    The answer is whether it will be tried again.
    """

    worker: str
    number: int
    reason: str
    log: str = ""
    rank: int = CORRECTION

    def grant(self, group: Group) -> bool:
        """See `Wish.grant`."""
        tickets, writer = group.tickets, group.writer
        match, score = tickets.match(writer, self.number)
        held = writer.holder(self.number)
        if score is not None or held is None or held.worker != self.worker:
            return False  # somebody else plays it, or its result has come
        attempt = writer.n_failures(self.number) + 1
        players = [writer.name(player) for player in match]
        writer.event(
            "failed",
            match=self.number,
            players=players,
            attempt=attempt,
            reason=self.reason,
            log=self.log[-LOG_KEPT:],
        )
        if attempt < MOST_FAILURES:
            tickets.release(writer, self.number)
            return True
        tickets.void(writer, self.number, self.reason)
        return False


class Told(NamedTuple):
    """Record a result; the answer is whether it is new. Another score is a `ScoreConflict`."""

    worker: str
    number: int
    outcome: Outcome
    rank: int = RESULT

    def grant(self, group: Group) -> bool | ScoreConflict:
        """See `Wish.grant`."""
        return group.tickets.tell(group.writer, self.number, self.outcome, worker=self.worker)


class Asked(NamedTuple):
    """Up to `n` matches to play; asked again with the same key, the answer is the same.

    That is so while their leases last, so whoever lost the answer asks again, and no match waits
    in vain for its lease to end.
    """

    worker: str
    n: int
    lease: float
    key: str | None = None
    rank: int = ASK

    def grant(self, group: Group) -> list[Ticket]:
        """See `Wish.grant`."""
        writer = group.writer
        found = self._earlier(group)
        if found is not None:
            return found
        tickets: list[Ticket] = []
        while len(tickets) < self.n:
            ticket = group.hand_out(self.lease, self.worker)
            if ticket is None:
                break
            tickets.append(ticket)
        if self.key is not None and tickets:
            numbers = json.dumps([ticket.id for ticket in tickets])
            writer.query(_FORGET, {"now": writer.now, "mine": self.worker, "same": self.key})
            row = {"worker": self.worker, "key": self.key, "matches": numbers}
            writer.query(insert(ASKS), row | {"until": writer.now + self.lease})
        return tickets

    def _earlier(self, group: Group) -> list[Ticket] | None:
        """The pending matches of this key that the worker still holds; None without any."""
        if self.key is None:
            return None
        tickets, writer = group.tickets, group.writer
        rows = writer.query(_FIND, {"mine": self.worker, "same": self.key})
        numbers: list[int] = json.loads(rows[0].matches) if rows else []
        held = [
            number
            for number in numbers
            if (lease := writer.holder(number)) is not None and lease.worker == self.worker
        ]
        pending = tickets.state.pending
        return [tickets.ticket(number, pending[number]) for number in held] or None


class Work(NamedTuple):
    """Anything else, done by a function of the group; `rank` says when."""

    act: Callable[[Group], Any]
    rank: int = CORRECTION

    def grant(self, group: Group) -> Any:
        """See `Wish.grant`."""
        return self.act(group)


_FIND = select(ASKS.c.matches).where(
    ASKS.c.worker == bindparam("mine"), ASKS.c.key == bindparam("same")
)
_FORGET = delete(ASKS).where(
    (ASKS.c.until < bindparam("now"))
    | ((ASKS.c.worker == bindparam("mine")) & (ASKS.c.key == bindparam("same")))
)


def grant_all(tickets: Tickets, wishes: Sequence[Wish], budget: int | None = None) -> list[Any]:
    """Grant wishes in one transaction, in the order of their ranks; returns their answers.

    A wish that cannot be granted is answered with its error, and the others are granted. When
    this returns, everything is on disk.

    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
    >>> (asked,) = tournament.batch([Asked("afar", 2, lease=60.0)])
    >>> wishes = [Asked("afar", 1, lease=60.0), Told("afar", asked[0].id, Outcome(1.0))]
    >>> new, is_new = tournament.batch(wishes)
    >>> len(asked), new[0].id, is_new
    (2, 3, True)
    """
    answers: list[Any] = [None] * len(wishes)
    open_places = sorted(range(len(wishes)), key=lambda place: wishes[place].rank)
    while open_places:
        asks = any(wishes[place].rank == ASK for place in open_places)
        granted = _grant(tickets, [wishes[place] for place in open_places], budget, asks)
        for place, answer in zip(open_places, granted, strict=True):
            answers[place] = answer
        open_places = [place for place in open_places if isinstance(answers[place], Restarted)]
    return answers


def _grant(tickets: Tickets, wishes: Sequence[Wish], budget: int | None, asks: bool) -> list[Any]:
    """One transaction, in the order given."""

    def answer(wish: Wish, group: Group) -> Any:
        try:
            return wish.grant(group)
        except (InvalidInput, Restarted) as error:
            return error

    for attempt in itertools.count(1):
        lapsed = tickets.patiently(tickets.all_lapsed) if asks else []

        def work(writer: Writer, lapsed: Sequence[Lease] = lapsed) -> list[Any]:
            group = Group(tickets, writer, lapsed, budget)
            return [answer(wish, group) for wish in wishes]

        with suppress(Moved):
            return tickets.exactly(work, catches_up=attempt > TRIES)
    raise AssertionError  # it is tried until it succeeds
