"""The tables, their version, and how an older version is upgraded to this one."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.schema import CreateTable

from maxin.core import InvalidInput

METADATA = MetaData()
SEQ = BigInteger().with_variant(Integer, "sqlite")  # SQLite's own row number

HEAD = Table(  # one row: the lock of all writers, and how far the record goes
    "maxin_head",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),  # the last number given out
    Column("schema", Integer, nullable=False),
    Column("asked", BigInteger, nullable=False, server_default="0"),  # the number of the last match
    Column("changed", BigInteger, nullable=False, server_default="0"),  # see `Writer.changed`
    Column("unsealed", BigInteger, nullable=False, server_default="0"),  # entries without a digest
    Column("digest", Text, nullable=False, server_default=""),  # that of the last entry
    Column("ahead", Text, nullable=False, server_default=""),  # see `maxin.storage.ahead`
)
SETTINGS = Table(
    "maxin_settings",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
PLAYERS = Table(
    "maxin_players",
    METADATA,
    Column("seq", SEQ, primary_key=True, autoincrement=False),
    Column("player", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("options", Text),  # NULL: unchanged
    Column("time", Float(53), nullable=False),
    Column("digest", Text),  # see `maxin.storage.audit`
)
ASKED = Table(
    "maxin_asked",
    METADATA,
    Column("seq", SEQ, primary_key=True, autoincrement=False),
    Column("match", BigInteger, nullable=False),
    Column("first", Integer, nullable=False),
    Column("second", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("worker", Text, nullable=False),
    Column("time", Float(53), nullable=False),
    Column("digest", Text),  # see `maxin.storage.audit`
    Index("maxin_asked_match", "match"),
)
TOLD = Table(
    "maxin_told",
    METADATA,
    Column("seq", SEQ, primary_key=True, autoincrement=False),
    Column("match", BigInteger),
    Column("first", Integer, nullable=False),
    Column("second", Integer, nullable=False),
    Column("score", Float(53), nullable=False),
    Column("games", Text),
    Column("errors", Text),
    Column("data", Text),
    Column("source", Text),
    Column("line", BigInteger),
    Column("worker", Text, nullable=False),
    Column("time", Float(53), nullable=False),
    Column("digest", Text),  # see `maxin.storage.audit`
    Index("maxin_told_match", "match"),
    Index("maxin_told_line", "source", "line"),
)
RETRACTED = Table(  # results that were taken back; their rows stay where they are
    "maxin_retracted",
    METADATA,
    Column("seq", SEQ, primary_key=True, autoincrement=False),
    Column("result", BigInteger, nullable=False),  # the number of the entry that is taken back
    Column("reason", Text, nullable=False),
    Column("worker", Text, nullable=False),
    Column("time", Float(53), nullable=False),
    Column("digest", Text),  # see `maxin.storage.audit`
    UniqueConstraint("result"),
)
EVENTS = Table(
    "maxin_events",
    METADATA,
    Column("seq", SEQ, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("match", BigInteger),
    Column("player", Integer),
    Column("first", Integer),
    Column("second", Integer),
    Column("detail", Text, nullable=False),
    Column("time", Float(53), nullable=False),
    Column("digest", Text),  # see `maxin.storage.audit`
)
LEASES = Table(  # not part of the record: which worker is playing which match
    "maxin_leases",
    METADATA,
    Column("match", BigInteger, primary_key=True, autoincrement=False),
    Column("worker", Text, nullable=False),
    Column("since", Float(53), nullable=False),
    Column("until", Float(53), nullable=False),
    Column("boot", Text, nullable=False, server_default=""),
    Column("uptime", Float(53), nullable=False, server_default="0"),
)
TOKENS = Table(  # of users of the service, with their roles; a voter's is its invitation
    "maxin_tokens",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),  # of the secret, which is not stored
    Column("created", Float(53), nullable=False),
    Column("revoked", Float(53)),
)
ASKS = Table(  # the matches handed out to remote workers, who may lose the answer and ask again
    "maxin_asks",
    METADATA,
    Column("worker", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("matches", Text, nullable=False),
    Column("until", Float(53), nullable=False),
)
ITEMS = Table(  # what people compare: a prompt, and one output per player
    "maxin_items",
    METADATA,
    Column("item", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, unique=True),
    Column("prompt", Text, nullable=False),
    Column("category", Text, nullable=False, server_default=""),  # empty: it has none
)
OUTPUTS = Table(
    "maxin_outputs",
    METADATA,
    Column("item", Integer, primary_key=True, autoincrement=False),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("type", Text, nullable=False),  # as in HTTP: text/plain, image/png, audio/mpeg
    Column("body", LargeBinary, nullable=False),
)
PAIRS = Table(  # which outputs a voter was shown; low and high are the numbers of the two players
    "maxin_pairs",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("match", BigInteger, unique=True),  # NULL: somebody else has got it
    Column("voter", Text, nullable=False),
    Column("item", Integer, nullable=False),
    Column("low", Integer, nullable=False),
    Column("high", Integer, nullable=False),
    Column("swapped", Integer, nullable=False),  # whether the second player was on the left
    Column("shown", Float(53), nullable=False),
    Column("until", Float(53), nullable=False),  # not read: its lease has it
    Column("choice", Text),  # NULL while it is open; see `maxin.storage.votes.pairs.Answer`
    Column("reason", Text),  # not read: the result of the match has it, and `ms`
    Column("ms", Integer),
    Column("voted", Float(53)),  # when it was answered
    UniqueConstraint("voter", "item", "low", "high"),
)
SERVICE = (TOKENS, ASKS, ITEMS, OUTPUTS, PAIRS)  # beside the record

RECORD = (
    PLAYERS,
    ASKED,
    TOLD,
    RETRACTED,
    EVENTS,
)  # the tables whose rows are entries of the record
REQUEST = "demand"  # the kind of a requested match, as the first stores have it


def _seal_from_here(connection: Connection) -> None:
    """Version 2: a digest per entry, and leases that do not depend on clocks.

    The entries that exist have no digest, and are counted as `unsealed`.
    """
    for table in (PLAYERS, ASKED, TOLD, EVENTS):
        connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN digest TEXT"))
    for name in ("asked", "changed", "unsealed"):
        declared = f"{name} BIGINT NOT NULL DEFAULT 0"
        connection.execute(text(f"ALTER TABLE {HEAD.name} ADD COLUMN {declared}"))
    for table, declared in (
        (HEAD, "digest TEXT NOT NULL DEFAULT ''"),
        (LEASES, "boot TEXT NOT NULL DEFAULT ''"),
        (LEASES, "uptime DOUBLE PRECISION NOT NULL DEFAULT 0"),
    ):
        connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {declared}"))
    last = select(func.coalesce(func.max(ASKED.c.match), 0)).scalar_subquery()
    connection.execute(
        update(HEAD).values(asked=last, changed=HEAD.c.seq, unsealed=HEAD.c.seq, digest="")
    )


def _allow_corrections(connection: Connection) -> None:
    """Version 3: a result can be retracted, and its match reported again.

    So the table of results no longer has one row per match at most, nor one per line of a source.
    SQLite cannot drop a constraint, so its rows move to a new table.
    """
    RETRACTED.create(connection)
    if connection.dialect.name == "sqlite":
        names = ", ".join(f'"{column.name}"' for column in TOLD.c)
        connection.execute(text(f"ALTER TABLE {TOLD.name} RENAME TO maxin_told_before"))
        connection.execute(CreateTable(TOLD))
        moved = f"INSERT INTO {TOLD.name} ({names}) SELECT {names} FROM maxin_told_before"
        connection.execute(text(moved))
        connection.execute(text("DROP TABLE maxin_told_before"))
    else:
        for constraint in inspect(connection).get_unique_constraints(TOLD.name):
            name = constraint["name"]
            connection.execute(text(f"ALTER TABLE {TOLD.name} DROP CONSTRAINT {name}"))
    for index in TOLD.indexes:
        index.create(connection)


def _open_to_others(connection: Connection) -> None:
    """Version 4: tokens, asks, and what people vote on."""
    METADATA.create_all(connection, tables=SERVICE)


def _sort_items(connection: Connection) -> None:
    """Version 5: items may have a category."""
    columns = {column["name"] for column in inspect(connection).get_columns(ITEMS.name)}
    if "category" not in columns:  # version 4, made just now, has it
        declared = "category TEXT NOT NULL DEFAULT ''"
        connection.execute(text(f"ALTER TABLE {ITEMS.name} ADD COLUMN {declared}"))


def _choose_ahead(connection: Connection) -> None:
    """Version 6: matches chosen ahead."""
    declared = "ahead TEXT NOT NULL DEFAULT ''"
    connection.execute(text(f"ALTER TABLE {HEAD.name} ADD COLUMN {declared}"))


Upgrade = Callable[[Connection], None]
# UPGRADES[v - 1] takes a store of version v to version v + 1.
UPGRADES: list[Upgrade] = [
    _seal_from_here,
    _allow_corrections,
    _open_to_others,
    _sort_items,
    _choose_ahead,
]


def schema_version() -> int:
    """The version that this package writes."""
    return len(UPGRADES) + 1


def check_version(found: int) -> None:
    """Refuse the tables of a newer version."""
    if found > schema_version():
        raise InvalidInput(
            f"this store has schema {found}, written by a newer maxin; "
            f"this one reads up to schema {schema_version()}: upgrade the package"
        )


def is_prepared(connection: Connection) -> bool:
    """Whether the database holds a store."""
    return inspect(connection).has_table(HEAD.name)


def check_empty(connection: Connection) -> None:
    """Refuse a SQLite file of another program; a server's database may be shared."""
    tables = inspect(connection).get_table_names()
    if connection.dialect.name == "sqlite" and tables and HEAD.name not in tables:
        raise InvalidInput(
            f"this database belongs to another program: it has the tables {', '.join(tables)}; "
            "choose another file for the store"
        )


def prepare(connection: Connection) -> None:
    """Create the tables, or upgrade those of an older version."""
    if not is_prepared(connection):
        METADATA.create_all(connection)
        connection.execute(insert(HEAD).values(id=1, seq=0, schema=schema_version()))
        return
    found = connection.execute(select(HEAD.c.schema)).scalar_one()
    check_version(found)
    for step in UPGRADES[found - 1 :]:
        step(connection)
    if found < schema_version():
        connection.execute(update(HEAD).values(schema=schema_version()))
