"""Connections: which URLs are stores, how SQLite is set up, and what errors say."""

import os
import sqlite3

import pytest

from maxin.core import InvalidInput
from maxin.storage import StoreFailed, open_store
from maxin.storage.database.engine import parse_url
from tests.helpers.inside import value_of


def test_sqlite_writes_ahead_and_to_disk(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'league.db'}")
    names = ("journal_mode", "synchronous", "busy_timeout")
    pragmas = {name: value_of(store, f"PRAGMA {name}") for name in names}
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 1_000}
    store.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "league",
            "a store must be a URL such as sqlite:///league.db .*, or a file such as league.db;",
        ),
        ("mysql://host/name", "a store must be sqlite or postgresql; got 'mysql'"),
        ("sqlite:///league.db?plugin=os", "must have no plugin"),
        ("postgresql://host:port/name", "a store must be a URL"),
        ("postgresql+nosuch://", r"must be sqlite or postgresql; got 'postgresql\+nosuch'"),
        ("postgresql+asyncpg://host/name", "must be sqlite or postgresql"),
        ("sqlite+foo:///x", r"must be sqlite or postgresql; got 'sqlite\+foo'"),
        ("sqlite:///x.db?timeout=x", "must have no options; got timeout in"),
        ("sqlite:///x.db?mode=ro", "must have no options; got mode in"),
        ("sqlite:///file:x.db?mode=memory&uri=true", "must have no options; got mode, uri in"),
        ("sqlite://host/x.db", "names a file after three slashes"),
        ("sqlite:///a\0b", r"must have no control characters; got 'a\\x00b'"),
        ("sqlite:///\ud800.db", "must have no control characters"),
        (f"sqlite:///{'a' * 300}", "File name too long"),
        ("sqlite:////no/such/folder/league.db", "no folder /no/such/folder"),
    ],
)
def test_an_invalid_url_is_refused(url, message):
    with pytest.raises(InvalidInput, match=message):
        open_store(url)


def test_a_store_that_must_exist_is_not_created(tmp_path):
    with pytest.raises(InvalidInput, match=r"no store at .*league\.db"):
        open_store(f"sqlite:///{tmp_path / 'league.db'}", create=False)
    sqlite3.connect(tmp_path / "other.db").close()
    (tmp_path / "other.db").touch()
    with pytest.raises(InvalidInput, match="no tournament in"):
        open_store(f"sqlite:///{tmp_path / 'other.db'}", create=False)


def test_a_file_of_another_program_is_refused(tmp_path, connections):
    (tmp_path / "notes.txt").write_text("not a database at all, but long enough to be read\n" * 99)
    with pytest.raises(StoreFailed, match="is it a file of another program"):
        open_store(f"sqlite:///{tmp_path / 'notes.txt'}")
    assert connections == [True]


def test_passwords_are_not_shown():
    url = parse_url("postgresql://anna:secret@host/league")
    assert url.drivername == "postgresql+psycopg"
    with pytest.raises(StoreFailed) as caught:
        open_store("postgresql://anna:secret@127.0.0.1:1/league")
    shown = "postgresql://anna:***@127.0.0.1:1/league"
    assert str(caught.value) == f"the store {shown} cannot be reached: Connection refused"


def test_another_programs_database_is_refused(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cats (name TEXT)")
    connection.close()
    with pytest.raises(InvalidInput, match="belongs to another program: it has the tables cats"):
        open_store(f"sqlite:///{path}")


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_another_programs_database_is_left_as_it_is(tmp_path, mode, create):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("CREATE TABLE cats (name TEXT)")
    connection.close()
    os.utime(path, (1, 1))
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="belongs to another program"):
        open_store(f"sqlite:///{path}", create=create)
    assert path.read_bytes() == before
    assert path.stat().st_mtime == 1
    assert [found.name for found in tmp_path.iterdir()] == ["other.db"]
