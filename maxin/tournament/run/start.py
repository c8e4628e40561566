"""The start of a run: its arguments are checked, and its loop is played to the end."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from maxin.core import InvalidInput, Stop, check_whole
from maxin.runners import Runner, Threads
from maxin.storage import outlast
from maxin.tournament.events import Blocked, Event
from maxin.tournament.run.loop import Loop
from maxin.tournament.run.progress import RunEnd
from maxin.tournament.run.stopping import StopRule
from maxin.tournament.run.watching import NotebookWatcher, Rating, RunWatcher, StopRecorder
from maxin.tournament.tickets.tickets import Tickets
from maxin.views import BeliefCache, Overview
from maxin.views.html.notebook import notebook

Play = Callable[[Any, Any, int], Any]


def play_run(
    tickets: Tickets,
    beliefs: BeliefCache,
    play: Play | Runner,
    *,
    stop: Stop,
    workers: int,
    retries: int,
    backoff: float,
    watch: Callable[[Event], None] | None,
    progress: bool | None,
    overview: Callable[[], Overview],
) -> RunEnd:
    """Play a run to its end; see `Tournament.run`."""
    check_run(stop, workers, retries, backoff)
    runner = runner_of(play)
    watchers: list[RunWatcher] = [StopRecorder(tickets, stop)]
    if watch is not None:
        watchers.append(Rating(tickets, overview, watch))
    if is_shown(progress):
        watchers.append(NotebookWatcher(overview, stop.budget))

    def watch_all(event: Event) -> None:
        for watcher in watchers:
            watcher(event)

    def prepared() -> Loop:
        if not tickets.state.in_play():
            raise InvalidInput("a run needs a player who is not retired; there is none")
        return Loop(
            tickets,
            runner,
            StopRule(tickets.settings.parsed_goal, stop, beliefs),
            workers=workers,
            retries=retries,
            backoff=backoff,
            watch=watch_all,
        )

    end = outlast(prepared, lambda reason: watch_all(Blocked(reason))).run()
    for watcher in watchers:
        watcher.end()
    return end


def is_shown(progress: bool | None) -> bool:
    """Whether to show a live table: by default in a notebook, where alone it can be shown."""
    if progress and notebook() is None:
        raise InvalidInput("progress=True shows a table in a notebook; this is none")
    return notebook() is not None if progress is None else progress


def check_run(stop: Stop, workers: int, retries: int, backoff: float) -> None:
    """Raise unless a run can be started with these arguments."""
    stop.check_end()
    for value, name, least in ((workers, "workers", 1), (retries, "retries", 0)):
        if check_whole(value, name) < least:
            raise InvalidInput(f"{name} must be at least {least}; got {value}")
    if not (isinstance(backoff, int | float) and 0.0 <= backoff < math.inf):
        raise InvalidInput(f"backoff must be a number of seconds, at least 0; got {backoff!r}")


def runner_of(play: Play | Runner) -> Runner:
    """The runner itself, or one that calls a plain function in threads."""
    if not callable(play) and not hasattr(play, "play"):
        raise InvalidInput(
            f"play must be a function play(first, second, seed) or a runner such as "
            f"maxin.runners.Command('play.py {{a}} {{b}}'); got {play!r}"
        )
    return Threads(play) if callable(play) else play
