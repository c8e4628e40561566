"""Who watches a run: the record of its stop, the caller's function, a notebook's live table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from maxin.core import Stop
from maxin.evaluation.stop_checks import check_every
from maxin.storage import Store, StoreLost
from maxin.tournament.record.commands import RUN, RecordStop
from maxin.tournament.record.session import Session
from maxin.views import Overview
from maxin.views.html.notebook import LiveTable, notebook
from maxin.views.recorded.costs import KEY as COST
from maxin.views.recorded.costs import TotalCost
from maxin.worker.events import Asked, Event, Failed, Rated, Told
from maxin.worker.progress import ProgressLine, RunProgress

PAUSE = 0.5  # seconds between two tables, at least
LOOK = 1.0  # seconds between two looks at what others write
SHARE = 0.1  # share of the time that making tables may take

Watch = Callable[[Event], None]


class RunWatcher(Protocol):
    """Sees every event of a run, and its end."""

    def __call__(self, event: Event) -> None:
        """See an event."""

    def end(self) -> None:
        """See the end, if the run was not broken off."""


class RunWatchers:
    """All who watch a run.

    Args:
        watchers: each sees every event.
    """

    def __init__(self, watchers: Sequence[RunWatcher]) -> None:
        self._watchers = watchers

    def __call__(self, event: Event) -> None:
        """Let all of them see an event."""
        for watcher in self._watchers:
            watcher(event)

    def end(self) -> None:
        """Let all of them see the end."""
        for watcher in self._watchers:
            watcher.end()


def run_watchers(
    session: Session,
    stop: Stop,
    overview: Callable[[], Overview],
    watch: Watch | None,
    progress: bool | None,
) -> RunWatchers:
    """Those who watch a run.

    Its progress is a live table in a notebook, by default, and a line on a terminal on request.
    """
    watchers: list[RunWatcher] = [StopRecorder(session, stop)]
    if watch is not None:
        watchers.append(Rating(session, overview, watch))
    if notebook() is not None:
        watchers += [NotebookWatcher(overview, stop.budget)] * (progress is not False)
    elif progress:
        record = session.record
        cost = None if stop.budget_cost is None else TotalCost.of(record.store.result_data(COST))
        watchers.append(ProgressLine(RunProgress(record.state.n_told, stop, cost), overview))
    return RunWatchers(watchers)


class StopRecorder:
    """Records when the run is to stop, once a match has begun; nothing if it is known already.

    Args:
        session: of the run.
        stop: of the run.
    """

    def __init__(self, session: Session, stop: Stop) -> None:
        self._session, self._stop, self._is_recorded = session, stop, False

    def __call__(self, event: Event) -> None:
        """Record the stop with the first match."""
        if isinstance(event, Asked):
            self.end()

    def end(self) -> None:
        """Record the stop, unless it is recorded; without a server, with a later match."""
        if self._is_recorded:
            return
        with suppress(StoreLost):
            if last_stop(self._session.record.store) != self._stop:
                self._session.answer(RecordStop(self._stop))
            self._is_recorded = True


def last_stop(store: Store) -> Stop | None:
    """When the last run was to stop; None if there was no run."""
    runs = list(store.events(RUN))
    return Stop.read(runs[-1].detail) if runs else None


class Rating:
    """Adds the event `Rated` to a run: at the interval of the stop rule, and at the end.

    Args:
        session: of the run.
        overview: makes the overview as of now.
        watch: is called with every event.
    """

    def __init__(self, session: Session, overview: Callable[[], Overview], watch: Watch) -> None:
        self._record, self._overview, self._watch = session.record, overview, watch
        self._rated_at: int | None = None  # read with the first match: the store is open then
        self._look_at = 0.0  # when to read what others have written

    def __call__(self, event: Event) -> None:
        """Pass an event on, and rate after a result if it is time."""
        self._watch(event)
        if isinstance(event, Asked | Told) and self._rated_at is None:
            self._rated_at = self._record.state.n_told - isinstance(event, Told)
        is_due = self._record.is_alone or time.monotonic() >= self._look_at
        if isinstance(event, Told) and self._rated_at is not None and is_due:
            self._look_at = time.monotonic() + LOOK
            n_told = self._record.state.n_told
            interval = check_every(len(self._record.state.active()), n_told)
            if n_told // interval > self._rated_at // interval:
                self._rate(n_told)

    def end(self) -> None:
        """Rate the last results."""
        n_told = self._record.state.n_told
        if self._rated_at is not None and n_told > self._rated_at:
            self._rate(n_told)

    def _rate(self, n_told: int) -> None:
        self._rated_at = n_told
        self._watch(Rated(n_told, self._overview))


class NotebookWatcher:
    """Shows the progress and the leaders of a run in a notebook, a few times per second at most.

    Args:
        overview: makes the overview as of now.
        budget: of the whole tournament, if there is one.
    """

    def __init__(self, overview: Callable[[], Overview], budget: int | None) -> None:
        self._overview, self._table = overview, LiveTable(budget)
        self._n_failed, self._next = 0, time.monotonic()

    def __call__(self, event: Event) -> None:
        """Count an event, and draw again if it is time."""
        if isinstance(event, Failed):
            self._n_failed += 1
            self._table.last_failure = event.reason
        if isinstance(event, Told | Failed) and time.monotonic() >= self._next:
            start = time.monotonic()
            self._table.draw(self._overview(), self._n_failed)
            cost = time.monotonic() - start
            self._next = time.monotonic() + max(PAUSE, cost * (1.0 - SHARE) / SHARE)

    def end(self) -> None:
        """Leave only how far the run came: the report shows the table."""
        self._table.draw(self._overview(), self._n_failed, is_over=True)
