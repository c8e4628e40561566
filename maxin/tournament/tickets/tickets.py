"""The desk: hands out tickets and takes in results, one transaction at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import NamedTuple, TypeVar

from maxin.core import InvalidInput, Match
from maxin.storage import Asking, Entry, Store, StoreFailed, StoreLost, Telling, Writer
from maxin.tournament.settings import Settings
from maxin.tournament.state import snapshots
from maxin.tournament.state.state import League
from maxin.tournament.tickets.leases import is_lapsed

LEASE_LOOKS = 1.0  # seconds between two looks for lapsed leases
PATIENCE = 30.0  # seconds that a lost server is looked for
SNAPSHOT_EVERY = 10_000  # entries of the record
Done = TypeVar("Done")


class Ticket(NamedTuple):
    """A match that was asked: its number, who sits first, who second, and its seed."""

    id: int
    first: str
    second: str
    seed: int


class ScoreConflict(InvalidInput):
    """A match was told with another score before; the message has both."""


class Desk:
    """A league and the store behind it.

    Every transaction first reads what other processes wrote, so all see the same league. What is
    written counts only when it is on disk: should that fail, the league is read anew.

    Args:
        store: the record.
        settings: the rules.
        worker: who holds the tickets handed out here.
    """

    def __init__(self, store: Store, settings: Settings, worker: str) -> None:
        self.store, self.settings, self.worker = store, settings, worker
        self._league: League | None = None
        self._next_look = 0.0
        self._snapshot_seq = 0
        self._safe_seq = 0  # what the league holds up to here is on disk

    @property
    def league(self) -> League:
        """The league as of the last transaction."""
        if self._league is None:
            self.refresh()
        assert self._league is not None
        return self._league

    def refresh(self) -> None:
        """Read what others wrote."""
        self.transact(lambda writer: None)

    def transact(self, work: Callable[[Writer], Done]) -> Done:
        """Do `work` on the league as it is now, and write what it adds.

        A server that went away is looked for again, and the work done anew: a result that had
        been written just before is then found to be told already.
        """
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                return self._transact_once(work)
            except StoreLost:
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.5)

    def _transact_once(self, work: Callable[[Writer], Done]) -> Done:
        if self._league is None:
            self._league, self._snapshot_seq = self._opened()

        league = self._league

        def caught_up(writer: Writer) -> Done:
            self.take(writer.entries(league.seq))
            self._safe_seq = league.seq
            return work(writer)

        try:
            done = self.store.transact(caught_up)
        except BaseException:
            if league.seq != self._safe_seq:
                self._league = None  # it holds what never reached the disk
            raise
        self._save_snapshot()
        return done

    def take(self, entries: Iterable[Entry]) -> None:
        """Read on in the record."""
        for entry in entries:
            self.league.take(entry)

    def _opened(self) -> tuple[League, int]:
        """The league as of the latest snapshot, if there is one; what came since is small."""
        found = snapshots.load(self.store, self.settings)
        league = League(self.settings) if found is None else found
        snapshot_seq = league.seq
        for entry in self.store.entries(league.seq):
            league.take(entry)
        return league, snapshot_seq

    def _save_snapshot(self) -> None:
        league = self.league
        if league.seq >= self._snapshot_seq + SNAPSHOT_EVERY and league.pairing is not None:
            self._snapshot_seq = league.seq
            with suppress(StoreFailed):  # a shortcut less; the record itself is on disk
                snapshots.save(self.store, league)

    # Tickets

    def ask(
        self,
        writer: Writer,
        *,
        lease: float,
        held: Collection[int] = (),
        only_lapsed: bool = False,
    ) -> Ticket | None:
        """A lapsed ticket, if there is one that the caller does not still hold; else a new one."""
        ticket = self._ask_lapsed(writer, lease, held)
        return ticket if ticket or only_lapsed else self._ask_new(writer, lease)

    def prepare(self, writer: Writer) -> None:
        """Have a scheduler of those who are active now."""
        if self.league.pairing is None and len(self.league.active()) >= 2:
            self.league.pair_anew(writer.entries(0))

    def _ask_new(self, writer: Writer, lease: float) -> Ticket | None:
        self.prepare(writer)
        league = self.league
        match = league.next_match()
        if match is None:
            return None
        return self._hand_out(writer, league.n_asked + 1, match, lease)

    def _hand_out(self, writer: Writer, number: int, match: Match, lease: float) -> Ticket:
        seed = self.league.seed(number)
        self.league.take(writer.ask(Asking(number, *match, seed), self.worker, lease))
        first, second = (self.league.names[player] for player in match)
        return Ticket(number, first, second, seed)

    def _ask_lapsed(self, writer: Writer, lease: float, held: Collection[int]) -> Ticket | None:
        """Hand out again what somebody never brought back."""
        if time.monotonic() < self._next_look:
            return None
        for row in writer.leases():
            match = self.league.out.get(row.match)
            if match is None or row.match in held or not is_lapsed(row, writer.now):
                continue
            if all(self.league.states[player] == "active" for player in match):
                return self._hand_out(writer, row.match, match, lease)
            self.void(writer, row.match, "it lapsed, and a player is no longer active")
        self._next_look = time.monotonic() + LEASE_LOOKS
        return None

    # Results

    def tell(self, writer: Writer, telling: Telling) -> bool:
        """Write a result of a match that was asked; False if it was told already, the same."""
        assert telling.match is not None
        if telling.match not in self.league.out:
            known = writer.told_score(telling.match)
            if known is not None:
                return _told_again(telling, known, self.league.names)
        self.league.take(writer.tell(telling, self.worker))
        return True

    def match(self, writer: Writer, number: int) -> Match:
        """Who plays match `number`."""
        if number in self.league.out:
            return self.league.out[number]
        asked = writer.asked(number) if 1 <= number <= self.league.n_asked else None
        if asked is None:
            raise InvalidInput(
                f"there is no match {number}; {self.league.n_asked} were asked so far"
            )
        return Match(asked.first, asked.second)

    def void(self, writer: Writer, number: int, reason: str) -> None:
        """Give up a match that is out; nothing if it no longer is."""
        if number in self.league.out:
            self.league.take(writer.void(number, reason))


def _told_again(telling: Telling, known: float, names: list[str]) -> bool:
    """False for the same score; another one is refused."""
    if known == telling.score:
        return False
    raise ScoreConflict(
        f"match {telling.match}, {names[telling.first]} - {names[telling.second]}, was told with "
        f"score {known:g}; it cannot be told again with {telling.score:g}"
    )
