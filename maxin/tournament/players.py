"""The players of a tournament: their names and options, and how they join, change and leave."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from maxin.core import Entrant, InvalidInput, check_name, check_whole
from maxin.core.checks import check_player_name
from maxin.core.text import counted
from maxin.tournament.features import check_has_features
from maxin.worker.result_checks import check_data

if TYPE_CHECKING:
    from maxin.storage import PlayerState, Writer
    from maxin.tournament.state.state import TournamentState

MOST_PLAYERS = 1_000_000
NO_NAMES = (".", "..")
MOST_REQUESTS = 10_000  # matches that one call may request


def entrants(players: Iterable[str | Entrant]) -> list[Entrant]:
    """The players as entrants; every name must be unique and printable.

    >>> entrants(["anna", Entrant("bo", {"depth": 3})])[1].options["depth"]
    3
    """
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise InvalidInput(f"players must be a list of names; got {players!r}")
    found = [_entrant(given) for given in players]
    _check_number(len(found))
    names = [_new_name(entrant.name) for entrant in found]
    if len(set(names)) < len(names):
        twice = sorted(name for name, times in Counter(names).items() if times > 1)
        raise InvalidInput(f"every player needs a name of its own; {twice[0]!r} occurs twice")
    return found


def _new_name(name: str) -> str:
    if check_player_name(name) in NO_NAMES:  # a browser takes these parts out of an address
        raise InvalidInput(f"a player's name must not be {' or '.join(NO_NAMES)}; got {name!r}")
    return name


def _check_number(n_players: int) -> None:
    if n_players > MOST_PLAYERS:
        raise InvalidInput(f"a tournament has at most {MOST_PLAYERS:,} players; got {n_players:,}")


def _entrant(given: str | Entrant) -> Entrant:
    if not isinstance(given, Entrant):
        return Entrant(given)
    if given.options == {}:
        return given
    return Entrant(given.name, check_data(given.options, f"options of {given.name!r}") or {})


def number_of(state: TournamentState, name: str) -> int:
    """A player's number; the error for an unknown name offers the nearest known one."""
    if not isinstance(name, str):
        raise InvalidInput(f"a player must be given by name; got {name!r}")
    number = state.numbers.get(name)
    if number is None or state.states[number] == "removed":
        everyone = zip(state.names, state.states, strict=True)
        check_name(name, [other for other, now in everyone if now != "removed"], "player")
        raise AssertionError  # it is not among them
    return number


def joining(
    state: TournamentState, writer: Writer, new: Iterable[Entrant]
) -> list[tuple[int, Entrant]]:
    """The players who join, again if they were removed, with their numbers."""
    players = list(new)
    n_players = len(state.names)
    _check_number(n_players + len(players))
    state.settings.check_size(n_players + len(players))
    if features := state.settings.features:
        present = [row for row in writer.players() if row.state != "removed"]
        check_has_features(features, [*present, *players])
    numbers = itertools.count(n_players)
    found = []
    for entrant in players:
        number = state.numbers.get(entrant.name)
        if number is not None and state.states[number] != "removed":
            is_now = state.states[number]
            raise InvalidInput(f"{entrant.name!r} is already a player, and {is_now}")
        found.append((next(numbers) if number is None else number, entrant))
    return found


def edited(
    state: TournamentState, writer: Writer, changed: Iterable[Entrant]
) -> list[tuple[int, Entrant]]:
    """The players who get other options, with their numbers; a feature cannot change."""
    features = state.settings.features
    rows = writer.players() if features else []
    found = [(number_of(state, entrant.name), entrant) for entrant in changed]
    for number, entrant in found:
        for feature in features:
            before, now = rows[number].options.get(feature), entrant.options.get(feature)
            if before != now:
                raise InvalidInput(
                    f"the feature {feature!r} of {entrant.name!r} cannot change in a tournament; "
                    f"it is {before!r}, got {now!r}"
                )
    return found


def removed(state: TournamentState, names: Iterable[str]) -> list[int]:
    """The numbers of players who may be taken out: they have no result and no pending match."""
    n_matches = state.tally.n_matches
    numbers = list(dict.fromkeys(number_of(state, name) for name in names))
    for number in numbers:
        name, n_results = state.names[number], round(n_matches[number])
        if n_results:
            raise InvalidInput(
                f"{name!r} has played {counted(n_results, 'match')}, so it cannot be removed; "
                "retire it instead"
            )
        pending = [match for match, seats in state.pending.items() if number in seats]
        if pending:
            raise InvalidInput(
                f"match {pending[0]} of {name!r} is pending, so it cannot be removed; wait for the "
                "result, void the match, or retire the player"
            )
    return numbers


def changed(state: TournamentState, to: PlayerState, names: Iterable[str]) -> list[int]:
    """The numbers of the players whose state changes; a retired player cannot be paused."""
    numbers = list(dict.fromkeys(number_of(state, name) for name in names))
    for number in numbers:
        if to == "paused" and state.states[number] == "retired":
            raise InvalidInput(f"{state.names[number]!r} is retired; resume it first")
    return [number for number in numbers if state.states[number] != to]


def requested(state: TournamentState, first: str, second: str, times: int) -> tuple[int, int]:
    """The numbers of two active players who may meet this often."""
    if check_whole(times, "times") < 1:
        raise InvalidInput(f"times must be at least 1; got {times}")
    if times > MOST_REQUESTS:
        raise InvalidInput(f"times must be at most {MOST_REQUESTS:,}; got {times:,}")
    pair = number_of(state, first), number_of(state, second)
    if pair[0] == pair[1]:
        raise InvalidInput(f"a player cannot play itself; {first!r} was requested twice")
    for player in pair:
        if state.states[player] != "active":
            raise InvalidInput(f"{state.names[player]!r} is {state.states[player]}")
    return pair
