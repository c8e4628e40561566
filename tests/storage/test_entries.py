"""The record is one sequence, read in the order it was written."""

from maxin.core import Match
from maxin.storage import PlayedMatch
from tests.helpers.stores import add_two, write_match


def test_entries_come_back_in_the_order_they_were_written(store):
    def work(writer):
        written = [
            writer.player(0, "anna", "active", {"depth": 3}),
            writer.player(1, "bo", "active", {}),
            writer.ask(1, Match(0, 1), 7, "me", lease=60.0),
            writer.request(1, 0),
            writer.tell(PlayedMatch(1, 0, 1, 0.25, games=(0.5, 0.0)), "me"),
            writer.ask(2, Match(1, 0), 8, "me", lease=60.0),
            writer.void(2, "it hung"),
            writer.player(1, "bo", "paused"),
        ]
        return written

    written = store.transact(work)
    assert list(store.entries()) == written
    assert [entry.seq for entry in written] == list(range(1, 9))
    assert list(store.entries(after=5)) == written[5:]


def test_long_records_are_read_in_pages(store, monkeypatch):
    monkeypatch.setattr("maxin.storage.entries.PAGE", 7)
    monkeypatch.setattr("maxin.storage.store.PAGE", 7)

    def work(writer):
        add_two(writer)
        for number in range(1, 31):
            write_match(writer, number, number / 31)

    store.transact(work)
    assert len(list(store.entries())) == 62
    assert [row.number for row in store.played()] == list(range(1, 31))
    assert store.transact(lambda writer: len(list(writer.entries(12)))) == 50
