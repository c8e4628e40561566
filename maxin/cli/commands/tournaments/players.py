"""Add, edit, remove, pause, resume, retire or list the players of a tournament."""

import glob
from collections.abc import Sequence
from typing import Annotated

from cyclopts import App, Parameter

from maxin.cli.config.flags import OPTIONS, repeated
from maxin.cli.config.players import check_players, edited, joining, matching, read_options
from maxin.cli.config.settings import FormatOption, Store
from maxin.cli.config.stores import stored_tournament
from maxin.cli.output.printing import present
from maxin.cli.output.tables.lists import player_count, player_list
from maxin.core import InvalidInput, check_name
from maxin.core.text import listed
from maxin.tournament import Tournament

app = App(name="players", help=__doc__, group_parameters=OPTIONS)

Name = Annotated[
    str,
    Parameter(
        help="Names of players; write names that start with a dash after --.",
        metavar="NAMES...",
        required=True,
    ),
]


Option = Annotated[
    tuple[str, ...],
    repeated(
        "An option for the runner, or a key of a table: options.Hash=16; repeat it for each.",
        "KEY=VALUE",
    ),
]


@app.command(sort_key=0)
def add(
    *names: Annotated[Name, Parameter(required=False)],
    store: Store = None,
    players: Annotated[
        str | None,
        Parameter(
            help="Files as players: a glob in quotes, 'bots/*.py'; those that are players already "
            "are left out.",
            metavar="GLOB",
        ),
    ] = None,
    option: Option = (),
) -> None:
    """Add players; options that you do not give are the [defaults] of the config file.

    A player that cannot play is refused: if matches are played by UCI engines, for example, it
    needs an engine that exists and a valid limit. A name with * or ? is a glob, as in --players.
    """
    own = read_options(option)
    with stored_tournament(store) as tournament:
        named = [new for name in names for new in _named(name, tournament)]
        chosen = list(dict.fromkeys([*named, *_new_files(players, tournament)]))
        if not chosen:
            raise InvalidInput("NAMES is missing; see `maxin players add --help`")
        entrants = [joining(tournament, name, own) for name in chosen]
        check_players(tournament, entrants)
        tournament.add(*entrants)
        _print_change("added", chosen, tournament)


def _named(name: str, tournament: Tournament) -> list[str]:
    """The player of a name, or the new files of a glob that the shell did not expand."""
    is_glob = "*" in name or "?" in name or (glob.has_magic(name) and bool(glob.glob(name)))
    return _new_files(name, tournament) if is_glob else [name]


def _new_files(pattern: str | None, tournament: Tournament) -> list[str]:
    """The files that match and are not players yet."""
    if pattern is None:
        return []
    known = {name for name, state in tournament.states.items() if state != "removed"}
    new = [name for name in matching(pattern) if name not in known]
    if not new:
        raise InvalidInput(f"every file that matches {pattern!r} is a player already")
    return new


@app.command(sort_key=1)
def edit(
    *names: Name,
    store: Store = None,
    option: Option = (),
    unset: Annotated[
        tuple[str, ...], repeated("An option to take away; repeat it for each.", "KEY")
    ] = (),
) -> None:
    """Change options of players; their results still count.

    The options that you do not name stay. A run in progress uses the new ones from the next match.
    """
    own = read_options(option)
    if not own and not unset:
        raise InvalidInput("nothing to change; give --option KEY=VALUE or --unset KEY")
    with stored_tournament(store) as tournament:
        known = {player.name: player for player in tournament.entrants()}
        changed = [
            edited(tournament, known[check_name(name, known, "player")], own, unset)
            for name in dict.fromkeys(names)
        ]
        check_players(tournament, changed)
        tournament.edit(*changed)
        _print_change("changed", names, tournament)


@app.command(sort_key=2)
def remove(*names: Name, store: Store = None) -> None:
    """Remove players who have not played; retire those who have."""
    with stored_tournament(store) as tournament:
        tournament.remove(*names)
        _print_change("removed", names, tournament)


@app.command(sort_key=3)
def pause(*names: Name, store: Store = None) -> None:
    """Pause players: they get no more matches until they resume."""
    with stored_tournament(store) as tournament:
        tournament.pause(*names)
        _print_change("paused", names, tournament)


@app.command(sort_key=4)
def resume(*names: Name, store: Store = None) -> None:
    """Let paused or retired players play again."""
    with stored_tournament(store) as tournament:
        tournament.resume(*names)
        _print_change("active", names, tournament)


@app.command(sort_key=5)
def retire(*names: Name, store: Store = None) -> None:
    """Retire players: they keep their results, and can no longer be the best."""
    with stored_tournament(store) as tournament:
        tournament.retire(*names)
        _print_change("retired", names, tournament)


@app.command(name="list", sort_key=6)
def list_players(*, store: Store = None, format: FormatOption = "text") -> None:
    """List the players: name, state, number of matches and options."""
    with stored_tournament(store) as tournament:
        present(player_list(tournament), format)


def _print_change(word: str, names: Sequence[str], tournament: Tournament) -> None:
    print(f"{word}: {listed(names)}; {player_count(tournament)}")
