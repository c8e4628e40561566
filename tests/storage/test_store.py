"""The store: what was written comes back, whoever wrote it; the same on both databases."""

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from maxin.core import Match
from maxin.storage import PlayedMatch, open_store
from maxin.storage import store as store_module
from maxin.storage.one_match import last_match, read_elsewhere, read_match
from maxin.storage.results import latest_results, results_after
from tests.helpers.processes import forked
from tests.helpers.stores import add_two, write_match
from tests.helpers.waiting import LONG


def test_results_come_back_with_everything_kept_with_them(store):
    ours = PlayedMatch(1, 0, 1, 0.5, (1.0, 0.0), ("slow",), {"plies": 12})
    elsewhere = PlayedMatch(None, 1, 0, 1.0, source="old.csv", line=3)

    def work(writer):
        writer.ask(1, Match(0, 1), 7, "me", lease=60.0)
        writer.ask(1, Match(0, 1), 7, "you", lease=60.0)  # handed out again
        writer.tell(ours, "you")
        writer.tell(elsewhere, "me")

    store.transact(work)
    rows = list(store.played())
    bare = [row._replace(seed=None, time=0.0, worker=None) for row in rows]
    assert bare == [ours, elsewhere]
    assert [row.seed for row in rows] == [7, None]
    assert [row.worker for row in rows] == ["you", "me"]


def test_a_player_is_as_of_its_latest_change(store):
    def work(writer):
        writer.player(0, "anna", "active", {"depth": 3})
        writer.player(1, "bo 'the' \"best\"; ✓", "active", {})
        writer.player(0, "anna", "retired")

    store.transact(work)
    assert [(row.name, row.state) for row in store.players()] == [
        ("anna", "retired"),
        ("bo 'the' \"best\"; ✓", "active"),
    ]
    assert store.players()[0].options == {"depth": 3}


def test_settings_and_events_come_back(store):
    store.transact(lambda writer: writer.set({"seed": 3, "match": None}))
    assert store.settings() == {"seed": 3, "match": None}
    store.transact(lambda writer: writer.event("failed", match=1, reason="it hung"))
    store.transact(lambda writer: writer.event("note"))
    assert [event.detail for event in store.events("failed")] == [{"reason": "it hung"}]
    assert [event.kind for event in store.events()] == ["settings", "failed", "note"]


def ask_and_tell(url, times):
    store = open_store(url)
    for _ in range(times):

        def work(writer):
            number = writer.seq // 2  # after two players
            write_match(writer, number, 1.0)

        store.transact(work)
    store.close()


def open_at_once(url, barrier):
    barrier.wait()
    open_store(url).close()


def test_many_processes_open_a_new_store_at_once(tmp_path):
    context = forked()
    barrier = context.Barrier(4)
    for number in range(2):
        url = f"sqlite:///{tmp_path}/{number}.db"
        openers = [context.Process(target=open_at_once, args=(url, barrier)) for _ in range(4)]
        for opener in openers:
            opener.start()
        for opener in openers:
            opener.join()
        assert [opener.exitcode for opener in openers] == [0] * 4


