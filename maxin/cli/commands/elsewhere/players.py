"""Add, pause, resume, retire or list the players of a tournament."""

import json
from typing import Annotated, Any

from cyclopts import App, Parameter

from maxin.cli.config.options import OPTIONS, FormatOption, repeated
from maxin.cli.config.settings import Store
from maxin.cli.config.stores import stored_tournament
from maxin.cli.output.printing import present
from maxin.cli.output.tables.player_list import PlayerList, player_count
from maxin.core import Entrant, InvalidInput
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


@app.command(sort_key=0)
def add(
    *names: Name,
    store: Store = None,
    option: Annotated[
        tuple[str, ...],
        repeated("An option for the runner; repeat it for each option.", "KEY=VALUE"),
    ] = (),
) -> None:
    """Add players."""
    options = _options(option)
    entrants = [Entrant(name, options) for name in names]
    with stored_tournament(store) as tournament:
        tournament.add(*entrants)
        _print_change("added", names, tournament)


@app.command(sort_key=1)
def pause(*names: Name, store: Store = None) -> None:
    """Pause players: they get no more matches until they resume."""
    with stored_tournament(store) as tournament:
        tournament.pause(*names)
        _print_change("paused", names, tournament)


@app.command(sort_key=2)
def resume(*names: Name, store: Store = None) -> None:
    """Let paused or retired players play again."""
    with stored_tournament(store) as tournament:
        tournament.resume(*names)
        _print_change("active", names, tournament)


@app.command(sort_key=3)
def retire(*names: Name, store: Store = None) -> None:
    """Retire players: they keep their results, and can no longer be the best."""
    with stored_tournament(store) as tournament:
        tournament.retire(*names)
        _print_change("retired", names, tournament)


@app.command(name="list", sort_key=4)
def list_players(*, store: Store = None, format: FormatOption = "text") -> None:
    """List the players: name, state, number of matches and options."""
    with stored_tournament(store) as tournament:
        present(PlayerList(tournament), format)


def _print_change(word: str, names: tuple[str, ...], tournament: Tournament) -> None:
    print(f"{word}: {listed(names)}; {player_count(tournament)}")


def _options(pairs: tuple[str, ...]) -> dict[str, Any]:
    """Options as a runner wants them: numbers, true and false as such, all else as text.

    >>> _options(("depth=3", "book=open.bin", "ponder=false"))
    {'depth': 3, 'book': 'open.bin', 'ponder': False}
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not key or not sign:
            raise InvalidInput(f"--option must be key=value; got {pair!r}")
        if key in found:
            raise InvalidInput(f"--option {key} is given twice")
        found[key] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float | bool | str) else text
