"""The pool: the same numbers with any number of workers, and nothing is done twice or lost."""

import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from maxin.core import UnknownName
from maxin.experiments.benchmarks.races import Race
from maxin.experiments.pool import TaskPool
from tests.helpers.waiting import wait_until

pytest.importorskip("pyarrow", reason="the extra 'paper' is not installed")

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
        TaskPool(tmp_path / str(workers), workers, lambda *call: calls.append(call)).complete(
            f"{workers} workers", TASKS
        )
        for workers in (1, 2)
    )
    assert calls[0] == ("1 workers", 0, 240)
    assert ("1 workers", 240, 240) in calls
    assert calls[-1] == ("2 workers", 240, 240)
    assert all(same(one[task], two[task]) and same(one[task], task.run()) for task in TASKS)
    files = sorted((tmp_path / "1" / "races").iterdir())
    again = TaskPool(tmp_path / "1", 1).complete("again", TASKS)
    assert sorted((tmp_path / "1" / "races").iterdir()) == files
    assert all(same(one[task], again[task]) for task in TASKS)


def test_an_executor_gives_the_same_numbers_and_has_few_chunks_at_a_time(small_chunks):
    counts = []

    class Counting(ThreadPoolExecutor):
        def submit(self, function, /, *arguments):
            counts.append(self._work_queue.qsize())
            return super().submit(function, *arguments)

    with Counting(1) as executor:
        found = TaskPool(None, 1, executor=executor).complete("tasks", SMALL)
        assert executor.submit(int).result() == 0  # it is the caller's, and still works
    assert all(same(found[task], task.run()) for task in SMALL)
    assert len(counts) > 4
    assert max(counts[:-1]) < 2


def test_a_task_that_fails_elsewhere_keeps_what_is_done(tmp_path, small_chunks):
    with ThreadPoolExecutor(1) as executor:
        pool = TaskPool(tmp_path, 1, executor=executor)
        with pytest.raises(UnknownName):
            pool.complete("tasks", [*SMALL, Race(FIELD, "", "no-such-scheduler", 40, 0)])
    calls = []
    TaskPool(tmp_path, 1, lambda *call: calls.append(call)).complete("tasks", SMALL)
    assert calls[0][1] > 0


def test_without_a_folder_nothing_is_stored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(TaskPool(None, 1).complete("tasks", TASKS)) == len(TASKS)
    assert not list(tmp_path.iterdir())


def test_an_exception_keeps_what_is_done_and_ends_the_workers(tmp_path):
    def fail(name, done, total):
        if done:
            raise KeyboardInterrupt

    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt):
        TaskPool(tmp_path, 2, fail).complete("tasks", TASKS)
    assert set(multiprocessing.active_children()) <= before
    calls = []
    TaskPool(tmp_path, 1, lambda *call: calls.append(call)).complete("tasks", TASKS)
    assert calls[0][1] > 0


KILLED = """
import multiprocessing, os, signal
from maxin.experiments.pool import TaskPool
from tests.experiments.test_pool import TASKS

def report(name, done, total):
    if done:
        print(*(worker.pid for worker in multiprocessing.active_children()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    TaskPool(None, 2, report).complete("tasks", TASKS)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_workers_end_with_a_process_that_is_killed(tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    root = Path(__file__).parents[2]
    with (tmp_path / "pids").open("w") as file:  # a pipe would stay open as long as a worker lives
        environment = os.environ | {"PYTHONPATH": str(root)}
        done = subprocess.run([sys.executable, script], stdout=file, env=environment)
    pids = (tmp_path / "pids").read_text().split()
    assert done.returncode == -signal.SIGKILL
    assert pids
    wait_until(lambda: not any(is_running(pid) for pid in pids))


def is_running(pid):
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
