"""What does a match cost besides playing it: asking, storing and reporting, through all layers?

What does it cost to start a command and to leave none of its processes behind?

How long does it take to open a long record again, and how much memory does it need?
`python benchmarks/tournament.py 100000 1000000` gives the lengths of the records in matches;
100,000 is the default.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import human, seconds, show

from maxin.core import Entrant, Match, Result
from maxin.runners import Command, Job
from maxin.runners.programs import strays
from maxin.runners.programs.environment import passed
from maxin.schedulers import make_scheduler
from maxin.storage import PlayedMatch, Writer, open_store
from maxin.tournament import Tournament

N_PLAYERS, N_MATCHES, N_COMMANDS, WORKERS = 100, 3_000, 200, 8
NAMES = [f"player {number}" for number in range(N_PLAYERS)]

OPENING = """
import resource, sys, time
from maxin.tournament import Tournament
start = time.perf_counter()
tournament = Tournament(store=sys.argv[1])
tournament.ask()
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def score(seed: int) -> float:
    return float(seed % 2)


def play(first: str, second: str, seed: int) -> float:
    return score(seed)


def scheduler_alone() -> float:
    def work() -> None:
        scheduler = make_scheduler("top-two", N_PLAYERS, np.random.default_rng(0))
        for number in range(N_MATCHES):
            match = scheduler.ask()
            assert match is not None
            scheduler.tell(Result(match, score(number)))

    return seconds(work)


def store_alone(url: str) -> float:
    """Two transactions per match, and nothing else."""
    store = open_store(url)

    def ask(writer: Writer) -> None:
        writer.ask(writer.seq // 2 + 1, Match(0, 1), 7, "me", 60.0)

    def tell(writer: Writer) -> None:
        writer.tell(PlayedMatch(writer.seq // 2 + 1, 0, 1, 1.0), "me")

    def work() -> None:
        for _ in range(N_MATCHES):
            store.transact(ask)
            store.transact(tell)

    taken = seconds(work, 1)
    store.close()
    return taken


def by_hand(url: str) -> float:
    with Tournament(NAMES, url) as tournament:

        def work() -> None:
            for _ in range(N_MATCHES):
                ticket = tournament.ask()
                assert ticket is not None
                tournament.tell(ticket, score(ticket.seed))

        return seconds(work, 1)


def run(url: str, workers: int, confidence: float | None) -> float:
    with Tournament(NAMES, url) as tournament:
        tournament.run(play, budget=100, confidence=confidence, workers=workers)
        start = time.perf_counter()
        tournament.run(play, budget=100 + N_MATCHES, confidence=confidence, workers=workers)
        return time.perf_counter() - start


def costs(folder: Path) -> None:
    urls = (f"sqlite:///{folder / f'{number}.db'}" for number in range(9))
    scheduler = scheduler_alone()
    rows = []
    for name, taken in (
        ("the scheduler alone, in memory", scheduler),
        ("the store alone, 2 transactions per match", store_alone(next(urls))),
        ("Tournament.ask and .tell by hand", by_hand(next(urls))),
        ("Tournament.run, 1 worker, a budget", run(next(urls), 1, None)),
        ("Tournament.run, 8 workers, a budget", run(next(urls), WORKERS, None)),
        ("Tournament.run, 8 workers, and the stop checked", run(next(urls), WORKERS, 0.999)),
    ):
        each = taken / N_MATCHES
        rows.append([name, human(each), f"{1 / each:,.0f}", f"{taken / scheduler:.1f} x"])
    show(
        f"A match of {N_PLAYERS} players on SQLite, every commit on disk",
        ["what", "per match", "matches per second", "relative"],
        rows,
    )


def commands() -> None:
    runner, job = Command("echo 1"), Job(1, Entrant("anna"), Entrant("bo"), seed=0)
    environment = strays.marked(passed(()))
    no_group = 2**30  # larger than the number of any process

    def cleaning() -> None:
        strays.marked(passed(()))
        strays.end(environment, no_group)

    rows = []
    for name, work in (("`echo 1` as a match", lambda: runner.play(job)), ("cleaning", cleaning)):
        each = seconds(lambda work=work: [work() for _ in range(N_COMMANDS)]) / N_COMMANDS
        rows.append([name, human(each)])
    show("A match by a command, and the part that cleaning takes", ["what", "per match"], rows)


def fill(url: str, n_matches: int) -> None:
    """Make a record of `n_matches`, a thousand per transaction."""
    with Tournament(NAMES, url) as tournament:
        for _ in range(n_matches // 1000):
            tickets = tournament.ask_many(1000)
            tournament.tell_many([(ticket, score(ticket.seed)) for ticket in tickets])


def opened(url: str) -> tuple[float, float]:
    """Seconds and megabytes until a new process has its next ticket, without its imports."""
    done = subprocess.run(
        [sys.executable, "-c", OPENING, url], check=True, capture_output=True, text=True
    )
    taken, memory = map(float, done.stdout.split())
    return taken, memory


def resuming(folder: Path, lengths: list[int]) -> None:
    rows = []
    for length in lengths:
        path = folder / f"long-{length}.db"
        url = f"sqlite:///{path}"
        fill(url, length)
        opened(url)  # the first one loads
        quick, memory = opened(url)
        rows.append(
            [
                f"{length:,}",
                human(quick),
                f"{memory:.0f} MB",
                f"{path.stat().st_size / 2**20:.0f} MB",
            ]
        )
    show(
        f"Opening a record of {N_PLAYERS} players again, until the next ticket",
        ["matches", "seconds", "memory", "file"],
        rows,
    )


def main() -> None:
    lengths = [int(word) for word in sys.argv[1:]] or [100_000]
    with tempfile.TemporaryDirectory() as folder:
        costs(Path(folder))
        commands()
        resuming(Path(folder), lengths)


if __name__ == "__main__":
    main()
