"""`maxin run`: play a tournament, or resume one."""

import os
import sys
from contextlib import ExitStack
from typing import Annotated, Any, NamedTuple

from cyclopts import Parameter
from rich.console import Console

from maxin.cli.config.config_file import Config, read_config
from maxin.cli.config.declaration import values
from maxin.cli.config.engine_flags import with_engines
from maxin.cli.config.match_config import unnamed_note
from maxin.cli.config.open_tournament import open_tournament
from maxin.cli.config.options import (
    MATCHES,
    OUTPUT,
    PLAYERS,
    RUN,
    TOURNAMENT,
    ConfigArgument,
    PlayerFlags,
    switch,
)
from maxin.cli.config.settings import MatchSettings, RunSettings, TournamentSettings
from maxin.cli.output.live import LiveView
from maxin.cli.output.live_page import live_page
from maxin.cli.output.run_summary import EXIT_CODES, INTERRUPTED, RunSummary, resuming
from maxin.cli.output.watchers import JsonWatcher, LineWatcher, QuietWatcher, Watcher, warn
from maxin.core import InvalidInput
from maxin.tournament import MatchesFailed, Tournament
from maxin.tournament.run.spool import LeftWhileAway
from maxin.views import Ends


def run(
    config: ConfigArgument = None,
    /,
    *,
    players: Annotated[PlayerFlags, Parameter("*", group=PLAYERS)] = PlayerFlags(),
    match: Annotated[MatchSettings, Parameter("*", group=MATCHES)] = MatchSettings(),
    tournament: Annotated[
        TournamentSettings, Parameter("*", group=TOURNAMENT)
    ] = TournamentSettings(),
    settings: Annotated[RunSettings, Parameter("*", group=RUN)] = RunSettings(),
    compare: Annotated[
        bool, switch("Also simulate how many matches a round robin would have needed.", OUTPUT)
    ] = False,
    json: Annotated[bool, switch("Print events as JSON, one object per line.", OUTPUT)] = False,
    quiet: Annotated[bool, switch("Print only how the run ended.", OUTPUT)] = False,
    serve: Annotated[
        bool, switch("Show the run on a live page, for this machine alone.", OUTPUT)
    ] = False,
) -> int:
    """Play a tournament; run it again to resume where it stopped.

    Settings come from a config file, flags, or both. Flags override the file. To resume a stored
    tournament, --store is enough. Paths are relative to the current directory.

    Ctrl-C finishes the running matches, saves and exits; a second Ctrl-C kills them. The exit
    code is 0 at the end, 1 if matches keep failing, 2 for invalid input and 130 after Ctrl-C.
    """
    if json and quiet:
        raise InvalidInput("--json and --quiet exclude each other")
    given = read_config(config).with_flags(tournament, settings, match)
    given = with_engines(given, players)
    return _play(given, players, _Shown(compare, json, quiet, serve))


class _Shown(NamedTuple):
    """What is shown of a run, and how."""

    compare: bool
    json: bool
    quiet: bool
    serve: bool


def _play(config: Config, players: PlayerFlags, shown: _Shown) -> int:
    """Run the tournament and print how it ended; returns the exit code."""
    ends = values(config.run)
    _check_ends(ends, shown.compare)
    for name in config.match.env or ():
        if name not in os.environ:
            warn(f"the environment variable {name}, which env names, is not set")
    with ExitStack() as stack:
        tournament, runner = open_tournament(config, players, stack)
        if note := unnamed_note(runner):
            warn(note)
        if shown.serve:
            url = stack.enter_context(live_page(tournament, ends))
            print(f"live page: {url}", file=sys.stderr, flush=True)
        watcher = _watcher(tournament, ends, shown)
        try:
            with watcher:
                try:
                    report = tournament.run(runner, **ends, watch=watcher, progress=False)
                except MatchesFailed as error:
                    report = error.report
            stop = Ends(ends["budget"], ends["confidence"], ends["tolerance"])
            watcher.end(RunSummary(tournament, report, stop, shown.compare))
            code = EXIT_CODES[report.reason]
        except KeyboardInterrupt:  # after the last match
            code = INTERRUPTED
        except LeftWhileAway as error:
            warn(str(error))
            code = INTERRUPTED
        if code == INTERRUPTED and (resume := resuming(tournament)):
            warn(f"to resume: {resume}")
        return code


def _check_ends(ends: dict[str, Any], compare: bool) -> None:
    if ends["confidence"] is None and ends["budget"] is None:
        raise InvalidInput("a run needs an end: a budget of matches, a confidence, or both")
    if ends["confidence"] is None and compare:
        raise InvalidInput("--compare needs a confidence: it compares how soon that is reached")


def _watcher(tournament: Tournament, ends: dict[str, Any], shown: _Shown) -> Watcher:
    console = Console(highlight=False)
    if shown.json:
        return JsonWatcher()
    if shown.quiet:
        return QuietWatcher()
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveView(tournament, ends, console)
    return LineWatcher()
