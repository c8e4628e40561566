"""What does a store cost when many processes share it: matches per second, and the longest waits?

Each process asks and tells in turn, and its matches take no time. `python benchmarks/fleet.py 1 8
64` gives the numbers of processes. PostgreSQL is measured if it is installed.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
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


def take_part(url: str, together: Barrier, out: Queue[tuple[list[float], list[float]]]) -> None:
    """Ask and tell for a while; put the seconds of each into `out`."""
    asks, tells = [], []
    with Tournament(store=url) as tournament:
        for _ in range(3):  # load everything first
            ticket = tournament.ask()
            assert ticket is not None
            tournament.tell(ticket, 0.5)
        together.wait()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            start = time.perf_counter()
            ticket = tournament.ask()
            asked = time.perf_counter()
            assert ticket is not None
            tournament.tell(ticket, ticket.seed % 3 / 2)
            asks.append(asked - start)
            tells.append(time.perf_counter() - asked)
    out.put((asks, tells))


def measured(database: str, url: str, n_processes: int) -> list[str]:
    Tournament(NAMES, url, seed=1).close()
    context = multiprocessing.get_context("spawn")
    together, out = context.Barrier(n_processes), context.Queue()
    processes = [
        context.Process(target=take_part, args=(url, together, out)) for _ in range(n_processes)
    ]
    for process in processes:
        process.start()
    found = [out.get() for _ in processes]
    for process in processes:
        process.join()
    asks, tells = (np.concatenate([pair[place] for pair in found]) for place in (0, 1))
    waits = [human(float(np.quantile(times, 0.99))) for times in (asks, tells)]
    return [database, str(n_processes), f"{len(asks) / SECONDS:,.0f}", *waits]


def main() -> None:
    counts = [int(word) for word in sys.argv[1:]] or [1, 8, 64]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            rows.append(measured("SQLite", f"sqlite:///{folder}/{count}.db", count))
    try:
        server = Server()
    except NoServer as reason:
        print(reason)
    else:
        for count in counts:
            rows.append(measured("PostgreSQL", server.new_database(f"fleet_{count}"), count))
        server.remove()
    show(
        f"Processes that share a tournament of {len(NAMES)} players",
        ["store", "processes", "matches per second", "ask, 99 %", "tell, 99 %"],
        rows,
    )


if __name__ == "__main__":
    main()
