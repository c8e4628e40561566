"""Wishes: what many callers want of one tournament at once, granted in one transaction."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from sqlalchemy import bindparam, delete, select

from maxin.core import InvalidInput, Match
from maxin.runners import Outcome
from maxin.storage import Lease, StoreLost, Writer
from maxin.storage.schema import ASKS
from maxin.tournament.tickets.ledger import TRIES, Moved
from maxin.tournament.tickets.result_checks import ToldResult, checked_results, recorded
from maxin.tournament.tickets.tickets import ScoreConflict, Ticket, Tickets

MOST_FAILURES = 3  # attempts to play a match before it is void
LOG_KEPT = 4_000  # characters of a failed game's output
RENEWAL, CORRECTION, RESULT, ASK = range(4)  # the order in which wishes are granted


class Restarted(Exception):
    """The scheduler must be made again, which takes too long inside a transaction."""


class WishGroup:
    """One transaction that grants wishes.

    Args:
        tickets: the tournament's; its state is exact.
        writer: of the transaction.
        lapsed: leases that had lapsed before it began; their matches are handed out first.
        budget: no new match is handed out once there are this many.
        keys: of the asks in this group.
    """

    def __init__(
        self,
        tickets: Tickets,
        writer: Writer,
        lapsed: Sequence[Lease],
        budget: int | None,
        keys: Sequence[str],
    ) -> None:
        self.tickets, self.writer, self.budget = tickets, writer, budget
        self._lapsed = list(lapsed)
        rows = writer.query(_FIND, {"keys": keys}) if keys else ()
        self._asks = {
            (row.worker, row.key): json.loads(row.matches)
            for row in rows
            if row.until >= writer.now
        }
        if keys:
            writer.query(_FORGET, {"now": writer.now})

    def earlier(self, worker: str, key: str) -> list[Ticket] | None:
        """The pending matches that this key was answered with, as far as the worker holds them.

        None if the key is new. An ask whose caller has asked again may arrive after the others,
        by way of another process: there is nothing left for it then.
        """
        if (worker, key) not in self._asks:
            return None
        held = []
        for number in self._asks[worker, key]:
            lease = self.writer.holder(number)
            if lease is not None and lease.worker == worker:
                match = self.tickets.state.pending[number]
                held.append(self.tickets.ticket(number, match))
        return held

    def remember(self, worker: str, key: str, tickets: Sequence[Ticket], lease: float) -> None:
        """Keep the answer to a key for as long as its leases last."""
        numbers = [ticket.id for ticket in tickets]
        self._asks[worker, key] = numbers
        terms = {"matches": json.dumps(numbers), "until": self.writer.now + lease}
        self.writer.beside(ASKS, worker=worker, key=key, **terms)

    def hand_out(self, lease: float, worker: str) -> Ticket | None:
        """A match whose lease has lapsed, else a new one; None if there is none."""
        return self.hand_out_again(lease, worker) or self.hand_out_new(lease, worker)

    def hand_out_again(
        self, lease: float, worker: str, suits: Callable[[Match], bool] | None = None
    ) -> Ticket | None:
        """A match whose lease has lapsed; with `suits`, the first whose players suit."""
        pending = self.tickets.state.pending
        for again in reversed(self._lapsed.copy()):
            if again.match in pending and suits is not None and not suits(pending[again.match]):
                continue
            self._lapsed.remove(again)
            if again.match in pending:
                with suppress(Moved):  # it was renewed in this very group
                    ticket = self.tickets.hand_out_again(again, lease, self.writer, worker)
                    if ticket is not None:
                        return ticket
        return None

    def hand_out_new(self, lease: float, worker: str) -> Ticket | None:
        """A new match; None if there is none."""
        state = self.tickets.state
        if state.pairing is None and len(state.active()) >= 2:
            raise Restarted
        return (
            None
            if state.pairing is None
            else self.tickets.hand_out(lease, self.budget, self.writer, worker)
        )

    def hand_out_suited(
        self, lease: float, worker: str, suits: Callable[[Match], bool]
    ) -> Ticket | None:
        """A new match whose players suit, if not of the scheduler's choice; None if none does."""
        if self.tickets.state.pairing is None:
            return None
        return self.tickets.hand_out_suited(lease, self.budget, self.writer, worker, suits)

    def put_back(self, number: int, holder: str) -> None:
        """Let a match wait for somebody else, under the name of a holder who does not play."""
        self.tickets.release(self.writer, number, holder)
        lease = self.writer.holder(number)
        assert lease is not None
        self._lapsed.append(lease)

    def n_waiting(self, holder: str) -> int:
        """How many matches were put back under this name and still wait."""
        return sum(lease.worker == holder for lease in self._lapsed)


class Wish(Protocol):
    """Something a caller wants: `rank` says when it is granted, and `grant` does it.

    `grant` checks before it writes: what it raises is the answer to this caller alone.
    """

    @property
    def rank(self) -> int:
        """Renewals come first, then corrections, results, and asks, which depend on them all."""

    def grant(self, group: WishGroup) -> Any:
        """Do it inside a transaction; returns the answer."""


class RenewWish(NamedTuple):
    """Keep matches for some more seconds; the answer is which are kept, and which are lost."""

    worker: str
    matches: tuple[int, ...]
    lease: float
    rank: int = RENEWAL

    def grant(self, group: WishGroup) -> tuple[list[int], list[int]]:
        """See `Wish.grant`."""
        holders = {match: group.writer.holder(match) for match in self.matches}
        kept = [match for match, held in holders.items() if held and held.worker == self.worker]
        group.writer.lease(kept, self.worker, self.lease)
        return kept, [match for match in self.matches if match not in kept]


