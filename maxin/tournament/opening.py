"""Opening a tournament: its store is found, and the tournament in it is started or resumed.

Before the first result, it may be started again with other settings and players.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxin import storage
from maxin.core import Entrant
from maxin.core.declaration import unused_additions
from maxin.core.text import listed
from maxin.storage import AWAY, NoStore, outlast
from maxin.tournament.custom import factory_of, made
from maxin.tournament.features import check_has_features, with_table
from maxin.tournament.players import entrants
from maxin.tournament.record.leases import is_lapsed
from maxin.tournament.record.record import PATIENCE
from maxin.tournament.settings import Settings, SettingsDiffer, check_anchored, settled

if TYPE_CHECKING:
    from maxin.storage import Store, Writer
    from maxin.tournament.custom import Factory

VARIABLE = "MAXIN_STORE"  # names the store if none is given


class FieldDiffers(SettingsDiffer):
    """A stored tournament was opened with other players.

    Args:
        new: the players that it does not have.
        missing: its players who were not given.
        changed: the players whose options differ, as they were given.
    """

    def __init__(
        self, message: str, new: Sequence[str], missing: Sequence[str], changed: Sequence[Entrant]
    ) -> None:
        super().__init__(message)
        self.new, self.missing, self.changed = tuple(new), tuple(missing), tuple(changed)


def open_or_start(
    store: str | Path | Store | None,
    players: Iterable[str | Entrant] | None,
    given: Mapping[str, Any],
) -> tuple[Store, Settings]:
    """The store and the settings of its tournament; if it is refused, what was opened is closed.

    If the database server is lost after the store was opened, wait for it.

    >>> store, settings = open_or_start("sqlite://", ["anna", "bo"], {"seed": 3})
    >>> settings.seed
    3
    """
    field = [] if players is None else entrants(players)
    field, features = with_table(field, given.get("features"))
    given, factory, new = {**given, "features": features}, None, None
    if not isinstance(given.get("scheduler"), str | None):
        given["scheduler"], factory = factory_of(given["scheduler"])
    check = partial(_check_makes, given.get("scheduler", ""), factory)
    try:
        opened = find_store(store, create=False)
    except NoStore:
        if players is None:
            raise
        check(len(field))  # before a store is made: a mistake leaves none behind
        new = new_settings(field, given)
        opened = find_store(store, create=True)

    def start() -> Settings:
        if factory is not None:
            n_active = sum(row.state == "active" for row in opened.players())
            check(n_active or len(field))
        return start_or_resume(opened, field, given, new)

    try:
        settings = outlast(start, opened.notice, PATIENCE)
        return opened, settings.with_factory(factory)
    except BaseException:
        if opened is not store:
            opened.close()
        raise


def _check_makes(name: str, factory: Factory | None, n_players: int) -> None:
    """Raise unless a custom scheduler, if there is one, can be made for so many players."""
    if factory is None or n_players < 2:
        return
    import numpy as np  # not before it is needed

    made(factory, name, n_players, np.random.default_rng(0))


def find_store(store: str | Path | Store | None, *, create: bool) -> Store:
    """The store that is given, or the one that MAXIN_STORE names, or a new one in memory.

    >>> str(find_store("sqlite://", create=True))
    'sqlite://'
    """
    if isinstance(store, storage.Store):
        return store
    url = store or os.environ.get(VARIABLE) or "sqlite://"
    return storage.open_store(url, create=create or url == "sqlite://")


def start_or_resume(
    store: Store, field: Sequence[Entrant], given: Mapping[str, Any], new: Settings | None = None
) -> Settings:
    """Start a tournament in an empty store, or check that the stored one has these settings.

    Args:
        store: where the tournament is, or will be.
        field: its players; none for a stored one.
        given: the settings that were given.
        new: the settings of a new tournament, if they were made before.

    >>> store = storage.open_store("sqlite://")
    >>> start_or_resume(store, [Entrant("anna"), Entrant("bo")], {"seed": 3}).seed
    3
    >>> start_or_resume(store, (), {}).seed
    3
    """
    names = [entrant.name for entrant in field]
    if given.get("anchor"):
        names += [row.name for row in store.players()]

    def work(writer: Writer) -> Settings:
        stored = writer.settings()
        if not stored:
            settings = new or new_settings(field, given)
            _write(writer, settings, field)
            return settings
        is_other = given.get("match") not in (None, stored.get("match"))
        is_played = is_other and writer.was_played()
        settings = settled(stored, given, is_played=is_played, place=place_of(store))
        if given.get("anchor"):
            check_anchored(settings, names)
        if settings.match != stored.get("match", ""):
            writer.set({"match": settings.match})
        if settings.anchor != stored.get("anchor"):
            writer.set({"anchor": settings.anchor})
        return settings

    settings = store.transact(work)
    if field:
        _check_field(store, field)
    return settings


def new_settings(field: Sequence[Entrant], given: Mapping[str, Any]) -> Settings:
    """The settings of a new tournament of these players, which must suit them."""
    settings = settled({}, given)
    check_anchored(settings, [entrant.name for entrant in field])
    settings.check_size(len(field))
    check_has_features(settings.features, field)
    return settings


def place_of(store: Store) -> str:
    """A store as errors name it, with the environment variable if that one leads there.

    >>> place_of(storage.open_store("sqlite://"))
    'the store sqlite://'
    """
    given = os.environ.get(VARIABLE)
    from maxin.storage.database.engine import parse_url  # loads the database, which a plan spares

    is_named = bool(given) and store.url == parse_url(given or "")
    return f"the store {store}" + f" (set by the environment variable {VARIABLE})" * is_named


def start_again(store: Store, players: Iterable[str | Entrant], given: Mapping[str, Any]) -> bool:
    """Start the tournament in a store again, with other settings and players.

    Only if it has no result and nobody is playing a match of it; returns whether that is so.
    The record keeps what happened before.

    >>> store = storage.open_store("sqlite://")
    >>> start_or_resume(store, [Entrant("anna"), Entrant("boo")], {"seed": 3}).seed
    3
    >>> start_again(store, ["anna", "bo"], {"seed": 4})
    True
    >>> [(row.name, row.state) for row in store.players()]
    [('anna', 'active'), ('boo', 'removed'), ('bo', 'active')]
    """
    field = entrants(players)
    settings = new_settings(field, given)

    def work(writer: Writer) -> bool:
        leases = writer.leases()  # every pending match has one
        if writer.has_results() or not all(is_lapsed(lease, writer.now) for lease in leases):
            return False
        for lease in leases:
            writer.void(lease.match, "the tournament was started again")
        _write(writer, settings, field)
        return True

    return store.transact(work)


def _write(writer: Writer, settings: Settings, field: Sequence[Entrant]) -> None:
    """Write the settings and the field; players of an earlier field are removed."""
    rules, stored = asdict(settings), writer.settings()
    for name in unused_additions(settings):
        if name not in stored:
            del rules[name]
    writer.set({**rules, "players": [entrant.name for entrant in field]})
    numbers = {row.name: row.player for row in writer.players()}
    names = {entrant.name for entrant in field}
    for name, number in numbers.items():
        if name not in names:
            writer.player(number, name, "removed")
    for entrant in field:
        number = numbers.setdefault(entrant.name, len(numbers))
        writer.player(number, entrant.name, "active", entrant.options)


def _check_field(store: Store, field: Sequence[Entrant]) -> None:
    """Raise unless `field` is the field the tournament began with, or the one it has now."""
    stored, first = store.players(), store.settings().get("players", [])
    names = {entrant.name for entrant in field}
    present = {row.name for row in stored if row.state not in AWAY}
    everyone = {row.name: row for row in stored if row.state != "removed"}
    new, missing, changed = [], [], []
    if names not in (present, set(first), set(everyone)):
        new = [entrant.name for entrant in field if entrant.name not in everyone]
        left = present - names
        missing = [row.name for row in stored if row.name in left]
    for entrant in field:
        row = everyone.get(entrant.name)
        if row is not None and entrant.options and dict(entrant.options) != dict(row.options):
            changed.append(entrant)
    if not new and not missing and not changed:
        return
    differences = [f"new here: {listed(new)} (add them to the tournament)"] * bool(new)
    differences += [f"missing here: {listed(missing)} (retire them)"] * bool(missing)
    differences += [
        f"options of {entrant.name!r} are {dict(everyone[entrant.name].options)} in the store "
        f"and {dict(entrant.options)} here"
        for entrant in changed
    ]
    message = f"the tournament in {place_of(store)} was started with other players: " + "; ".join(
        differences
    )
    raise FieldDiffers(message, new, missing, changed)
