"""Who is in the tournament: joining, pausing, leaving, and matches that somebody demands."""

from __future__ import annotations

from collections.abc import Iterable

from maxin.core import Entrant, InvalidInput, check_name, check_whole
from maxin.storage import Writer
from maxin.storage.records import State
from maxin.tournament.state.state import League


def number_of(league: League, name: str) -> int:
    """A player's number; an unknown name is refused with the nearest known one."""
    if not isinstance(name, str):
        raise InvalidInput(f"a player is named by a text; got {name!r}")
    return league.names.index(check_name(name, league.names, "player"))


def add(league: League, writer: Writer, new: Iterable[Entrant]) -> None:
    """Let players join."""
    for entrant in new:
        if entrant.name in league.names:
            state = league.states[league.names.index(entrant.name)]
            raise InvalidInput(f"{entrant.name!r} is a player already, and {state}")
        number = len(league.names)
        league.take(writer.player(number, entrant.name, "active", entrant.options))


def change(league: League, writer: Writer, state: State, names: Iterable[str]) -> None:
    """Let players pause, retire or play again; who has retired cannot pause."""
    for number in [number_of(league, name) for name in names]:
        if state == "paused" and league.states[number] == "retired":
            raise InvalidInput(f"{league.names[number]!r} is retired; resume it first")
        if league.states[number] != state:
            league.take(writer.player(number, league.names[number], state))


def demand(league: League, writer: Writer, first: str, second: str, times: int) -> None:
    """Have two active players meet next, `first` sitting first."""
    if check_whole(times, "times") < 1:
        raise InvalidInput(f"times must be at least 1; got {times}")
    pair = number_of(league, first), number_of(league, second)
    if pair[0] == pair[1]:
        raise InvalidInput(f"nobody can play themselves; {first!r} was demanded against itself")
    for player in pair:
        if league.states[player] != "active":
            raise InvalidInput(f"{league.names[player]!r} is {league.states[player]}")
    for _ in range(times):
        league.take(writer.demand(*pair))
