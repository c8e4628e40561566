"""An older schema is upgraded once and as a whole; a newer one is refused."""

import pytest
from sqlalchemy import text

from maxin.core import InvalidInput
from maxin.storage import PlayedMatch, open_store
from maxin.storage import schema as schema_module
from maxin.storage.schema import schema_version
from tests.helpers.inside import change_record
from tests.helpers.stores import add_two, write_match


def test_an_older_schema_is_upgraded_and_a_newer_one_refused(url, monkeypatch):
    if url == "sqlite://":
        pytest.skip("memory does not last")
    store = open_store(url)
    store.transact(lambda writer: write_match(writer, 1, 1.0))
    store.close()

    def add_a_column(connection):
        connection.execute(text("ALTER TABLE maxin_told ADD COLUMN referee TEXT"))

    with monkeypatch.context() as patch:
        patch.setattr(schema_module, "UPGRADES", [*schema_module.UPGRADES, add_a_column])
        store = open_store(url)
        assert [row.score for row in store.played()] == [1.0]
        store.transact(lambda writer: write_match(writer, 2, 0.5))
        store.close()
        open_store(url).close()  # once is enough
    with pytest.raises(
        InvalidInput, match=f"schema {schema_version() + 1}, written by a newer maxin"
    ):
        open_store(url)


def test_a_failed_upgrade_leaves_the_store_as_it_was(url, monkeypatch):
    if url == "sqlite://":
        pytest.skip("memory does not last")
    open_store(url).close()

    def halfway(connection):
        connection.execute(text("ALTER TABLE maxin_told ADD COLUMN referee TEXT"))
        raise RuntimeError("the lights went out")

    with monkeypatch.context() as patch:
        patch.setattr(schema_module, "UPGRADES", [*schema_module.UPGRADES, halfway])
        with pytest.raises(RuntimeError, match="the lights went out"):
            open_store(url)
    store = open_store(url)
    store.transact(lambda writer: write_match(writer, 1, 1.0))
    store.close()


def test_a_server_of_schema_2_allows_corrections_after_its_upgrade(postgres_url):
    store = open_store(postgres_url)
    store.transact(add_two)
    store.transact(lambda writer: write_match(writer, 1, 1.0))
    change_record(
        store,
        "DROP TABLE maxin_retracted",
        "DROP INDEX maxin_told_match, maxin_told_line",
        "ALTER TABLE maxin_told ADD UNIQUE (match)",
        "ALTER TABLE maxin_told ADD UNIQUE (source, line)",
        "ALTER TABLE maxin_head DROP COLUMN ahead",
        "UPDATE maxin_head SET schema = 2",
    )
    store.close()
    store = open_store(postgres_url)
    store.transact(lambda writer: writer.retract(writer.result_of(1), "typo", "me"))
    store.transact(lambda writer: writer.tell(PlayedMatch(1, 0, 1, 0.0), "me"))
    assert [row.score for row in store.played()] == [0.0]
    assert store.audit().problems == []
    store.close()
