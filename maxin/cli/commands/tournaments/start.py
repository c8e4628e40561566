"""`maxin start`: a tournament whose matches are played elsewhere."""

from contextlib import ExitStack
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.config_file import read_config
from maxin.cli.config.flags import GROUPS
from maxin.cli.config.match_config import match_config
from maxin.cli.config.open_tournament import check_goal, existing_store, new_tournament, resumed
from maxin.cli.config.players import players_of, with_engines
from maxin.cli.config.settings import ConfigArgument, PlayerFlags, TournamentSettings
from maxin.cli.config.stores import store_url
from maxin.cli.output.tables.lists import player_count
from maxin.core import InvalidInput


def start(
    config: ConfigArgument = None,
    /,
    *,
    players: Annotated[PlayerFlags, Parameter("*", group=GROUPS["Players"])] = PlayerFlags(),
    tournament: Annotated[
        TournamentSettings, Parameter("*", group=GROUPS["Tournament"])
    ] = TournamentSettings(),
) -> None:
    """Start a tournament whose matches are played elsewhere, with `maxin ask` and `maxin tell`.

    Starting it again with the same players and settings changes nothing. `maxin run`, which plays
    the matches itself, needs no start.
    """
    given = with_engines(read_config(config).with_flags(tournament), players)
    match = match_config(given.match)
    everyone = players_of(given, players, None if match is None else match.kind)
    if not everyone:
        raise InvalidInput("a tournament needs players: --player, --players or a config file")
    url = store_url(given.tournament.store)
    with ExitStack() as stack:
        store = existing_store(url)
        if store is None:
            check_goal(given, len(everyone))
            started = stack.enter_context(new_tournament(given, everyone, match))
        else:
            stack.callback(store.close)
            started = resumed(given, players, everyone, match, store)
        print(f"{player_count(started)} in {url}")
