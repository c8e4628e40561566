"""How many seconds of CPU and how much memory does a tournament of many players take?

Each step is a process of its own, on one SQLite file: create the tournament, import results
between random players, resume and ask, and verify.
`python benchmarks/large_store.py --players 1000 10000 100000 --results 1000000` measures large
ones, which takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from common import human, show

from maxin.tournament import Tournament

Step = Callable[[str, int, int], float]


def create(url: str, n_players: int, n_results: int) -> float:
    names = [f"player {number}" for number in range(n_players)]
    start = time.process_time()
    with Tournament(names, url, seed=1):
        return time.process_time() - start


def add_results(url: str, n_players: int, n_results: int) -> float:
    rng = np.random.default_rng(0)
    first = rng.integers(n_players, size=n_results)
    second = (first + rng.integers(1, n_players, size=n_results)) % n_players
    scores = rng.integers(2, size=n_results)
    rows = [
        (f"player {i}", f"player {j}", float(score))
        for i, j, score in zip(first.tolist(), second.tolist(), scores.tolist(), strict=True)
    ]
    start = time.process_time()
    with Tournament(store=url) as tournament:
        tournament.add_results(rows, source="elsewhere")
        return time.process_time() - start


def resume(url: str, n_players: int, n_results: int) -> float:
    start = time.process_time()
    with Tournament(store=url) as tournament:
        tournament.ask()
        assert tournament.n_matches == n_results
        return time.process_time() - start


def verify(url: str, n_players: int, n_results: int) -> float:
    start = time.process_time()
    with Tournament(store=url) as tournament:
        assert not tournament.verify().problems
        return time.process_time() - start


STEPS: dict[str, Step] = {
    "create": create,
    "import": add_results,
    "resume and ask": resume,
    "verify": verify,
}


def measured(step: str, url: str, n_players: int, n_results: int) -> str:
    """Seconds of CPU and peak memory of a step in a process of its own."""
    command = [sys.executable, __file__, "--step", step, "--url", url]
    command += ["--players", str(n_players), "--results", str(n_results)]
    taken, peak = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    found = f"{human(taken)}, {peak:.0f} MB"
    print(f"{n_players:,} players, {step}: {found}", file=sys.stderr)
    return found


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--results", type=int, default=20_000)
    parser.add_argument("--step", choices=STEPS, help="do one step here, and print it as JSON")
    parser.add_argument("--url", default="sqlite://", help="the store of that step")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    if given.step is not None:
        taken = STEPS[given.step](given.url, given.players[0], given.results)
        print(json.dumps([taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
        return
    columns = []
    for n_players in given.players:
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{Path(folder) / 'large.db'}"
            columns.append([measured(step, url, n_players, given.results) for step in STEPS])
            size = sum(file.stat().st_size for file in Path(folder).iterdir())
            columns[-1].append(f"{size / 2**20:.0f} MB")
    rows = [list(row) for row in zip([*STEPS, "the store on disk"], *columns, strict=True)]
    header = ["step", *(f"{n_players:,} players" for n_players in given.players)]
    show(f"{given.results:,} results: seconds of CPU and peak memory", header, rows)


if __name__ == "__main__":
    main()
