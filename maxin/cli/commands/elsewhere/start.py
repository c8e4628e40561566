"""`maxin start`: a tournament whose matches are played elsewhere."""

from contextlib import ExitStack
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.config_file import read_config
from maxin.cli.config.engine_flags import with_engines
from maxin.cli.config.match_config import match_config
from maxin.cli.config.open_tournament import existing_store, new_tournament, resumed
from maxin.cli.config.options import PLAYERS, TOURNAMENT, ConfigArgument, PlayerFlags
from maxin.cli.config.player_config import players_of
from maxin.cli.config.settings import TournamentSettings
from maxin.cli.config.stores import store_url
from maxin.cli.output.tables.player_list import player_count
from maxin.core import InvalidInput
from maxin.tournament.players import entrants


def start(
    config: ConfigArgument = None,
    /,
    *,
    players: Annotated[PlayerFlags, Parameter("*", group=PLAYERS)] = PlayerFlags(),
    tournament: Annotated[
        TournamentSettings, Parameter("*", group=TOURNAMENT)
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
            started = stack.enter_context(new_tournament(given, entrants(everyone), match))
        else:
            stack.callback(store.close)
            started = resumed(given, players, everyone, match, store)
        print(f"{player_count(started)} in {url}")
