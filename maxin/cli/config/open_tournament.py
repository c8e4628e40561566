"""A tournament and its runner, from a config: a new tournament, or a stored one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

from maxin.cli.config.config_file import Config
from maxin.cli.config.declaration import flag, given
from maxin.cli.config.match_config import (
    MatchConfig,
    current,
    is_former,
    match_config,
    stored_match_config,
)
from maxin.cli.config.options import PlayerFlags
from maxin.cli.config.player_config import players_of
from maxin.cli.config.settings import CONFIG_FILE, WAYS
from maxin.cli.config.stores import store_url
from maxin.core import Entrant, InvalidInput
from maxin.runners import Runner
from maxin.storage import Store, open_store, outlast
from maxin.tournament import Settings, SettingsDiffer, Tournament
from maxin.tournament.players import entrants
from maxin.tournament.settings import check_anchored


def open_tournament(
    config: Config, flags: PlayerFlags, stack: ExitStack
) -> tuple[Tournament, Runner]:
    """The tournament and its runner; both are closed with `stack`.

    A new store is made only after everything was validated, so that a mistake leaves nothing
    behind. A database server that was reached once and is then away is waited for.
    """
    match = match_config(config.match)
    players = players_of(config, flags, None if match is None else match.kind)
    store = _existing(store_url(config.tournament.store))
    if store is not None:
        stack.callback(store.close)
        resume = partial(_resume, config, players, match, store, stack)
        return outlast(resume, store.notice)
    if match is None and players:
        raise InvalidInput(
            "how is a match played? Give one of command, call, uci, open_spiel and payoff, under "
            "[match] in the config file or as a flag"
        )
    if match is None:
        url = store_url(config.tournament.store)
        raise InvalidInput(f"no tournament to resume at {url}; {_how_to_start()}")
    return _start(config, players, match, stack)


def _existing(url: str) -> Store | None:
    """The store, if it has a tournament."""
    try:
        store = open_store(url, create=False)
    except InvalidInput:  # no store; if the URL is invalid, making one says so
        return None
    if outlast(store.settings, store.notice):
        return store
    store.close()
    return None


def _resume(
    config: Config,
    players: Sequence[Entrant],
    match: MatchConfig | None,
    store: Store,
    stack: ExitStack,
) -> tuple[Tournament, Runner]:
    # A tournament that was started for `ask` and `tell` says nothing about matches: any way to
    # play them will do.
    stored_match = store.settings().get("match", "")
    is_same = match is None or not stored_match or current(stored_match) == match.description
    description = None if is_same or match is None else match.description
    try:
        tournament = Tournament(players, store, match=description, **rules(config))
    except SettingsDiffer as error:
        raise SettingsDiffer(
            f"{error}; to resume it as it was, give only --store; to start another one, choose "
            "another store"
        ) from None
    if is_former(stored_match):
        _check_units(tournament)
    check_two(sum(state != "retired" for state in tournament.states.values()))
    stored = tournament.settings
    match = match or stored_match_config(stored.match, config.match)
    runner = stack.enter_context(closing(match.runner(tournament.names, stored.seed)))
    return tournament, runner


def _check_units(tournament: Tournament) -> None:
    """Raise if a player's time is a bare number that was stored as seconds."""
    for player in tournament.entrants():
        time = player.options.get("movetime")
        if isinstance(time, int | float):
            raise InvalidInput(
                f"player {player.name!r} has movetime = {time}, which meant seconds when the "
                "tournament was started, and means milliseconds now; start another one, with "
                f'movetime = "{time}s"'
            )


def _start(
    config: Config, players: Sequence[Entrant], match: MatchConfig, stack: ExitStack
) -> tuple[Tournament, Runner]:
    seed = config.tournament.seed or 0
    everyone = entrants(players or match.names(seed))
    if not everyone:
        raise InvalidInput(f"a tournament needs players; {_how_to_start()}")
    check_two(len(everyone))
    names = [entrant.name for entrant in everyone]
    runner = stack.enter_context(closing(match.runner(names, seed)))
    runner.check(everyone)
    made = outlast(partial(new_tournament, config, everyone, match))
    return stack.enter_context(made), runner


def new_tournament(
    config: Config, players: Sequence[Entrant], match: MatchConfig | None
) -> Tournament:
    """The tournament in a store that is made now, after its settings were validated."""
    settings = Settings(**rules(config))
    size = settings.parsed_goal.k
    if not size < len(players):
        raise InvalidInput(
            f"goal {settings.goal!r} needs more than {size} players; got {len(players)}"
        )
    check_anchored(settings, [player.name for player in players])
    description = None if match is None else match.description
    url = store_url(config.tournament.store)
    return Tournament(players, url, match=description, **rules(config))


def rules(config: Config) -> dict[str, Any]:
    """The rules that were given; an anchor of "none" is an empty one."""
    found = {key: value for key, value in given(config.tournament).items() if key != "store"}
    return found | ({"anchor": {}} if found.get("anchor") == "none" else {})


def check_two(n_players: int) -> None:
    """Raise unless there are two players to match."""
    if n_players < 2:
        raise InvalidInput(
            f"a tournament needs two players who are not retired; it has {n_players}"
        )


def _how_to_start() -> str:
    if CONFIG_FILE.is_file():
        return f"{CONFIG_FILE} is here: `maxin run {CONFIG_FILE}`"
    return (
        "give a config file (`maxin init` writes one), or players (--player, --players) and a way "
        f"to play ({', '.join(map(flag, WAYS))})"
    )
