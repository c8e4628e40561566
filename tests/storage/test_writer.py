"""One transaction: everything it adds is written, or nothing is."""

import pytest

from maxin.core import Match
from maxin.storage import PlayedMatch, StoreFailed
from maxin.storage.records import entry_of
from tests.helpers.stores import write_match


def test_nothing_is_written_when_the_work_fails(store):
    def work(writer):
        write_match(writer, 1, 1.0)
        writer.flush()
        raise RuntimeError("changed my mind")

    with pytest.raises(RuntimeError, match="changed my mind"):
        store.transact(work)
    assert list(store.entries()) == []
    assert store.transact(lambda writer: writer.seq) == 0


def test_a_match_has_the_result_that_stands(store):
    store.transact(lambda writer: write_match(writer, 1, 0.0))
    store.transact(lambda writer: writer.retract(writer.result_of(1), "wrong", "me"))
    assert store.transact(lambda writer: writer.handed_out(1))[:2] == (Match(0, 1), None)
    assert store.transact(lambda writer: writer.result_of(1)) is None
    store.transact(lambda writer: writer.tell(PlayedMatch(1, 0, 1, 1.0), "you"))
    assert store.transact(lambda writer: writer.handed_out(1))[:2] == (Match(0, 1), 1.0)
    assert store.transact(lambda writer: writer.handed_out(2)) is None


def test_a_result_is_retracted_once(store):
    store.transact(lambda writer: write_match(writer, 1, 0.0))
    result = store.transact(lambda writer: writer.result_of(1))
    store.transact(lambda writer: writer.retract(result, "wrong", "me"))
    with pytest.raises(StoreFailed):
        store.transact(lambda writer: writer.retract(result, "wrong", "me"))


def test_a_match_is_known_by_the_entry_that_handed_it_out(store):
    fences = []
    for match in (1, 1, 2):  # the first one twice
        store.transact(lambda writer, number=match: write_match(writer, number))
        fences.append((match, store.transact(lambda writer, number=match: writer.fence(number))))

    def is_known(match, fence):
        return store.transact(lambda writer: writer.handed_out(match).has(fence))

    assert [is_known(*one) for one in fences] == [True] * 3
    assert [entry_of(fence) for _, fence in fences] == [1, 2, 3]
    assert not is_known(2, fences[0][1])
    assert not is_known(1, "1-" + "0" * 16)
    assert not is_known(1, "99-" + "0" * 16)
    assert is_known(1, "1")  # an earlier version wrote the number of the entry alone


def test_a_record_is_followed_as_long_as_its_history_is_the_same(store):
    ends = []
    for match in (1, 2):
        store.transact(lambda writer, number=match: write_match(writer, number))
        ends.append(store.transact(lambda writer: (writer.seq, writer.digest)))
    for entry, digest in ends:
        found = [
            store.transact(lambda writer, end=(entry, one): writer.follows(*end))
            for one in (digest, "0" * 32)
        ]
        assert found == [True, False]
    assert not store.transact(lambda writer: writer.follows(ends[1][0] + 1, ends[1][1]))


def test_a_lease_lasts_until_its_match_has_a_result(store):
    store.transact(lambda writer: write_match(writer, 1))
    (lease,) = store.leases()
    assert (lease.match, lease.worker) == (1, "me")
    assert lease.until == pytest.approx(lease.since + 60.0)
    store.transact(lambda writer: writer.lease([1], "you", 5.0))
    assert [row.worker for row in store.leases()] == ["you"]
    store.transact(lambda writer: writer.tell(PlayedMatch(1, 0, 1, 1.0), "me"))
    assert store.leases() == []
