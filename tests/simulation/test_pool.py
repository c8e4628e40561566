"""The pool: the same numbers with any number of workers, which end with the process."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from maxin.core import Stop
from maxin.simulation.planned_tournament import PlannedTournament
from maxin.simulation.pool import TaskPool
from tests.helpers.waiting import wait_until

TASKS = [
    PlannedTournament(
        scheduler=name,
        number=number,
        n_players=5,
        strengths=None,
        spread=2.0,
        first_advantage=0.0,
        goal="best",
        stop=Stop(budget=40),
        seed=0,
    )
    for number in range(3)
    for name in ("top-two", "random")
]


def test_numbers_do_not_depend_on_workers():
    calls = []
    one, two = (
        TaskPool(workers, lambda *call: calls.append(call)).complete(f"{workers} workers", TASKS)
        for workers in (1, 2)
    )
    assert calls[0] == ("1 workers", 0, 6)
    assert ("1 workers", 6, 6) in calls
    assert calls[-1] == ("2 workers", 6, 6)
    assert one == two == {task: task.run() for task in TASKS}


def test_an_executor_gives_the_same_numbers_and_has_few_chunks_at_a_time():
    counts = []

    class Counting(ThreadPoolExecutor):
        def submit(self, function, /, *arguments):
            counts.append(self._work_queue.qsize())
            return super().submit(function, *arguments)

    with Counting(1) as executor:
        found = TaskPool(1, executor=executor).complete("tasks", TASKS)
        assert executor.submit(int).result() == 0  # it is the caller's, and still works
    assert found == {task: task.run() for task in TASKS}
    assert len(counts) > 4
    assert max(counts[:-1]) < 2


KILLED = """
import multiprocessing, os, signal
from maxin.simulation.pool import TaskPool
from tests.simulation.test_pool import TASKS

def report(name, done, total):
    if done:
        print(*(worker.pid for worker in multiprocessing.active_children()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    TaskPool(2, report).complete("tasks", TASKS)
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
