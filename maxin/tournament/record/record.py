"""The record: the state of a tournament, kept level with its store."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from maxin.storage import Entry, StoreFailed, StoreLost, outlast
from maxin.tournament.record.leases import Leases
from maxin.tournament.settings import Settings

if TYPE_CHECKING:
    from maxin.storage import Store, Writer
    from maxin.tournament.state.state import TournamentState

PATIENCE = 30.0  # seconds to wait for a lost database server
ALONE_AFTER = 10.0  # seconds without an entry of another process
TRIES = 2  # how often work is done outside the lock before it is done inside
MOST_INSIDE = 1_000  # entries that may be read inside the lock
Done = TypeVar("Done")


class Moved(Exception):
    """The record has entries that the work should have known; it must be done again."""


class Needs(IntEnum):
    """How much of the record the state must have while work is done on it.

    NOTHING: the work reads what it needs by its writer.
    PLAYERS: everything but the latest matches and their results; the work raises `Moved` if it
        needs those.
    ALL: everything, and the state follows what the work writes.
    SCHEDULER: likewise, and a scheduler that chooses matches.
    """

    NOTHING = 0
    PLAYERS = 1
    ALL = 2
    SCHEDULER = 3


class Record:
    """The state of a tournament and the store behind it.

    The record is read, and a scheduler made, without holding the store's lock. Inside the lock we
    only look whether somebody has written what the work depends on, append, and commit. If
    somebody has, we read it and do the work again; after some tries, inside the lock.

    The state is what the record on disk says. Only work that needs it all lets it run ahead; if
    that fails, the state is read again.

    Args:
        store: where the record is.
        settings: the rules.
        worker: who holds the matches handed out here.
    """

    def __init__(self, store: Store, settings: Settings, worker: str) -> None:
        self.store, self.settings, self.worker = store, settings, worker
        self.lock = threading.RLock()  # held by whoever reads or changes the state
        self._state: TournamentState | None = None
        self._is_behind = False  # whether we have written entries that the state lacks
        self._is_inside = False  # whether we hold the store's lock
        self.is_exact = False  # whether the state takes what we write at once
        self.is_ahead = False  # whether our last transaction saw matches that were chosen ahead
        self._head = 0  # the number of the last entry that we have read or written
        self._end = 0, ""  # the last entry at the end of our last transaction, and its digest
        self._written = self._end  # the same in a transaction that is not on disk yet
        self._shared_at = -ALONE_AFTER  # when we last saw an entry of another process
        self.lost_at = -math.inf  # when the server was last away
        self.leases = Leases(self)

    # The state

    @property
    def state(self) -> TournamentState:
        """The state as of our last transaction, or later."""
        with self.lock:
            if self._state is not None:
                if self._is_behind and not self._is_inside:
                    with suppress(StoreLost):  # a reader gets the last state that was read
                        self.catch_up()
                return self._state
            assert not self._is_inside
        self.refresh()
        return self.state

    @property
    def known(self) -> TournamentState | None:
        """The state as of when it was last read; None if it has to be read first."""
        return self._state

    @property
    def is_alone(self) -> bool:
        """Whether no other process has written for a while."""
        return time.monotonic() - self._shared_at >= ALONE_AFTER

    def refresh(self) -> None:
        """Read what was written since."""
        self.patiently(self.catch_up)

    def catch_up(self) -> None:
        """Apply what was written since; the lock is not held, so this may take its time."""
        # Not before it is needed: NumPy takes longer to load than a result to be recorded.
        from maxin.tournament.state.state import TournamentState

        is_new = self._state is None
        state = self._state or TournamentState.resumed(self.settings, self.store)
        self._state = state
        try:
            self._apply(self.store.entries(state.seq))
            state.weigh_in(self.store)
        except StoreFailed:
            self._state = None if is_new else state  # half of a record is nothing to look at
            raise
        if is_new:
            self._head = max(self._head, state.seq)
        self._is_behind = False
        self._see(state.seq)

    def _apply(self, entries: Iterable[Entry]) -> None:
        assert self._state is not None
        try:
            for entry in entries:
                self._state.take(entry)
        except StoreFailed:
            raise  # between two entries
        except BaseException:
            self._state = None  # Ctrl-C may have come in the middle of an entry
            raise

    def _see(self, seq: int) -> None:
        """Note whether somebody else has moved the record to `seq`."""
        if seq > self._head:
            self._head, self._shared_at = seq, time.monotonic()

    def prepare(self) -> None:
        """Make sure there is a scheduler for the players who are active now."""
        state = self.state
        state.features_in(self.store)  # a belief inside a transaction may need them
        state.weigh_in(self.store)
        if state.pairing is None and len(state.active()) >= 2:
            state.restart_pairing(self.store)

    def note(self, entry: Entry) -> None:
        """Let the state follow what is being written, if it is exact; else it is read later."""
        if self.is_exact:
            self.state.take(entry)

    # Transactions

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Our turn to use the state and the store; notes when the database server was lost."""
        with self.lock:
            try:
                yield
            except StoreLost:
                self.lost_at = time.monotonic()
                raise

    def patiently(self, act: Callable[[], Done]) -> Done:
        """Do something with the store and the state; if the database server is lost, wait for it.

        Between two attempts the lock is free: a run has to see its interrupts meanwhile.
        """

        def attempt() -> Done:
            with self._turn():
                return act()

        return outlast(attempt, self.store.notice, PATIENCE)

    def transact(
        self, work: Callable[[Writer], Done], needs: Needs = Needs.NOTHING, *, is_read: bool = False
    ) -> Done:
        """Do `work` inside the store's lock, on a state that has what it needs.

        If somebody has written what the state lacks, it is done again, in the end with the rest of
        the record read inside the lock. If the server is lost, it is done again too: a result that
        was written just before is then found to be recorded already.

        Work that depends on how the record `is_read` already is done once: it raises `Moved` if
        that has changed since.
        """

        def attempt() -> Done:
            with self._turn():
                for n_tries in itertools.count(1):
                    if needs is not Needs.NOTHING and not is_read:
                        self.catch_up()
                    if needs is Needs.SCHEDULER:
                        self.prepare()
                    inside = partial(self._inside, work, needs, n_tries > TRIES)
                    try:
                        with self._followed(needs):
                            return self.store.transact(inside)
                    except Moved:
                        if is_read:
                            raise
            raise AssertionError  # it is tried until it succeeds

        return outlast(attempt, self.store.notice, PATIENCE)

    def _inside(
        self, work: Callable[[Writer], Done], needs: Needs, is_last: bool, writer: Writer
    ) -> Done:
        """Do `work` inside the lock, after a look at what was written since we read the record."""
        if writer.seq < self._head:
            raise StoreFailed(
                f"the store {self.store} has {writer.seq} entries, and had {self._head}: it "
                "was replaced by an older one; start this program again",
                reason="it was replaced by an older one",
            )
        if not writer.follows(*self._end):
            raise StoreFailed(
                f"entry {self._end[0]} of the store {self.store} is not the one that this program "
                "knows: an older store was restored, and others continued it; start this program "
                "again",
                reason="an older store was restored, and others continued it",
            )
        self._see(writer.seq)
        if needs is not Needs.NOTHING:
            self._level(writer, needs, is_last=is_last)
        done = work(writer)
        self._written = writer.seq, writer.digest
        ahead = writer.ahead
        self.is_ahead = bool(ahead and ahead.is_for(self.worker, writer.asked, writer.now))
        return done

    @contextmanager
    def _followed(self, needs: Needs) -> Iterator[None]:
        """A transaction that the state follows, if it needs it all; else it is behind afterwards.

        If it fails, the state may hold entries that never reached the disk, and is read again.
        """
        level = -1 if self._state is None else self._state.seq
        self._is_inside, self.is_exact = True, needs >= Needs.ALL
        try:
            yield
        except BaseException as error:
            has_moved = self._state is not None and self._state.seq > level
            if self.is_exact and (has_moved or not isinstance(error, Moved)):
                self._state = None
            raise
        finally:
            self._is_inside = self.is_exact = False
        self._end = self._written
        self._is_behind |= needs < Needs.ALL and self._end[0] > self._head
        self._head = max(self._head, self._end[0])
        if needs >= Needs.ALL:
            with suppress(StoreFailed):  # the next one who looks tries again
                self.state.weigh_in(self.store)

    def _level(self, writer: Writer, needs: Needs, *, is_last: bool) -> None:
        """Bring the state level with the record as far as it is needed, or raise `Moved`."""
        state = self.state
        n_missed = writer.seq - state.seq  # events among them do not change the state
        if needs is Needs.PLAYERS:
            if is_last and n_missed <= MOST_INSIDE:
                self._apply(writer.entries(state.seq))
            if writer.changed > state.seq:
                raise Moved
            return
        if n_missed > MOST_INSIDE or writer.changed > state.seq:
            raise Moved
        missed = list(writer.entries(state.seq)) if n_missed else []
        if missed and not is_last:
            raise Moved
        self._apply(missed)
