"""The board: what all viewers see, made once for all of them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from maxin.core import MaxinError, Stop
from maxin.service.group_writer import Trouble
from maxin.service.timeline import Timeline
from maxin.storage import PlayedMatch, StoreFailed
from maxin.storage.results import latest_results
from maxin.storage.slices import latest_data
from maxin.tournament.tournament import Tournament, session_of
from maxin.views import Overview
from maxin.views.history import History
from maxin.views.slices import fields_to_slice_by
from maxin.worker.source import Idle, Ticket

SHARE = 0.1  # of a core that the board may use
SOONEST = 0.25  # seconds between two boards, however cheap they are
LOOK = 0.5  # seconds between two looks for what other processes wrote
LATEST = 10  # results on the live page
PACE_OF = 60.0  # seconds over which matches per minute are counted


@dataclass(frozen=True)
class LiveState:
    """What all viewers see: the tournament at one moment.

    Args:
        seq: the number of the last entry of the record.
        overview: the standings and the verdict.
        history: what was known before; None if there is none.
        held: the matches being played.
        latest: the latest results, newest first.
        per_minute: results per minute lately; None if that is not known yet.
        fields: of the data of results, by which they can be sliced.
    """

    seq: int
    overview: Overview
    history: History | None
    held: tuple[Ticket, ...]
    latest: tuple[tuple[int, PlayedMatch[int]], ...]
    per_minute: float | None
    fields: tuple[str, ...]

    @property
    def etag(self) -> str:
        """The same for the same record."""
        return f'"{self.seq}"'

    def event(self) -> dict[str, Any]:
        """What a viewer is sent when it changes: enough to know whether to read it."""
        overview = self.overview
        top = overview.top if overview.n_matches else None
        return {
            "seq": self.seq,
            "matches": overview.n_matches,
            "pending": overview.n_pending,
            "leaders": [] if top is None else list(top.players),
            "confidence": None if top is None else top.confidence,
            "is_decided": overview.status == "decided",
            "candidates": None if top is None else len(top.candidates),
            "etag": self.etag,
        }


class LiveBoard:
    """Reads the tournament in a thread of its own, whenever it has changed, but not too often.

    A look at n players costs O(n^3), and there may be hundreds of viewers: all see the same one.
    After a look that took c seconds the next is c / SHARE later at the earliest, so the board
    uses no more than that share of a core.

    Args:
        tournament: what is shown.
        stop: when the tournament ends.
        trouble: hears whether the store can be read.
        over: says why no more matches are handed out; None while they are.
    """

    def __init__(
        self,
        tournament: Tournament,
        stop: Stop = Stop(),
        *,
        trouble: Trouble | None = None,
        over: Callable[[], Idle | None] = lambda: None,
    ) -> None:
        self._tournament = tournament
        self._stop = stop
        self._trouble = trouble or Trouble(tournament.store.notice)
        self._over = over
        self._timeline = Timeline(tournament, stop)
        self._fields: tuple[str, ...] = ()
        self._next_fields = 0  # the number of results at which they are read again
        self._results: deque[tuple[float, int]] = deque()  # when there were how many
        self.state = self._look()
        self._waiting: set[asyncio.Event] = set()
        self._is_open = True
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._work, name="maxin board", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Begin to look, for the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def close(self) -> None:
        """Stop looking, and end every wait."""
        self._is_open = False
        self._wake.set()
        if self._loop is not None:
            self._thread.join()
            self._call(self._wake_viewers)

    def nudge(self) -> None:
        """Look soon: something was written."""
        self._wake.set()

    async def news(self, after: int, patience: float) -> LiveState | None:
        """The board once it is not that of entry `after`; None if that takes too long."""
        changed = asyncio.Event()
        self._waiting.add(changed)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    while self.state.seq == after and self._is_open:
                        changed.clear()
                        await changed.wait()
        finally:
            self._waiting.discard(changed)
        return self.state if self.state.seq != after else None

    @property
    def is_open(self) -> bool:
        """Whether the board is still kept."""
        return self._is_open

    @property
    def is_alive(self) -> bool:
        """Whether its thread works."""
        return self._thread.is_alive()

    # In the thread

    def _work(self) -> None:
        while self._is_open:
            self._wake.wait(LOOK)
            self._wake.clear()
            cost = 0.0
            failure = None
            try:
                if self._tournament.store.seq() != self.state.seq:
                    began = time.thread_time()
                    self.state = self._look()
                    cost = time.thread_time() - began
                    if self._loop is not None and self._is_open:
                        self._call(self._wake_viewers)
            except StoreFailed as error:
                failure = error
            except MaxinError:
                pass
            self._trouble.note("board", failure)
            self._rest(max(SOONEST, cost * (1.0 - SHARE) / SHARE))

    def _rest(self, seconds: float) -> None:
        """Wait, but not while the service ends."""
        until = time.monotonic() + seconds
        while self._is_open and time.monotonic() < until:
            time.sleep(min(0.1, max(0.0, until - time.monotonic())))

    def _call(self, act: Callable[[], None]) -> None:
        assert self._loop is not None
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(act)

    def _wake_viewers(self) -> None:
        for changed in self._waiting:
            changed.set()

    def _look(self) -> LiveState:
        tournament = self._tournament
        seq = tournament.store.seq()
        session_of(tournament).record.refresh()
        overview = self._overview()
        _ = overview.leaderboard, overview.found, overview.n_left, overview.caveats
        self._timeline.add(overview)
        history = self._timeline.history(overview)
        latest = tuple(latest_results(tournament.store, LATEST))
        pace = self._pace(overview.n_matches)
        pending, fields = tournament.pending(), fields_to_slice_by(latest_data(tournament.store))
        return LiveState(seq, overview, history, tuple(pending), latest, pace, tuple(fields))

    def _overview(self) -> Overview:
        """The verdict, and whether it is over: the same for viewers and for workers."""
        over = self._over()
        overview = self._tournament.overview(self._stop)
        return overview if over is None else replace(overview, over=over.reason)

    def _pace(self, n_matches: int) -> float | None:
        """Results per minute, over the last minute."""
        now, results = time.monotonic(), self._results
        results.append((now, n_matches))
        while len(results) > 2 and results[1][0] < now - PACE_OF:
            results.popleft()
        (then, before) = results[0]
        return 60.0 * (n_matches - before) / (now - then) if now - then > 1.0 else None
