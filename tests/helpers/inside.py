"""A look inside a tournament, for tests of what its public methods are made of."""

from sqlalchemy import select, text, update

from maxin.storage.audit import digest_of
from maxin.storage.schema import HEAD, RECORD


def record_of(tournament):
    """The record, with the state and its store.

    Private, because users ask and tell; tests of records and leases compare the states of several
    processes and let leases lapse, which no public method shows.
    """
    return tournament._record


def state_of(tournament):
    """The state as it was last read."""
    return record_of(tournament).state


def refresh(tournament):
    """Read what other processes wrote; the public methods do so before they write."""
    record_of(tournament).refresh()


def prepare(tournament):
    """Rebuild the scheduler if the active players have changed, as the next `ask` would."""
    refresh(tournament)
    record_of(tournament).prepare()


def search_leases_now(tournament):
    """Look for lapsed leases at the next `ask`, rather than once per second."""
    record_of(tournament).leases.look_again()


def change_record(store, *statements):
    """Execute SQL on a store's tables, as somebody with the file could."""
    with store._connected() as connection:
        for statement in statements:
            connection.execute(text(statement))


def value_of(store, query):
    """The one value that a query on a store's own connection returns."""
    with store._connected() as connection:
        return connection.execute(text(query)).scalar_one()


def seal_again(store):
    """Compute all digests again, as somebody could who knows the format and changed an entry."""
    digest = ""
    with store._connected() as connection:
        found = [
            (row.seq, table, row._mapping)
            for table in RECORD
            for row in connection.execute(select(table))
        ]
        for seq, table, row in sorted(found, key=lambda entry: entry[0]):
            digest = digest_of(digest, table, row)
            connection.execute(update(table).where(table.c.seq == seq).values(digest=digest))
        connection.execute(update(HEAD).values(digest=digest))
