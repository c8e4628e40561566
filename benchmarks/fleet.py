"""What does a store cost when many processes share it: matches per second, and the longest waits?

Each process asks and tells in turn by `Tournament.ask` and `tell`, in two transactions per match,
or runs as a worker, which tells and asks in one. Its matches take no time, so all of them are in
the way of each other. `python benchmarks/fleet.py 1 8 64` gives the numbers of processes.
PostgreSQL is measured if it is installed.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np
from common import human, show

from maxin.tournament import Tournament

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.helpers.postgres import NoServer, Server

NAMES = [f"player {number}" for number in range(10)]
SECONDS = 10.0
MATCHES_BEFORE = 4  # until everything is loaded
Part = list[float]  # what a process measures


def ask_and_tell(url: str, together: Barrier, out: Queue[Part]) -> None:
    """Ask and tell for a while; put the seconds of each ask into `out`."""
    waits = []
    with Tournament(store=url) as tournament:
        warm_up(tournament)
        together.wait()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            start = time.perf_counter()
            ticket = tournament.ask()
            assert ticket is not None
            waits.append(time.perf_counter() - start)
            tournament.tell(ticket, ticket.seed % 3 / 2)
    out.put(waits)


def work(url: str, together: Barrier, out: Queue[Part]) -> None:
    """Run as a worker; put the seconds between one match and the next into `out`."""
    waits: list[float] = []
    end, last = 0.0, 0.0

    def play(first: str, second: str, seed: int) -> float:
        nonlocal last
        waits.append(time.perf_counter() - last)
        if time.monotonic() > end:
            out.put(waits)
            out.close()
            out.join_thread()
            os._exit(0)  # as if killed: nobody waits for its last match
        last = time.perf_counter()
        return seed % 3 / 2

    with Tournament(store=url) as tournament:
        warm_up(tournament)
        together.wait()
        end, last = time.monotonic() + SECONDS, time.perf_counter()
        tournament.run(play, tolerance=0.0, confidence=0.999999)


def warm_up(tournament: Tournament) -> None:
    """Ask and tell until everything is loaded."""
    for _ in range(MATCHES_BEFORE):
        ticket = tournament.ask()
        assert ticket is not None
        tournament.tell(ticket, 0.5)


def measured(database: str, url: str, part: Callable[..., None], n_processes: int) -> list[str]:
    Tournament(NAMES, url, seed=1).close()
    context = multiprocessing.get_context("spawn")
    together, out = context.Barrier(n_processes), context.Queue()
    processes = [
        context.Process(target=part, args=(url, together, out)) for _ in range(n_processes)
    ]
    for process in processes:
        process.start()
    waits = np.concatenate([out.get() for _ in processes])
    for process in processes:
        process.join()
    kind = part.__name__.replace("_", " ")
    longest = human(float(np.quantile(waits, 0.99)))
    return [database, kind, str(n_processes), f"{len(waits) / SECONDS:,.0f}", longest]


def main() -> None:
    counts = [int(word) for word in sys.argv[1:]] or [1, 8, 64]
    cases = [(part, count) for part in (ask_and_tell, work) for count in counts]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for part, count in cases:
            url = f"sqlite:///{folder}/{part.__name__}-{count}.db"
            rows.append(measured("SQLite", url, part, count))
    try:
        server = Server()
    except NoServer as reason:
        print(reason)
    else:
        for part, count in cases:
            url = server.new_database(f"{part.__name__}_{count}")
            rows.append(measured("PostgreSQL", url, part, count))
        server.remove()
    show(
        f"Processes that share a tournament of {len(NAMES)} players",
        ["store", "each", "processes", "matches per second", "99 % wait less than"],
        rows,
    )


if __name__ == "__main__":
    main()