class FailWish(NamedTuple):
    """A match could not be played: it is tried again, and void after some failures.

    The answer is whether it will be tried again.
    """

    worker: str
    number: int
    reason: str
    log: str = ""
    rank: int = CORRECTION

    def grant(self, group: WishGroup) -> bool:
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


class TellWish(NamedTuple):
    """Record a result; the answer is whether it is new. Another score is a `ScoreConflict`."""

    worker: str
    number: int
    outcome: Outcome
    fence: int = 0
    rank: int = RESULT

    def grant(self, group: WishGroup) -> bool | ScoreConflict:
        """See `Wish.grant`."""
        return group.tickets.tell(
            group.writer, self.number, self.outcome, self.fence, worker=self.worker
        )


class AskWish(NamedTuple):
    """Up to `n` matches to play; asked again with the same key, the answer is the same.

    That is so while their leases last, so whoever lost the answer asks again, and no match waits
    in vain for its lease to end.
    """

    worker: str
    n: int
    lease: float
    key: str | None = None
    rank: int = ASK

    def grant(self, group: WishGroup) -> list[Ticket]:
        """See `Wish.grant`."""
        earlier = None if self.key is None else group.earlier(self.worker, self.key)
        if earlier is not None:
            return earlier
        tickets: list[Ticket] = []
        while len(tickets) < self.n:
            ticket = group.hand_out(self.lease, self.worker)
            if ticket is None:
                break
            tickets.append(ticket)
        if self.key is not None and tickets:
            group.remember(self.worker, self.key, tickets, self.lease)
        return tickets


class WorkWish(NamedTuple):
    """Anything else, done by a function of the group; `rank` says when."""

    act: Callable[[WishGroup], Any]
    rank: int = CORRECTION

    def grant(self, group: WishGroup) -> Any:
        """See `Wish.grant`."""
        return self.act(group)


_FIND = select(ASKS.c.worker, ASKS.c.key, ASKS.c.matches, ASKS.c.until).where(
    ASKS.c.key.in_(bindparam("keys", expanding=True))
)
_FORGET = delete(ASKS).where(ASKS.c.until < bindparam("now"))


def grant_all(tickets: Tickets, wishes: Sequence[Wish], budget: int | None = None) -> list[Any]:
    """Grant wishes in one transaction, in the order of their ranks; returns their answers.

    A wish that cannot be granted is answered with its error, and the others are granted. If the
    transaction itself fails, for any reason but a lost server, each wish gets one of its own. When
    this returns, everything is on disk.

    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
    >>> (asked,) = tournament.batch([AskWish("afar", 2, lease=60.0)])
    >>> wishes = [AskWish("afar", 1, lease=60.0), TellWish("afar", asked[0].id, Outcome(1.0))]
    >>> new, is_new = tournament.batch(wishes)
    >>> len(asked), new[0].id, is_new
    (2, 3, True)
    """
    answers: list[Any] = [None] * len(wishes)
    open_places = sorted(range(len(wishes)), key=lambda place: wishes[place].rank)
    while open_places:
        granted = _grant_or_each(tickets, [wishes[place] for place in open_places], budget)
        for place, answer in zip(open_places, granted, strict=True):
            answers[place] = answer
        open_places = [place for place in open_places if isinstance(answers[place], Restarted)]
    return answers


def record_all(
    tickets: Tickets, results: Iterable[tuple[Ticket | int, float | Outcome]]
) -> list[bool]:
    """Whether each result is new; see `Tournament.tell_many`."""
    reported = checked_results(results)
    wishes = [TellWish(tickets.worker, *one) for one in reported if isinstance(one, ToldResult)]
    granted = iter(grant_all(tickets, wishes))
    answers = [next(granted) if isinstance(one, ToldResult) else one for one in reported]
    for answer in answers:
        if isinstance(answer, Exception) and not isinstance(answer, InvalidInput):
            raise answer
    return recorded(answers)


def _grant_or_each(tickets: Tickets, wishes: Sequence[Wish], budget: int | None) -> list[Any]:
    """One transaction; if that fails for any reason but a lost server, one for each wish."""
    try:
        return _grant(tickets, wishes, budget)
    except Exception as error:
        if isinstance(error, StoreLost) or len(wishes) == 1:
            raise
    answers: list[Any] = []
    for wish in wishes:
        try:
            answers += _grant(tickets, [wish], budget)
        except Exception as error:  # of this wish alone
            answers.append(error)
    return answers


def _grant(tickets: Tickets, wishes: Sequence[Wish], budget: int | None) -> list[Any]:
    """One transaction, in the order given."""

    def answer(wish: Wish, group: WishGroup) -> Any:
        try:
            return wish.grant(group)
        except (InvalidInput, Restarted) as error:
            return error

    keys = [wish.key for wish in wishes if isinstance(wish, AskWish) and wish.key is not None]
    asks = any(wish.rank == ASK for wish in wishes)
    for attempt in itertools.count(1):
        lapsed = tickets.patiently(tickets.all_lapsed) if asks else []

        def work(writer: Writer, lapsed: Sequence[Lease] = lapsed) -> list[Any]:
            group = WishGroup(tickets, writer, lapsed, budget, keys)
            return [answer(wish, group) for wish in wishes]

        with suppress(Moved):
            return tickets.exactly(work, catches_up=attempt > TRIES)
    raise AssertionError  # it is tried until it succeeds
