"""`maxin work`: play matches of a service elsewhere."""

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Any

from cyclopts import Parameter

from maxin.cli.config.flags import (
    GROUPS,
    default_of,
    flag,
    meaning,
    parameter,
    setting,
    values,
)
from maxin.cli.config.match_config import MatchConfig, match_config, unnamed_note
from maxin.cli.config.settings import WAYS, WORKERS, MatchSettings, WorkSettings
from maxin.cli.output.run_summary import EXIT_CODES, INTERRUPTED
from maxin.cli.output.watchers import LineWatcher, harmless, print_sentence, warn
from maxin.core import InvalidInput
from maxin.core.declaration import TEXT
from maxin.service.client import Client
from maxin.worker import MatchesFailed, Report
from maxin.worker.checked_runner import CheckedRunner
from maxin.worker.match_source import channel_of
from maxin.worker.spool import LeftWhileAway


def work(
    url: Annotated[
        str, setting(TEXT, "Where the service is: https://host:8000.", "URL"), Parameter()
    ],
    /,
    *,
    match: Annotated[MatchSettings, Parameter("*", group=GROUPS["Matches"])] = MatchSettings(),
    workers: Annotated[
        int | str | None,
        parameter(replace(WORKERS, default=default_of("maxin.service.client:Client.run.workers"))),
    ] = None,
    budgets: Annotated[WorkSettings, Parameter("*")] = WorkSettings(),
) -> int:
    """Play matches of a tournament that `maxin serve` offers elsewhere.

    The token comes from the environment variable MAXIN_TOKEN, or from the file that
    MAXIN_TOKEN_FILE names. How a match is played is given here, never by the service.

    Ctrl-C finishes the running matches, delivers them and exits; a second Ctrl-C kills them. A
    result that cannot be delivered is kept on this machine for the next `maxin work`. The exit
    code is 0 when the tournament is over, 1 if matches keep failing or the service is not there,
    2 for invalid input and 130 after Ctrl-C.
    """
    way = _way(match)
    for name in way.env:
        if name not in os.environ:
            warn(f"the environment variable {name}, which --env names, is not set")
    try:
        with Client(url) as client:
            report = _play(client, way, meaning(workers), values(budgets))
    except KeyboardInterrupt:
        return INTERRUPTED
    except LeftWhileAway as error:
        warn(str(error))
        return INTERRUPTED
    print_sentence(harmless(report.sentence), is_error=report.reason == "aborted")
    return EXIT_CODES[report.reason]


def _way(match: MatchSettings) -> MatchConfig:
    way = match_config(match)
    if way is None:
        raise InvalidInput(f"how is a match played? Give one of {', '.join(map(flag, WAYS))}")
    return way


def _play(
    client: Client, way: MatchConfig, workers: int | None, budgets: Mapping[str, Any]
) -> Report:
    """Work until the tournament is over; every event is a line."""
    about = channel_of(client).about()
    how: dict[str, Any] = dict(budgets) if workers is None else {**budgets, "workers": workers}
    made = CheckedRunner(way.runner(about.players, about.seed))
    with closing(made) as runner, LineWatcher() as watcher:
        runner.check([])
        print(f"playing for {client.url}", flush=True)
        if note := unnamed_note(runner.runner):
            warn(note)
        try:
            return client.run(runner, watch=watcher, **how)
        except MatchesFailed as error:
            return error.report