def test_processes_take_turns(url):
    if url == "sqlite://":
        pytest.skip("memory is not shared")
    with closing(open_store(url)) as store:
        store.transact(add_two)
    context = forked()
    workers = [context.Process(target=ask_and_tell, args=(url, 10)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    store = open_store(url)
    assert [entry.match for entry in store.entries() if entry.kind == "tell"] == list(range(1, 41))
    store.close()


def test_requests_and_seats_come_back(store):
    def work(writer):
        writer.ask(1, Match(0, 1), 7, "me", lease=60.0)
        writer.ask(2, Match(1, 0), 8, "me", lease=60.0)
        writer.request(2, 1)

    store.transact(work)
    assert store.seats([1, 2, 3]) == {1: Match(0, 1), 2: Match(1, 0)}
    assert [event.kind for event in store.events("request")] == ["request"]
    assert [event.kind for event in store.events()] == ["request"]


def test_one_match_comes_back_with_all_that_happened_to_it(store):
    def work(writer):
        add_two(writer)
        for worker in ("me", "you"):
            writer.ask(1, Match(1, 0), 7, worker, lease=60.0)
        writer.ask(2, Match(0, 1), 8, "me", lease=60.0)
        writer.event("failed", match=1, reason="it hung")
        writer.event("failed", match=2, reason="it crashed")
        first = writer.tell(PlayedMatch(1, 1, 0, 1.0), "you")
        writer.retract(first, "a typo", "an admin")
        writer.tell(PlayedMatch(1, 1, 0, 0.5), "you")
        writer.tell(PlayedMatch(None, 0, 1, 0.0, source="old.csv", line=3), "me")

    store.transact(work)
    match = read_match(store, 1)
    assert (match.number, match.players, match.seed) == (1, Match(1, 0), 7)
    assert [one.worker for one in match.handed_out] == ["me", "you"]
    assert [(one.played.score, one.played.seed) for one in match.results] == [(1.0, 7), (0.5, 7)]
    wrong, right = match.results
    assert (wrong.retraction.reason, wrong.retraction.worker) == ("a typo", "an admin")
    assert right.retraction is None
    assert [event.detail["reason"] for event in match.events] == ["it hung"]
    assert read_match(store, 2).results == []
    assert [read_match(store, number) for number in (0, 3, -1, 2**63)] == [None] * 4
    elsewhere = read_elsewhere(store, right.seq + 1)
    assert (elsewhere.number, elsewhere.players) == (None, Match(0, 1))
    assert [one.played.line for one in elsewhere.results] == [3]
    assert [read_elsewhere(store, seq) for seq in (right.seq, 0, 10**9)] == [None] * 3
    assert last_match(store) == 2


def test_a_store_that_is_dropped_closes_its_connection(connections):
    store = open_store("sqlite://")
    assert connections == [False]
    del store
    gc.collect()
    assert connections == [True]


def test_a_closed_store_that_is_read_again_closes_again(tmp_path, connections):
    store = open_store(f"sqlite:///{tmp_path / 'league.db'}")
    store.close()
    assert list(store.entries()) == []
    assert connections == [True, False]
    del store
    gc.collect()
    assert connections == [True, True]


FORK = """
import os, sys
from maxin.storage import open_store
store = open_store(sys.argv[1])
if not os.fork():
    del store  # the last of its references
    os._exit(0)
os.wait()
print(store.transact(lambda writer: writer.seq))
"""


def test_a_fork_leaves_the_connection_to_its_parent(url):
    done = subprocess.run([sys.executable, "-c", FORK, url], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def write_large(store, count, size):
    """Record results whose data have so many characters, the first of them in the first entry."""

    def work(writer):
        for number in range(count):
            data, errors = {"number": number, "log": "x" * size}, ("slow",)
            writer.tell(PlayedMatch(None, 0, 1, 1.0, (1.0,), errors, data), "me")

    store.transact(work)


def test_large_results_are_read_a_few_at_a_time(store, monkeypatch):
    write_large(store, 20, 1_000)
    found, is_whole = results_after(store, 2, 10, size=5_500)
    assert ([seq for seq, _ in found], is_whole) == ([3, 4, 5, 6, 7], False)
    assert found[0][1].data["number"] == 2
    found, is_whole = results_after(store, 2, 3, size=5_500)
    assert ([seq for seq, _ in found], is_whole) == ([3, 4, 5], True)
    found, is_whole = results_after(store, 2, 10, size=1)  # one is there however large it is
    assert ([seq for seq, _ in found], is_whole) == ([3], False)
    assert results_after(store, 20, 10, size=1) == ([], True)
    monkeypatch.setattr(store_module, "PAGE_SIZE", 3_000)
    assert [match.data["number"] for match in store.played()] == list(range(20))
    assert [data["number"] for data in store.result_data("number")] == list(range(20))


def test_lists_of_results_leave_out_what_programs_said(store):
    write_large(store, 3, 1_000)
    found = latest_results(store, 2)
    assert [seq for seq, _ in found] == [3, 2]
    assert {(one.score, one.games, one.errors, one.data) for _, one in found} == {
        (1.0, None, (), None)
    }


def test_what_takes_long_to_read_holds_up_no_other_thread(url):
    with closing(open_store(url)) as store:
        store.transact(add_two)
        with store.aside() as other, other.one_moment(), ThreadPoolExecutor() as pool:
            if store.is_in_memory:
                assert other is store
            else:
                assert pool.submit(store.seq).result(LONG) == 2
