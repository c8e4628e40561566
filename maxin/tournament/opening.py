"""Opening a tournament: its store is found, and the tournament in it is started or resumed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from maxin.core import Entrant
from maxin.storage import PlayerRow, Store, Writer, open_store, outlast
from maxin.tournament.players import entrants
from maxin.tournament.settings import Settings, SettingsDiffer, check_anchored, settled
from maxin.tournament.tickets.ledger import PATIENCE


def open_or_start(
    store: str | Store | None, players: Iterable[str | Entrant] | None, given: Mapping[str, Any]
) -> tuple[Store, Settings]:
    """The store and the settings of its tournament; if it is refused, what was opened is closed.

    If the database server is lost after the store was opened, wait for it.

    >>> store, settings = open_or_start("sqlite://", ["anna", "bo"], {"seed": 3})
    >>> settings.seed
    3
    """
    opened = find_store(store, create=players is not None)
    try:
        field = list(players or ())
        start = partial(start_or_resume, opened, field, given)
        return opened, outlast(start, opened.notice, PATIENCE)
    except BaseException:
        if opened is not store:
            opened.close()
        raise


def find_store(store: str | Store | None, *, create: bool) -> Store:
    """The store that is given, or the one that MAXIN_STORE names, or a new one in memory.

    >>> str(find_store("sqlite://", create=True))
    'sqlite://'
    """
    if isinstance(store, Store):
        return store
    url = store or os.environ.get("MAXIN_STORE") or "sqlite://"
    return open_store(url, create=create or url == "sqlite://")


def start_or_resume(
    store: Store, players: Iterable[str | Entrant], given: Mapping[str, Any]
) -> Settings:
    """Start a tournament in an empty store, or check that the stored one has these settings.

    >>> store = open_store("sqlite://")
    >>> start_or_resume(store, ["anna", "bo"], {"seed": 3}).seed
    3
    >>> start_or_resume(store, (), {}).seed
    3
    """
    field = entrants(players)
    names = [entrant.name for entrant in field]
    if given.get("anchor"):
        names += [row.name for row in store.players()]

    def work(writer: Writer) -> Settings:
        stored = writer.settings()
        settings = settled(stored, given, is_played=writer.has_results(), place=str(store))
        if given.get("anchor"):
            check_anchored(settings, names)
        if stored and settings.match != stored.get("match", ""):
            writer.set({"match": settings.match})
        if stored and settings.anchor != stored.get("anchor"):
            writer.set({"anchor": settings.anchor})
        if not stored:
            writer.set({**asdict(settings), "players": [entrant.name for entrant in field]})
            for number, entrant in enumerate(field):
                writer.player(number, entrant.name, "active", entrant.options)
        return settings

    settings = store.transact(work)
    if field:
        _check_field(field, store.players(), store.settings().get("players", []))
    return settings


def _check_field(field: list[Entrant], stored: list[PlayerRow], first: list[str]) -> None:
    """Raise unless `field` is the field the tournament began with, or the one it has now."""
    names = {entrant.name for entrant in field}
    present = {row.name for row in stored if row.state != "retired"}
    everyone = {row.name: row for row in stored}
    differences = []
    if names not in (present, set(first), set(everyone)):
        new, gone = sorted(names - set(everyone)), sorted(present - names)
        differences += [f"new here: {', '.join(new)} (add them to the tournament)"] * bool(new)
        differences += [f"missing here: {', '.join(gone)} (retire them)"] * bool(gone)
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
