"""Tickets: matches are handed out and results taken in, one transaction at a time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import NamedTuple, TypeVar

from maxin.core import InvalidInput, Match
from maxin.storage import Entry, PlayedMatch, Store, StoreFailed, StoreLost, Writer
from maxin.tournament.settings import Settings
from maxin.tournament.state import snapshots
from maxin.tournament.state.state import TournamentState
from maxin.tournament.tickets.leases import is_lapsed

LEASE_CHECK = 1.0  # seconds between two searches for lapsed leases
PATIENCE = 30.0  # seconds to wait for a lost database server
SNAPSHOT_EVERY = 10_000  # entries of the record
Done = TypeVar("Done")


class Ticket(NamedTuple):
    """A match to play: its number, who sits first, who second, and its seed.

    `players` are the numbers of the two.
    """

    id: int
    first: str
    second: str
    seed: int
    players: Match


class ScoreConflict(InvalidInput):
    """A match was reported with another score before; the message names both."""


class Tickets:
    """The state of a tournament and the store behind it.

    Every transaction first reads what other processes wrote, so all of them see the same state.
    What is written counts only when it is on disk; if that fails, the state is read again.

    Args:
        store: the record.
        settings: the rules.
        worker: who holds the tickets handed out here.
        use_snapshots: whether to start from a snapshot; without one, the whole record is read.
    """

    def __init__(
        self, store: Store, settings: Settings, worker: str, *, use_snapshots: bool = True
    ) -> None:
        self.store, self.settings, self.worker = store, settings, worker
        self._use_snapshots = use_snapshots
        self.lock = threading.RLock()  # held by whoever reads or changes the state
        self._state: TournamentState | None = None
        self._next_lease_check = 0.0
        self._snapshot_seq = 0
        self._safe_seq = 0  # everything up to this number is on disk

    @property
    def state(self) -> TournamentState:
        """The state as of the last transaction."""
        with self.lock:
            if self._state is None:
                self.refresh()
            assert self._state is not None
            return self._state

    def refresh(self) -> None:
        """Read what other processes wrote."""
        self.transact(lambda writer: None)

    def transact(self, work: Callable[[Writer], Done]) -> Done:
        """Do `work` on the present state, and write what it adds.

        If the database server is lost, wait for it and do the work again: a result that was
        written just before is then found to be recorded already.
        """
        give_up = math.inf  # counted from the loss: this process may have been suspended before
        with self.lock:
            while True:
                try:
                    return self._transact_once(work)
                except StoreLost:
                    give_up = min(give_up, time.monotonic() + PATIENCE)
                    if time.monotonic() > give_up:
                        raise
                    time.sleep(0.5)

    def _transact_once(self, work: Callable[[Writer], Done]) -> Done:
        if self._state is None:
            self._state, self._snapshot_seq = self._loaded()
        state = self._state

        def caught_up(writer: Writer) -> Done:
            self.take(writer.entries(state.seq))
            self._safe_seq = state.seq
            return work(writer)

        try:
            done = self.store.transact(caught_up)
        except BaseException:
            if state.seq != self._safe_seq:
                self._state = None  # it holds entries that never reached the disk
            raise
        self._save_snapshot()
        return done

    def take(self, entries: Iterable[Entry]) -> None:
        """Apply further entries of the record."""
        for entry in entries:
            self.state.take(entry)

    def _loaded(self) -> tuple[TournamentState, int]:
        """The state from the latest snapshot, if any, and the entries after it."""
        found = snapshots.load(self.store, self.settings) if self._use_snapshots else None
        state = TournamentState(self.settings) if found is None else found
        snapshot_seq = state.seq
        for entry in self.store.entries(state.seq):
            state.take(entry)
        return state, snapshot_seq

    def _save_snapshot(self) -> None:
        state = self.state
        if state.seq >= self._snapshot_seq + SNAPSHOT_EVERY and state.pairing is not None:
            self._snapshot_seq = state.seq
            with suppress(StoreFailed):  # only a shortcut is lost; the record itself is on disk
                snapshots.save(self.store, state)

    # Handing out

    def ask(
        self,
        writer: Writer,
        *,
        lease: float,
        held: Collection[int] = (),
        only_lapsed: bool = False,
    ) -> Ticket | None:
        """A lapsed ticket that the caller does not hold, if there is one; else a new ticket."""
        ticket = self._ask_lapsed(writer, lease, held)
        return ticket if ticket or only_lapsed else self._ask_new(writer, lease)

    def prepare(self, writer: Writer) -> None:
        """Make sure there is a scheduler for the players who are active now."""
        if self.state.pairing is None and len(self.state.active()) >= 2:
            self.state.restart_pairing(writer.entries(0))

    def is_budget_spent(self, budget: float) -> bool:
        """Whether the results and the pending matches use up the budget."""
        return self.state.n_told + len(self.state.pending) >= budget

    def pending(self) -> list[Ticket]:
        """The tickets without a result."""
        return [self.ticket(*item) for item in sorted(self.state.pending.items())]

    def ticket(self, number: int, match: Match) -> Ticket:
        """The ticket of a match."""
        first, second = (self.state.names[player] for player in match)
        return Ticket(number, first, second, self.state.seed(number), match)

    def _ask_new(self, writer: Writer, lease: float) -> Ticket | None:
        self.prepare(writer)
        match = self.state.next_match()
        if match is None:
            return None
        return self._hand_out(writer, self.state.n_asked + 1, match, lease)

    def _hand_out(self, writer: Writer, number: int, match: Match, lease: float) -> Ticket:
        seed = self.state.seed(number)
        self.state.take(writer.ask(number, match, seed, self.worker, lease))
        return self.ticket(number, match)

    def _ask_lapsed(self, writer: Writer, lease: float, held: Collection[int]) -> Ticket | None:
        """Hand out again a match whose result never came."""
        if time.monotonic() < self._next_lease_check:
            return None
        for row in writer.leases():
            match = self.state.pending.get(row.match)
            if match is None or row.match in held or not is_lapsed(row, writer.now):
                continue
            if all(self.state.states[player] == "active" for player in match):
                return self._hand_out(writer, row.match, match, lease)
            self.void(writer, row.match, "its lease lapsed, and a player is no longer active")
        self._next_lease_check = time.monotonic() + LEASE_CHECK
        return None

    # Taking in

    def tell(self, writer: Writer, played: PlayedMatch[int]) -> bool:
        """Record a result; False if the same result is recorded already."""
        assert played.number is not None
        if played.number not in self.state.pending:
            recorded = writer.recorded_score(played.number)
            if recorded is not None:
                return _reported_again(played, recorded, self.state.names)
        self.state.take(writer.tell(played, self.worker))
        return True

    def match(self, writer: Writer, number: int) -> Match:
        """Who plays match `number`."""
        if number in self.state.pending:
            return self.state.pending[number]
        found = writer.seats(number) if 1 <= number <= self.state.n_asked else None
        if found is None:
            raise InvalidInput(
                f"there is no match {number}; {self.state.n_asked} were handed out so far"
            )
        return found

    def void(self, writer: Writer, number: int, reason: str) -> bool:
        """Give up a pending match; False if it is not pending."""
        if number not in self.state.pending:
            return False
        self.state.take(writer.void(number, reason))
        return True


def _reported_again(played: PlayedMatch[int], recorded: float, names: list[str]) -> bool:
    """False for the same score; another one is refused."""
    if recorded == played.score:
        return False
    raise ScoreConflict(
        f"match {played.number}, {names[played.first]} - {names[played.second]}, has the score "
        f"{recorded:g}; it cannot be reported again with {played.score:g}"
    )
