"""How many matches per second does each runner play, if a match itself takes no time?

All runners are measured in turn, three times, and the best of the three counts. Dask and Ray are
left out if they are not installed. `python benchmarks/runners.py` prints the table; `--write` also
puts it into docs/reference/speed.md.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, closing
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from common import markdown, show, write_measured

from maxin.core import Entrant
from maxin.runners import EventLoop, Futures, Job, Processes, Ray, Runner, Threads
from maxin.tournament import Tournament

SECONDS, ROUNDS, N_WORKERS, DELAY = 2.0, 3, 2, 0.1
PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "speed.md"
JOB = Job(1, Entrant("anna"), Entrant("bo"), seed=7)
HEADER = ["runner", "pending", "matches per second", "relative"]


def play(first: str, second: str, seed: int) -> float:
    return float(seed % 2)


async def judge(first: str, second: str, seed: int) -> float:
    return float(seed % 2)


async def slow_judge(first: str, second: str, seed: int) -> float:
    await asyncio.sleep(DELAY)
    return float(seed % 2)


class Row(NamedTuple):
    """A way to play, and how many matches are pending at a time."""

    name: str
    pending: int
    rate: Callable[[], float]


def played(runner: Runner, pending: int) -> float:
    """Matches per second, with one thread for each pending match, as in a run."""
    counts = [0] * pending
    begin = threading.Barrier(pending + 1)
    end = 0.0

    def work(place: int) -> None:
        begin.wait()
        while time.perf_counter() < end:
            runner.play(JOB)
            counts[place] += 1

    threads = [threading.Thread(target=work, args=(place,)) for place in range(pending)]
    for thread in threads:
        thread.start()
    began = time.perf_counter()
    end = began + SECONDS
    begin.wait()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - began)


def tournament_rate(folder: Path) -> float:
    """Matches per second of a whole run: choosing, storing and rating too."""
    names = [f"player {number}" for number in range(100)]
    budget = 1000
    store = f"sqlite:///{folder}/{time.perf_counter_ns()}.db"
    with Tournament(names, store) as tournament:
        tournament.run(play, budget=100, confidence=None, workers=8)
        began = time.perf_counter()
        tournament.run(play, budget=100 + budget, confidence=None, workers=8)
        return budget / (time.perf_counter() - began)


def rows(stack: ExitStack) -> list[Row]:
    """All runners, started; `stack` ends them."""
    made: list[Row] = []

    def add(name: str, runner: Runner, pending: int) -> None:
        stack.enter_context(closing(runner))
        runner.check([JOB.first, JOB.second])
        made.append(Row(name, pending, lambda: played(runner, pending)))

    context = get_context("spawn")
    threads = stack.enter_context(ThreadPoolExecutor(N_WORKERS))
    processes = stack.enter_context(ProcessPoolExecutor(N_WORKERS, context))
    add("`Processes`", Processes(play), N_WORKERS)
    add("`Threads`", Threads(play), N_WORKERS)
    add("`EventLoop`", EventLoop(judge, in_flight=500), 500)
    add("`EventLoop`, calls of 100 ms", EventLoop(slow_judge, in_flight=500), 500)
    add("`Futures`, threads", Futures(play, threads), N_WORKERS)
    add("`Futures`, processes", Futures(play, processes), N_WORKERS)
    if importlib.util.find_spec("distributed"):
        from distributed import Client, LocalCluster

        dask = LocalCluster(N_WORKERS, threads_per_worker=1, dashboard_address=None)
        client = stack.enter_context(Client(stack.enter_context(dask)))
        add("`Futures`, Dask", Futures(play, client.get_executor()), 64)
    if importlib.util.find_spec("ray"):
        import ray

        ray.init("local", num_cpus=2 * N_WORKERS, include_dashboard=False, log_to_driver=False)
        stack.callback(ray.shutdown)
        add("`Ray`, 1 match per call", Ray(play), N_WORKERS)
        add("`Ray`, up to 100 matches per call", Ray(play, batch=100), 100 * N_WORKERS)
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    made.append(
        Row("a whole run: `Threads`, 100 players, SQLite", 8, lambda: tournament_rate(folder))
    )
    return made


def main() -> None:
    with ExitStack() as stack:
        every = rows(stack)
        best = [0.0] * len(every)
        for _ in range(ROUNDS):
            best = [max(rate, row.rate()) for rate, row in zip(best, every, strict=True)]
    table = [
        [row.name, str(row.pending), f"{rate:,.0f}", f"{rate / best[0]:.2f} x"]
        for row, rate in zip(every, best, strict=True)
    ]
    load = os.getloadavg()[1]
    title = f"{N_WORKERS} workers on a machine with {os.cpu_count()} cores and a load of {load:.0f}"
    show(title, HEADER, [[cell.replace("`", "") for cell in row] for row in table])
    if "--write" in sys.argv[1:]:
        write_measured(PAGE, "runners.py", f"{title}:\n\n{markdown(HEADER, table)}")


if __name__ == "__main__":
    main()
