"""A run of `maxin run`: from its settings to its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from maxin.cli.config.config_file import Config, read_config
from maxin.cli.config.flags import this_command, values
from maxin.cli.config.match_config import unnamed_note
from maxin.cli.config.open_tournament import open_tournament
from maxin.cli.config.players import with_engines
from maxin.cli.config.settings import (
    MatchSettings,
    PlayerFlags,
    RunSettings,
    TournamentSettings,
    stop_of,
)
from maxin.cli.output.live import LiveView
from maxin.cli.output.run_summary import EXIT_CODES, INTERRUPTED, RunSummary, to_resume
from maxin.cli.output.watchers import JsonWatcher, LineWatcher, QuietWatcher, Watcher, warn
from maxin.core import InvalidInput, MissingExtra, Stop
from maxin.core.text import listed
from maxin.storage import outlast
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from maxin.worker import MatchesFailed
from maxin.worker.spool import LeftWhileAway

HOST, PORT = "127.0.0.1", 8000  # of the live page; another port if this one is in use


class Shown(NamedTuple):
    """What is shown of a run, and how."""

    compare: bool
    json: bool
    quiet: bool
    serve: bool


def play(
    file: Path | None,
    players: PlayerFlags,
    flags: tuple[TournamentSettings, RunSettings, MatchSettings],
    shown: Shown,
) -> int:
    """Run the tournament and print how it ended; returns the exit code."""
    config = with_engines(read_config(file).with_flags(*flags), players)
    return _run(config, players, shown)


def _run(config: Config, players: PlayerFlags, shown: Shown) -> int:
    every, stop = values(config.run), stop_of(config.run)
    stop.check_end()
    if shown.compare and (stop.confidence is None or stop.sprt is not None):
        raise InvalidInput("--compare needs a confidence: it compares how soon that is reached")
    for name in config.match.env or ():
        if name not in os.environ:
            warn(f"the environment variable {name}, which env names, is not set")
    with ExitStack() as stack:
        tournament, runner = open_tournament(config, players, stack)
        if note := unnamed_note(runner.runner):
            warn(note)
        paused = outlast(session_of(tournament).paused_by_failures, tournament.store.notice)
        if paused:
            absent = f"{listed(paused)} {'is' if len(paused) == 1 else 'are'} paused"
            warn(f"{absent}, because matches kept failing; {to_resume(tournament, paused)}")
        last = tournament.last_stop()
        if last.sprt is not None and stop.sprt is None:
            warn(f"the last run was a sequential test; --sprt {last.sprt} continues it")
        if shown.serve:
            url = stack.enter_context(live_page(tournament, stop))
            print(f"live page: {url}", file=sys.stderr, flush=True)
        watcher = _watcher(tournament, stop, shown)
        try:
            with watcher:
                try:
                    report = tournament.run(runner, **every, watch=watcher, progress=False)
                except MatchesFailed as error:
                    report = error.report
            watcher.end(RunSummary(tournament, report, stop, shown.compare))
            code = EXIT_CODES[report.reason]
        except KeyboardInterrupt:  # after the last match
            code = INTERRUPTED
        except LeftWhileAway as error:
            warn(str(error))
            code = INTERRUPTED
        if code == INTERRUPTED:
            warn(f"to resume: {this_command()}")
        return code


def _watcher(tournament: Tournament, stop: Stop, shown: Shown) -> Watcher:
    console = Console(highlight=False)
    if shown.json:
        return JsonWatcher()
    if shown.quiet:
        return QuietWatcher()
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveView(tournament, stop, console)
    return LineWatcher()


@contextmanager
def live_page(tournament: Tournament, stop: Stop) -> Iterator[str]:
    """Serve a tournament while it is played; the value is the address.

    Args:
        tournament: what is shown.
        stop: when the run ends.
    """
    try:
        from maxin.service.server import listen, serving
        from maxin.service.service import Service
    except ImportError as error:
        raise MissingExtra(
            f"--serve needs {error.name}; install it with pip install 'maxin[web]'"
        ) from None
    service = Service.of(tournament, **vars(stop))
    try:
        listening = listen(HOST, PORT)
    except InvalidInput:
        listening = listen(HOST, 0)
    with serving(service, listening) as url:
        yield url
