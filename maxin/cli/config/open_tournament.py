"""A tournament and whoever plays its matches, from a config: a new one, or a stored one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, cast

from maxin.cli.commands.init import DEFAULT_FILE
from maxin.cli.config.config import WAYS, Config, flag
from maxin.cli.config.match_config import Way, stored_way, way_of
from maxin.core import Entrant, InvalidInput

if TYPE_CHECKING:
    from maxin.runners import Runner
    from maxin.storage import Store
    from maxin.tournament import Tournament
    from maxin.tournament.settings import Goal

RULES = ("scheduler", "seed", "games_per_match", "first_advantage", "lag", "min_matches")


def opened(
    config: Config, players: Sequence[Entrant], url: str, stack: ExitStack
) -> tuple[Tournament, Runner]:
    """The tournament at `url` and its runner; both are closed with `stack`.

    Everything is checked before a new store is made, so that a mistake leaves nothing behind.
    """
    way = way_of(config.match)
    store = _found(url)
    if store is not None:
        stack.callback(store.close)
        return _resumed(config, players, way, store, stack)
    if way is None and players:
        raise InvalidInput(
            "it is not said how a match is played: [match] of the config file, or a flag, has one "
            "of command, call, uci, open_spiel and payoff"
        )
    if way is None:
        raise InvalidInput(f"there is no tournament at {url} to go on with; {_how_to_begin()}")
    return _begun(config, players, way, url, stack)


def _found(url: str) -> Store | None:
    """The store, if a tournament is in it."""
    from maxin.storage import open_store

    try:
        store = open_store(url, create=False)
    except InvalidInput:  # nothing there; if the URL is wrong, making one will say so
        return None
    if store.settings():
        return store
    store.close()
    return None


def _resumed(
    config: Config, players: Sequence[Entrant], way: Way | None, store: Store, stack: ExitStack
) -> tuple[Tournament, Runner]:
    from maxin.tournament import SettingsDiffer

    # Who began without a word about matches, to ask and tell, may have them played in any way.
    is_said = bool(store.settings().get("match"))
    try:
        tournament = _tournament(config, players, store, way if is_said else None)
    except SettingsDiffer as error:
        raise SettingsDiffer(
            f"{error}; to go on as it was, run it with nothing but --store; to begin anew, choose "
            "another store"
        ) from None
    _check_two(sum(state != "retired" for state in tournament.states.values()))
    settings = tournament.settings
    way = way or stored_way(settings.match, config.match.get("timeout"))
    runner = stack.enter_context(closing(way.runner(tournament.names, settings.seed)))
    return tournament, runner


def _begun(
    config: Config, players: Sequence[Entrant], way: Way, url: str, stack: ExitStack
) -> tuple[Tournament, Runner]:
    seed = config.seed or 0
    everyone = list(players) or [Entrant(name) for name in way.names(seed)]
    if not everyone:
        raise InvalidInput(f"nobody plays; {_how_to_begin()}")
    _check_rules(config, everyone)
    names = [entrant.name for entrant in everyone]
    runner = stack.enter_context(closing(way.runner(names, seed)))
    runner.check(everyone)
    tournament = stack.enter_context(closing(_tournament(config, everyone, url, way)))
    return tournament, runner


def _check_rules(config: Config, players: Sequence[Entrant]) -> None:
    """Raise for what a new tournament would refuse, which must not leave a store behind."""
    from maxin.tournament.enrolment import entrants
    from maxin.tournament.settings import settled

    settings = settled({}, rules(config))
    _check_k(max(config.k, settings.k), len(entrants(players)))


def _check_two(n_players: int) -> None:
    if n_players < 2:
        raise InvalidInput(
            f"a tournament needs two players who are not retired; it has {n_players}"
        )


def _check_k(k: int, n_players: int) -> None:
    _check_two(n_players)
    if not k < n_players:
        raise InvalidInput(f"k, the size of the top, is less than {n_players} players; got {k}")


def rules(config: Config) -> dict[str, Any]:
    """The settings of the tournament; of the goals, only the top k knows its size."""
    from maxin.tournament.settings import scheduler_of

    goal = config.goal
    is_top = config.scheduler is None and (config.k > 1 or goal == "top-k")
    k = config.k if is_top else None
    if goal is None and k is not None:
        goal = "top-k"
    scheduler = scheduler_of(config.scheduler, cast("Goal | None", goal), k)
    rules = {key: getattr(config, key) for key in RULES}
    return {**rules, "scheduler": scheduler}


def _tournament(
    config: Config, players: Sequence[Entrant], store: Store | str, way: Way | None
) -> Tournament:
    from maxin.tournament import Tournament

    match = None if way is None else way.words
    return Tournament(players, store, match=match, **rules(config))


def _how_to_begin() -> str:
    if DEFAULT_FILE.is_file():
        return f"{DEFAULT_FILE} is here: `maxin run {DEFAULT_FILE}`"
    flags = ", ".join(map(flag, WAYS))
    return (
        f"give a config file (`maxin init` writes one), or players (--player, --players) and a "
        f"way to play ({flags})"
    )
