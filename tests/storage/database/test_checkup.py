"""A store examined from outside: what is found, and that nothing is changed."""

import os
import sqlite3
from contextlib import closing

import psycopg
import pytest

from maxin.storage import open_store
from maxin.storage.database.checkup import check_up
from maxin.storage.database.engine import parse_url
from maxin.storage.machine import CLOCK_SKEW
from maxin.storage.schema import schema_version
from tests.helpers.holders import with_settings
from tests.helpers.stores import add_two


@pytest.fixture
def file(tmp_path):
    """The URL of a store in a file."""
    return f"sqlite:///{tmp_path / 'league.db'}"


def made(url):
    """A store with two players."""
    with closing(open_store(url)) as store:
        store.transact(add_two)
    return parse_url(url)


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_store_in_a_file(file):
    found = check_up(made(file))
    assert found.database == f"SQLite {sqlite3.sqlite_version}"
    assert (found.store, found.schema, found.is_writable) == (file, schema_version(), True)
    assert (found.clock_ahead, found.problems) == (None, [])


def test_a_store_in_a_folder_that_is_missing(tmp_path):
    found = check_up(parse_url(tmp_path / "gone" / "league.db"))
    assert (found.database, found.is_writable) == ("", False)
    assert found.problems[0].startswith(
        f"no store at {tmp_path / 'gone' / 'league.db'}; `maxin run`"
    )


def test_a_file_without_a_tournament_is_left_as_it_is(tmp_path):
    path = tmp_path / "league.db"
    path.touch()
    (problem,) = check_up(parse_url(path)).problems
    assert problem.startswith(f"no tournament in sqlite:///{path}; ")
    assert (os.listdir(tmp_path), path.stat().st_size) == (["league.db"], 0)


@pytest.mark.parametrize(
    ("schema", "words"),
    [(schema_version() - 1, None), (99, "this store has schema 99, written by")],
)
def test_the_version_of_the_tables_is_named_and_stays(schema, words, file):
    address = made(file)
    change(address.database, f"UPDATE maxin_head SET schema = {schema}")
    found = check_up(address)
    assert found.schema == schema
    assert [words] * bool(words) == [problem[: len(words or "")] for problem in found.problems]
    with closing(sqlite3.connect(address.database)) as connection:
        assert connection.execute("SELECT schema FROM maxin_head").fetchall() == [(schema,)]


def test_damage_is_a_problem_and_the_rest_is_known(file):
    address = made(file)
    change(address.database, "DELETE FROM maxin_head")
    found = check_up(address)
    assert (found.is_writable, found.schema) == (True, None)
    assert "is damaged: the table maxin_head must have one row; it has 0" in found.problems[0]


def test_a_store_on_a_server(postgres_url):
    found = check_up(parse_url(postgres_url))
    assert found.database.startswith("PostgreSQL 1")
    assert (found.schema, found.is_writable) == (None, True)
    assert found.problems[0].startswith(f"no tournament in {postgres_url}; ")
    with psycopg.connect(postgres_url) as connection:  # nothing was created
        assert connection.execute("SELECT to_regclass('maxin_head')").fetchone() == (None,)

    found = check_up(made(postgres_url))
    assert (found.schema, found.is_writable, found.problems) == (schema_version(), True, [])
    assert abs(found.clock_ahead) < CLOCK_SKEW  # one machine has one clock


def test_a_server_that_takes_no_changes(postgres_url):
    made(postgres_url)
    url = with_settings(postgres_url, default_transaction_read_only="on")
    found = check_up(parse_url(url))
    assert (found.schema, found.is_writable) == (schema_version(), False)
    assert found.problems == [f"the store {found.store} cannot be written by this user"]


def test_a_user_who_may_only_read(postgres_url):
    made(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN PASSWORD 'hidden'")
        connection.execute("GRANT USAGE ON SCHEMA public TO reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    address = parse_url(postgres_url).set(username="reader", password="hidden")
    found = check_up(address)
    assert (found.schema, found.is_writable) == (schema_version(), False)
    (problem,) = found.problems
    assert problem == f"the store {found.store} cannot be written by this user"
    assert "hidden" not in problem
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP OWNED BY reader")
        connection.execute("DROP ROLE reader")


def test_a_wrong_clock(postgres_url):
    address = made(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as connection:  # a server an hour ahead
        connection.execute(
            "CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS "
            "$$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$"
        )
    url = with_settings(postgres_url, search_path="public,pg_catalog")
    found = check_up(parse_url(url))
    assert found.clock_ahead == pytest.approx(-3600.0, abs=CLOCK_SKEW)
    assert found.problems[0].startswith(
        f"the clock of this machine is 60 min behind that of {found.store}; leases do not depend"
    )
    assert check_up(address).problems == []
