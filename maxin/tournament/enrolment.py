"""Players at the door: their names are checked, and a stored field must be the one given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from maxin.core import Entrant, InvalidInput
from maxin.storage import PlayerRow, Store, Writer
from maxin.tournament.settings import Settings, SettingsDiffer, settled
from maxin.tournament.tickets.checks import check_data

LONGEST_NAME = 300  # characters


def entrants(players: Iterable[str | Entrant]) -> list[Entrant]:
    """The players as entrants, each name once and fit to be printed.

    >>> entrants(["anna", Entrant("bo", {"depth": 3})])[1].options["depth"]
    3
    """
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise InvalidInput(f"players are a list of names; got {players!r}")
    found = [_entrant(given) for given in players]
    names = [check_player_name(entrant.name) for entrant in found]
    twice = sorted({name for name in names if names.count(name) > 1}) if _repeats(names) else []
    if twice:
        raise InvalidInput(f"every player has a name of its own; {twice[0]!r} is there twice")
    return found


def _entrant(given: str | Entrant) -> Entrant:
    if not isinstance(given, Entrant):
        return Entrant(given)
    return Entrant(given.name, check_data(given.options, f"options of {given.name!r}") or {})


def _repeats(names: list[str]) -> bool:
    return len(set(names)) < len(names)


def check_player_name(name: str) -> str:
    """Return `name`, or raise unless it is a text that a table and a command line can hold.

    >>> check_player_name("Anna; the 'first'")
    "Anna; the 'first'"
    """
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"a player's name is a text that is not blank; got {name!r}")
    if len(name) > LONGEST_NAME:
        raise InvalidInput(
            f"a player's name has up to {LONGEST_NAME} characters; {name[:40]!r}... has {len(name)}"
        )
    if not all(character.isprintable() for character in name):
        raise InvalidInput(f"a player's name has no control characters; got {name!r}")
    return name


def enrol(store: Store, players: Iterable[str | Entrant], given: Mapping[str, Any]) -> Settings:
    """Start a tournament in an empty store, or check that the stored one is meant."""
    field = entrants(players)

    def work(writer: Writer) -> Settings:
        stored = writer.settings()
        settings = settled(stored, given, is_played=writer.has_results())
        if stored and settings.match != stored["match"]:
            writer.set({"match": settings.match})
        if not stored:
            writer.set({**asdict(settings), "players": [entrant.name for entrant in field]})
            for number, entrant in enumerate(field):
                writer.player(number, entrant.name, "active", entrant.options)
        return settings

    settings = store.transact(work)
    if field:
        _check_field(field, store.players(), store.settings()["players"])
    return settings


def _check_field(field: list[Entrant], stored: list[PlayerRow], first: list[str]) -> None:
    """Raise unless `field` is who the tournament began with, or who is in it now."""
    names = {entrant.name for entrant in field}
    present = {row.name for row in stored if row.state != "retired"}
    everyone = {row.name: row for row in stored}
    differences = []
    if names not in (present, set(first), set(everyone)):
        new, gone = sorted(names - set(everyone)), sorted(present - names)
        differences += [f"new here: {', '.join(new)} (add them to the tournament)"] * bool(new)
        differences += [f"not here: {', '.join(gone)} (retire them)"] * bool(gone)
    for entrant in field:
        row = everyone.get(entrant.name)
        if row is not None and entrant.options and dict(entrant.options) != dict(row.options):
            differences.append(
                f"options of {row.name!r} are {dict(row.options)} in the store "
                f"and {dict(entrant.options)} here"
            )
    if differences:
        raise SettingsDiffer(
            "the tournament was started with other players: " + "; ".join(differences)
        )
