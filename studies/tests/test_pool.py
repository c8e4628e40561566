"""The pool that stores: the same numbers with any number of workers, and nothing is lost."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from maxin.core import UnknownName
from maxin_studies.archive import StoredPool
from maxin_studies.benchmarks.races import Race

FIELD = "field:n_players=5,spread=2"
TASKS = [Race(FIELD, "", name, 40, seed) for seed in range(3) for name in ("top-two", "random")]

CHUNK = 40  # rounds
SMALL = [Race(FIELD, "", "random", CHUNK, seed) for seed in range(6)]  # a chunk each


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(Race, "chunk_size", CHUNK)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_numbers_do_not_depend_on_workers_and_nothing_is_done_twice(tmp_path):
    calls = []
    one, two = (
        StoredPool(tmp_path / str(workers), workers, lambda *call: calls.append(call)).complete(
            f"{workers} workers", TASKS
        )
        for workers in (1, 2)
    )
    assert calls[0] == ("1 workers", 0, 240)
    assert ("1 workers", 240, 240) in calls
    assert calls[-1] == ("2 workers", 240, 240)
    assert all(same(one[task], two[task]) and same(one[task], task.run()) for task in TASKS)
    files = sorted((tmp_path / "1" / "races").iterdir())
    again = StoredPool(tmp_path / "1", 1).complete("again", TASKS)
    assert sorted((tmp_path / "1" / "races").iterdir()) == files
    assert all(same(one[task], again[task]) for task in TASKS)


def test_a_task_that_fails_elsewhere_keeps_what_is_done(tmp_path, small_chunks):
    with ThreadPoolExecutor(1) as executor:
        pool = StoredPool(tmp_path, 1, executor=executor)
        with pytest.raises(UnknownName):
            pool.complete("tasks", [*SMALL, Race(FIELD, "", "no-such-scheduler", 40, 0)])
    calls = []
    StoredPool(tmp_path, 1, lambda *call: calls.append(call)).complete("tasks", SMALL)
    assert calls[0][1] > 0


def test_an_exception_keeps_what_is_done_and_ends_the_workers(tmp_path):
    def fail(name, done, total):
        if done:
            raise KeyboardInterrupt

    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt):
        StoredPool(tmp_path, 2, fail).complete("tasks", TASKS)
    assert set(multiprocessing.active_children()) <= before
    calls = []
    StoredPool(tmp_path, 1, lambda *call: calls.append(call)).complete("tasks", TASKS)
    assert calls[0][1] > 0
