"""`maxin run`: play a tournament, or resume one."""

from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.flags import GROUPS, switch
from maxin.cli.config.settings import (
    ConfigArgument,
    MatchSettings,
    PlayerFlags,
    RunSettings,
    TournamentSettings,
)
from maxin.core import InvalidInput


def run(
    config: ConfigArgument = None,
    /,
    *,
    players: Annotated[PlayerFlags, Parameter("*", group=GROUPS["Players"])] = PlayerFlags(),
    match: Annotated[MatchSettings, Parameter("*", group=GROUPS["Matches"])] = MatchSettings(),
    tournament: Annotated[
        TournamentSettings, Parameter("*", group=GROUPS["Tournament"])
    ] = TournamentSettings(),
    settings: Annotated[RunSettings, Parameter("*", group=GROUPS["Run"])] = RunSettings(),
    compare: Annotated[
        bool, switch("Also simulate how many matches a round robin would have needed.", "Output")
    ] = False,
    json: Annotated[bool, switch("Print events as JSON, one object per line.", "Output")] = False,
    quiet: Annotated[bool, switch("Print only how the run ended.", "Output")] = False,
    serve: Annotated[
        bool, switch("Show the run on a live page, for this machine alone.", "Output")
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
    from maxin.cli.commands.tournaments.playing import Shown, play  # a help page needs none of it

    shown = Shown(compare, json, quiet, serve)
    return play(config, players, (tournament, settings, match), shown)
