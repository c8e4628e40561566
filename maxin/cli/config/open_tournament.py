"""A tournament and its runner, from a config: a new tournament, or a stored one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

from maxin.cli.config.config_file import Config
from maxin.cli.config.flags import flag, given
from maxin.cli.config.match_config import MatchConfig, match_config, stored_match_config
from maxin.cli.config.players import (
    check_active,
    check_players,
    feature_names,
    joining,
    keep_defaults,
    players_of,
    remedies,
)
from maxin.cli.config.settings import CONFIG_FILE, ONE_WAY, WAYS, PlayerFlags
from maxin.cli.config.stores import store_url
from maxin.core import Entrant, InvalidInput
from maxin.storage import AWAY, Store, open_store, outlast
from maxin.tournament import SettingsDiffer, Tournament
from maxin.tournament.goals import sought
from maxin.tournament.opening import FieldDiffers, start_again
from maxin.worker.checked_runner import CheckedRunner


def open_tournament(
    config: Config, flags: PlayerFlags, stack: ExitStack
) -> tuple[Tournament, CheckedRunner]:
    """The tournament and its runner; both are closed with `stack`.

    A new store is made only after everything was validated, so that a mistake leaves nothing
    behind. A database server that was reached once and is then away is waited for.
    """
    store = existing_store(store_url(config.tournament.store))
    if store is not None:
        stack.callback(store.close)
        resume = partial(_resume, config, flags, store, stack)
        return outlast(resume, store.notice)
    match = match_config(config.match)
    players = players_of(config, flags, None if match is None else match.kind)
    if match is None and players:
        raise InvalidInput(
            f"how is a match played? Give one of {ONE_WAY}, under [match] in the config file or as "
            "a flag"
        )
    if match is None:
        url = store_url(config.tournament.store)
        raise InvalidInput(f"no tournament to resume at {url}; {_how_to_start()}")
    return _start(config, players, match, stack)


def existing_store(url: str) -> Store | None:
    """The store, if it has a tournament."""
    try:
        store = open_store(url, create=False)
    except InvalidInput:  # no store; an invalid URL is an error when one is made
        return None
    if outlast(store.settings, store.notice):
        return store
    store.close()
    return None


def _resume(
    config: Config,
    flags: PlayerFlags,
    store: Store,
    stack: ExitStack,
) -> tuple[Tournament, CheckedRunner]:
    description = str(store.settings().get("match", ""))
    match = match_config(config.match, description)
    kind = description.partition(":")[0] if match is None else match.kind
    players = players_of(config, flags, kind)
    try:
        tournament = resumed(config, flags, players, match, store)
    except SettingsDiffer as error:
        if match is None or not _start_again(config, players, match, store, stack):
            raise SettingsDiffer(
                f"{error}; to resume it as it was, give only --store; to start another one, "
                "choose another store"
            ) from None
        note = f"the tournament in {store} had no result yet: it is started again"
        print(note, file=sys.stderr, flush=True)
        tournament = resumed(config, flags, players, match, store)
    check_two(sum(state not in AWAY for state in tournament.states.values()))
    stored = tournament.settings
    match = match or stored_match_config(stored.match, config.match)
    made = CheckedRunner(match.runner(tournament.names, stored.seed))
    runner = stack.enter_context(closing(made))
    check_active(tournament, runner)
    return tournament, runner


def resumed(
    config: Config,
    flags: PlayerFlags,
    players: Sequence[Entrant],
    match: MatchConfig | None,
    store: Store,
) -> Tournament:
    """The tournament in a store, which must have these players and rules; new ones may join."""
    description = None if match is None else match.description
    if flags.join:
        _join(Tournament(None, store, match=description, **rules(config)), players)
    try:
        tournament = Tournament(players, store, match=description, **rules(config))
    except FieldDiffers as error:
        raise SettingsDiffer(f"{error}; {remedies(error, store)}") from None
    keep_defaults(tournament, config.defaults)
    return tournament


def _join(tournament: Tournament, players: Sequence[Entrant]) -> None:
    """Let the players join whom the tournament does not have."""
    known = {name for name, state in tournament.states.items() if state != "removed"}
    new = [
        joining(tournament, player.name, player.options)
        for player in players
        if player.name not in known
    ]
    check_players(tournament, new)
    tournament.add(*new)


def _start_again(
    config: Config, players: Sequence[Entrant], match: MatchConfig, store: Store, stack: ExitStack
) -> bool:
    """Replace a tournament without results, such as that of a run which failed.

    Returns whether there are none, and the players of another one are given.
    """
    if not players and not match.names(config.tournament.seed or 0):
        return False
    everyone, _ = _checked(config, players, match, stack)
    return start_again(store, everyone, {**rules(config), "match": match.description})


def _start(
    config: Config, players: Sequence[Entrant], match: MatchConfig, stack: ExitStack
) -> tuple[Tournament, CheckedRunner]:
    everyone, runner = _checked(config, players, match, stack)
    made = outlast(partial(new_tournament, config, everyone, match))
    return stack.enter_context(made), runner


def _checked(
    config: Config, players: Sequence[Entrant], match: MatchConfig, stack: ExitStack
) -> tuple[Sequence[Entrant], CheckedRunner]:
    """The players of a new tournament and its runner, all validated."""
    seed = config.tournament.seed or 0
    everyone = players or [Entrant(name) for name in match.names(seed)]
    if not everyone:
        raise InvalidInput(f"a tournament needs players; {_how_to_start()}")
    check_two(len(everyone))
    check_goal(config, len(everyone))
    names = [entrant.name for entrant in everyone]
    runner = stack.enter_context(closing(CheckedRunner(match.runner(names, seed))))
    runner.check(everyone)
    return everyone, runner


def new_tournament(
    config: Config, players: Sequence[Entrant], match: MatchConfig | None
) -> Tournament:
    """The tournament in a store that is made now, after its settings were validated."""
    description = None if match is None else match.description
    url = store_url(config.tournament.store)
    tournament = Tournament(players, url, match=description, **rules(config))
    keep_defaults(tournament, config.defaults)
    return tournament


def check_goal(config: Config, n_players: int) -> None:
    """Raise unless there are more players than the goal seeks."""
    goal = sought(config.tournament.goal or "", config.tournament.scheduler or "")
    if goal.k >= n_players:
        raise InvalidInput(f"goal '{goal}' needs more than {goal.k} players; got {n_players}")


def rules(config: Config) -> dict[str, Any]:
    """The rules that were given; an anchor of "none" is an empty one."""
    found = {key: value for key, value in given(config.tournament).items() if key != "store"}
    if "features" in found:
        found["features"] = feature_names(found["features"])
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
