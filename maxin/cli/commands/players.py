"""`maxin start`, `add`, `pause`, `resume` and `retire`: who takes part."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maxin.cli.config.config import Config, read_config
from maxin.cli.config.match_config import way_of
from maxin.cli.config.open_tournament import RULES
from maxin.cli.config.player_config import field
from maxin.cli.config.stores import DEFAULT, StoreOption, stored_tournament
from maxin.cli.output.tables import counted, listed
from maxin.core import Entrant, InvalidInput

if TYPE_CHECKING:
    from maxin.tournament import Tournament

Names = Annotated[
    list[str],
    typer.Argument(metavar="NAME", help="Players; names with dashes in front go after --."),
]


def start(
    config: Annotated[
        Path | None, typer.Argument(help="A TOML file; `maxin init` writes one.")
    ] = None,
    player: Annotated[
        list[str] | None, typer.Option(help="A player's name; give it once for each.")
    ] = None,
    players: Annotated[
        str | None, typer.Option(help="Files as players: a glob in quotes, 'bots/*.py'.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            help="Where to keep it: sqlite:///league.db or postgresql://host/name.",
            show_default=f"$MAXIN_STORE, or {DEFAULT}",
        ),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Who plays next.", show_default="top-two")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Everything random follows from it.", show_default="0")
    ] = None,
    games_per_match: Annotated[
        int | None, typer.Option(help="2: a match is two games, seats swapped.", show_default="1")
    ] = None,
    first_advantage: Annotated[
        bool | None, typer.Option(help="Fit what sitting first is worth.", show_default="no")
    ] = None,
    lag: Annotated[
        int | None,
        typer.Option(help="L: the same matches with up to L of them out.", show_default="0"),
    ] = None,
    min_matches: Annotated[
        int | None, typer.Option(help="How many matches everyone gets.", show_default="0")
    ] = None,
) -> None:
    """Start a tournament whose matches are played elsewhere, by `maxin ask` and `maxin tell`.

    Starting it again with the same players and settings changes nothing. `maxin run`, which plays
    the matches too, needs no start.
    """
    flags = {
        "store": store,
        "scheduler": scheduler,
        "seed": seed,
        "games_per_match": games_per_match,
        "first_advantage": first_advantage,
        "lag": lag,
        "min_matches": min_matches,
    }
    given = (Config() if config is None else read_config(config)).overridden(flags, {})
    url = given.store or os.environ.get("MAXIN_STORE") or DEFAULT
    with _started(given, player or [], players, url) as tournament:
        typer.echo(f"{_state(tournament)} in {url}")


def _started(config: Config, names: list[str], pattern: str | None, url: str) -> Tournament:
    """The tournament; everything is checked before a store is made, so a mistake leaves none."""
    from maxin.tournament import Tournament
    from maxin.tournament.enrolment import entrants
    from maxin.tournament.settings import settled

    way = way_of(config.match)
    kind, words = (None, None) if way is None else (way.kind, way.words)
    everyone = field(config.players, config.defaults, names=names, pattern=pattern, way=kind)
    if not everyone:
        raise InvalidInput("a tournament needs players: --player, --players or a config file")
    rules = {key: getattr(config, key) for key in RULES}
    settled({}, rules)
    return Tournament(entrants(everyone), url, match=words, **rules)


def add(
    names: Names,
    store: StoreOption = DEFAULT,
    option: Annotated[
        list[str] | None,
        typer.Option(help="key=value, for whoever plays the matches; as often as there are keys."),
    ] = None,
) -> None:
    """Let players join."""
    options = _options(option)
    entrants = [Entrant(name, options) for name in names]
    _change(store, names, "joined", lambda tournament: tournament.add(*entrants))


def pause(names: Names, store: StoreOption = DEFAULT) -> None:
    """Ask for no more matches of these players until they resume."""
    _change(store, names, "paused", lambda tournament: tournament.pause(*names))


def resume(names: Names, store: StoreOption = DEFAULT) -> None:
    """Let paused or retired players play again."""
    _change(store, names, "active", lambda tournament: tournament.resume(*names))


def retire(names: Names, store: StoreOption = DEFAULT) -> None:
    """Take players out: they keep their results, and can no longer be the best."""
    _change(store, names, "retired", lambda tournament: tournament.retire(*names))


def _change(store: str, names: list[str], word: str, change: Callable[[Tournament], None]) -> None:
    with stored_tournament(store) as tournament:
        change(tournament)
        state = _state(tournament)
    typer.echo(f"{word}: {listed(names)}; {state}")


def _state(tournament: Tournament) -> str:
    states = list(tournament.states.values())
    return f"{counted(len(states), 'player')}, {states.count('active')} active"


def _options(pairs: list[str] | None) -> dict[str, Any]:
    """Options as a runner wants them: numbers and true or false as such, all else as text.

    >>> _options(["depth=3", "book=open.bin", "ponder=false"])
    {'depth': 3, 'book': 'open.bin', 'ponder': False}
    """
    found: dict[str, Any] = {}
    for pair in pairs or ():
        key, sign, value = pair.partition("=")
        if not key or not sign:
            raise InvalidInput(f"--option is key=value; got {pair!r}")
        if key in found:
            raise InvalidInput(f"--option {key} is there twice")
        found[key] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float | bool | str) else text
