"""The ledger: the state of a tournament, kept level with its record."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from maxin.storage import Entry, StoreFailed, StoreLost, outlast
from maxin.tournament.settings import Settings

if TYPE_CHECKING:
    from maxin.storage import Store, Writer
    from maxin.tournament.state.state import TournamentState

PATIENCE = 30.0  # seconds to wait for a lost database server
SNAPSHOT_EVERY = 10_000  # entries of the record
ALONE_AFTER = 10.0  # seconds without an entry of another process
TRIES = 2  # how often work is done outside the lock before it is done inside
MOST_INSIDE = 1_000  # entries that may be read inside the lock
Done = TypeVar("Done")


class Moved(Exception):
    """The record has entries that the work should have known; it must be done again."""


class Ledger:
    """The state of a tournament and the store behind it.

    The record is read, and the next match chosen, without holding the store's lock. Inside the
    lock we only look whether somebody has written what the choice depends on, append, and commit.
    If somebody has, we read it and do the work again; after some tries, inside the lock.

    The state is what the record on disk says. Only `exactly` lets it run ahead; if that fails, the
    state is read again.

    Args:
        store: the record.
        settings: the rules.
        use_snapshots: whether to start from a snapshot; without one, the whole record is read.
    """

    def __init__(self, store: Store, settings: Settings, *, use_snapshots: bool = True) -> None:
        self.store, self.settings = store, settings
        self._use_snapshots = use_snapshots
        self.lock = threading.RLock()  # held by whoever reads or changes the state
        self._state: TournamentState | None = None
        self._is_behind = False  # whether we have written entries that the state lacks
        self._is_inside = False  # whether we hold the store's lock
        self.is_exact = False  # whether the state takes what we write at once
        self._head = 0  # the number of the last entry that we have read or written
        self._shared_at = -ALONE_AFTER  # when we last saw an entry of another process
        self._snapshot_seq = 0
        self.lost_at = -math.inf  # when the server was last away

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
    def is_alone(self) -> bool:
        """Whether no other process has written for a while."""
        return time.monotonic() - self._shared_at >= ALONE_AFTER

    def refresh(self) -> None:
        """Read what was written since."""
        self.patiently(self.catch_up)

    def catch_up(self) -> None:
        """Apply what was written since; the lock is not held, so this may take its time."""
        is_new = self._state is None
        state = self._state = self._state or self._loaded()
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
        self._save_snapshot()

    def _loaded(self) -> TournamentState:
        """The state as of the latest snapshot; an empty one if there is none."""
        # Not before it is needed: NumPy takes longer to load than a result to be recorded.
        from maxin.tournament.state import snapshots
        from maxin.tournament.state.state import TournamentState

        found = snapshots.load(self.store, self.settings) if self._use_snapshots else None
        state = TournamentState(self.settings) if found is None else found
        self._snapshot_seq = state.seq
        return state

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

    def _save_snapshot(self) -> None:
        state = self._state
        assert state is not None
        is_due = state.seq >= self._snapshot_seq + SNAPSHOT_EVERY
        if is_due and state.pairing is not None and not state.is_importing:
            from maxin.tournament.state import snapshots

            self._snapshot_seq = state.seq
            with suppress(StoreFailed):  # only a shortcut is lost; the record itself is on disk
                snapshots.save(self.store, state)

    def prepare(self) -> None:
        """Make sure there is a scheduler for the players who are active now."""
        state = self.state
        state.features_in(self.store)  # a belief inside a transaction may need them
        state.weigh_in(self.store)
        if state.pairing is None and len(state.active()) >= 2:
            state.restart_pairing(self.store)

    # Transactions

    def patiently(self, act: Callable[[], Done]) -> Done:
        """Do something with the store and the state; if the database server is lost, wait for it.

        Between two attempts the lock is free: a run has to see its interrupts meanwhile.
        """

        def attempt() -> Done:
            with self.lock:
                try:
                    return act()
                except StoreLost:
                    self.lost_at = time.monotonic()
                    raise

        return outlast(attempt, self.store.notice, PATIENCE)

    def transact(self, work: Callable[[Writer], Done]) -> Done:
        """Do `work` inside the lock, and write what it adds.

        The work sees the players as they are now; the state may lack the latest matches and
        results, and the work raises `Moved` if it needs those. If the server is lost, the work is
        done again: a result that was written just before is then found to be recorded already.
        """
        return self.patiently(lambda: self._transact(work))

    def _transact(self, work: Callable[[Writer], Done]) -> Done:
        for attempt in itertools.count(1):
            self.catch_up()
            with suppress(Moved):
                return self.attempt(work, is_last=attempt > TRIES)
        raise AssertionError  # it is tried until it succeeds

    def attempt(self, work: Callable[[Writer], Done], *, is_last: bool = False) -> Done:
        """Do `work` inside the lock unless players have changed, or results were imported.

        The last attempt reads what is new inside the lock, where nobody can add to it.
        """

        def checked(writer: Writer) -> Done:
            state = self.state
            if is_last and writer.seq - state.seq <= MOST_INSIDE:
                self._apply(writer.entries(state.seq))
            if writer.changed > state.seq:
                raise Moved
            return work(writer)

        return self._inside(checked)

    def blindly(self, work: Callable[[Writer], Done]) -> Done:
        """Do `work`, which does not need the state, inside the lock."""
        return self.patiently(lambda: self._inside(work))

    def _inside(self, work: Callable[[Writer], Done]) -> Done:
        written = 0

        def marked(writer: Writer) -> Done:
            nonlocal written
            if writer.seq < self._head:
                raise StoreFailed(
                    f"the store {self.store} has {writer.seq} entries, and had {self._head}: it "
                    "was replaced by an older one; start this program again"
                )
            self._see(writer.seq)
            done = work(writer)
            written = writer.seq
            return done

        self._is_inside = True
        try:
            done = self.store.transact(marked)
        finally:
            self._is_inside = False
        self._is_behind |= not self.is_exact and written > self._head
        self._head = max(self._head, written)
        return done

    def exactly(self, work: Callable[[Writer], Done], *, catches_up: bool = False) -> Done:
        """Do `work` inside the lock on the state of the whole record, which follows what it adds.

        Raises `Moved` if somebody has written since we looked. So it is for a process that is
        alone: a result and the match that depends on it are one transaction then. With
        `catches_up`, some matches and results of others are read inside the lock instead.
        """
        return self.patiently(lambda: self._exactly(work, catches_up))

    def _exactly(self, work: Callable[[Writer], Done], catches_up: bool) -> Done:
        def checked(writer: Writer) -> Done:
            state = self.state
            n_missed = writer.seq - state.seq  # events among them do not change the state
            if n_missed > MOST_INSIDE or writer.changed > state.seq:
                raise Moved
            missed = list(writer.entries(state.seq)) if n_missed else []
            if missed and not catches_up:
                raise Moved
            self._apply(missed)
            return work(writer)

        self.catch_up()
        self.prepare()
        level = self.state.seq
        self.is_exact = True
        try:
            done = self._inside(checked)
        except BaseException as error:
            if not isinstance(error, Moved) or self.state.seq > level:
                self._state = None  # it may hold entries that never reached the disk
            raise
        finally:
            self.is_exact = False
        with suppress(StoreFailed):  # the next one who looks tries again
            self.state.weigh_in(self.store)
        return done

    def note(self, entry: Entry) -> None:
        """Let the state follow what is being written, if it is exact; else it is read later."""
        if self.is_exact:
            self.state.take(entry)
