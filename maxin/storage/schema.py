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
    insert,
    inspect,
    select,
    update,
)

from maxin.core import InvalidInput

METADATA = MetaData()
SEQ = BigInteger().with_variant(Integer, "sqlite")  # SQLite's own row number

HEAD = Table(  # one row: the lock of all writers, and the last number given out
    "maxin_head",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("schema", Integer, nullable=False),
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
    UniqueConstraint("match"),
    UniqueConstraint("source", "line"),
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
)
LEASES = Table(  # not part of the record: who is playing what at the moment
    "maxin_leases",
    METADATA,
    Column("match", BigInteger, primary_key=True, autoincrement=False),
    Column("worker", Text, nullable=False),
    Column("since", Float(53), nullable=False),
    Column("until", Float(53), nullable=False),
)
SNAPSHOTS = Table(  # not part of the record: what was derived from it up to `seq`
    "maxin_snapshots",
    METADATA,
    Column("seq", SEQ, primary_key=True, autoincrement=False),
    Column("fingerprint", Text, nullable=False),
    Column("state", LargeBinary, nullable=False),
)

REQUEST = "demand"  # the kind of a requested match, as the first stores have it

Upgrade = Callable[[Connection], None]
UPGRADES: list[Upgrade] = []  # UPGRADES[v - 1] takes a store of version v to version v + 1


def schema_version() -> int:
    """The version that this package writes."""
    return len(UPGRADES) + 1


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
    if found > schema_version():
        raise InvalidInput(
            f"this store has schema {found}, written by a newer maxin; "
            f"this one reads up to schema {schema_version()}: upgrade the package"
        )
    for step in UPGRADES[found - 1 :]:
        step(connection)
    if found < schema_version():
        connection.execute(update(HEAD).values(schema=schema_version()))
