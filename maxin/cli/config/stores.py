"""The store that a command works on."""

from __future__ import annotations

import os

from maxin import storage
from maxin.cli.config.settings import DEFAULT_STORE
from maxin.core import InvalidInput
from maxin.tournament import Tournament


def store_url(given: str | None) -> str:
    """The URL that was given, else the environment's MAXIN_STORE, else a file here.

    The name of a file, such as league.db, is the URL of a SQLite store. A store in memory is an
    error: it would end with the command.

    >>> store_url("sqlite:///league.db"), store_url("league.db")
    ('sqlite:///league.db', 'sqlite:///league.db')
    """
    from maxin.storage.database.engine import file_url, parse_url  # loads the database

    text = file_url(given or os.environ.get("MAXIN_STORE") or DEFAULT_STORE)
    url = parse_url(text)
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise InvalidInput(
            "the store of a command must be a file, as in sqlite:///league.db, because one in "
            f"memory ends with the command; got {text!r}"
        )
    return text


def tournament_to_read(given: str | None) -> Tournament:
    """The tournament in a store, for a command that only reads: it is derived from the record.

    The store may be a file, or in a folder, that cannot be written.
    """
    store = storage.open_store(store_url(given), reads=True)
    if not store.settings():
        from maxin.storage.database.engine import HOW_TO_CREATE

        store.close()
        raise InvalidInput(f"no tournament in {store}; {HOW_TO_CREATE}")
    return Tournament(store=store)


def stored_tournament(given: str | None, *, worker: str | None = None) -> Tournament:
    """The tournament in a store, which must exist."""
    return Tournament(store=storage.open_store(store_url(given), create=False), worker=worker)
