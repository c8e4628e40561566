"""Is this version as fast as another one?

    .venv/bin/python benchmarks/versions.py OTHER/.venv/bin/python

Both interpreters run the same work in turn, several times, on one core. The table has the least
CPU time of each and the ratio, and says whether both gave the same numbers to the last bit. What
the first call costs is left out: see `first_run.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

from common import human, show  # isort: skip  (sets one core before NumPy)

import numpy as np

TURNS = 3


def rounds(text: str, n_players: int, n_rounds: int, flight: int = 1) -> Callable[[], object]:
    """Ask and tell, after a tenth of the rounds; each call plays all rounds and times the rest."""
    from maxin.core import Result
    from maxin.schedulers import make_scheduler

    rng = np.random.default_rng(0)
    strengths, luck = rng.normal(0.0, 1.0, n_players), rng.random(2 * n_rounds)

    def play() -> object:
        scheduler, flying, met = make_scheduler(text, n_players, np.random.default_rng(1)), [], []
        for k in range(n_rounds):
            if k == n_rounds // 10:
                play.start = time.process_time()
            match = scheduler.ask()
            if match is not None:
                flying.append(match)
            if len(flying) >= flight or match is None:
                first, second = flying.pop(0)
                chance = 1.0 / (1.0 + np.exp(strengths[second] - strengths[first]))
                scheduler.tell(Result((first, second), float(luck[k] < chance)))
                met.append((first, second))
        return met, scheduler.ratings().tolist()

    return play


def fits(n_players: int, n_matches: int) -> Callable[[], object]:
    """The Bradley-Terry fit of a log, with the covariance of five players."""
    from maxin.ratings import Pairs, fit_bradley_terry

    rng = np.random.default_rng(0)
    first = rng.integers(n_players, size=n_matches)
    second = (first + rng.integers(1, n_players, size=n_matches)) % n_players
    scores = (rng.random(n_matches) < 0.5 + 0.3 * np.sign(second - first)).astype(float)

    def fit() -> object:
        found = fit_bradley_terry(Pairs.of_log(first, second, scores, n_players=n_players))
        return found.ratings.tolist(), found.covariance_of([0, 1, 2, 3, 4]).tolist()

    return fit


def posterior_fits(n_players: int, n_matches: int) -> Callable[[], object]:
    """The settled posterior of a crosstable, and its covariance."""
    from maxin.ratings import Posterior

    rng = np.random.default_rng(0)
    table = np.zeros((n_players, n_players))
    for _ in range(n_matches):
        i, j = rng.choice(n_players, 2, replace=False)
        table[min(i, j), max(i, j)] += 1.0

    def fit() -> object:
        posterior = Posterior(n_players)
        posterior.fit(table)
        return posterior.ratings().tolist(), posterior.covariance()[0].tolist()

    return fit


def connect_four() -> Callable[[], object]:
    """Games of connect four between players who judge moves."""
    from maxin.games import make_game

    return lambda: make_game("connect-four:n_players=20", np.random.default_rng(0)).payoffs.tolist()


WORK: dict[str, tuple[Callable[..., Callable[[], object]], tuple[object, ...]]] = {
    "maxin, 100 players": (rounds, ("maxin", 100, 1_500)),
    "maxin, 1,000": (rounds, ("maxin", 1_000, 2_500)),
    "maxin+melo, 100": (rounds, ("maxin+melo", 100, 1_500)),
    "maxinp, 100": (rounds, ("maxinp", 100, 1_500)),
    "top-two, 20": (rounds, ("top-two", 20, 600)),
    "top-two, 100": (rounds, ("top-two", 100, 1_000)),
    "top-two, 300": (rounds, ("top-two", 300, 1_000)),
    "top-two, 1,000": (rounds, ("top-two", 1_000, 1_000)),
    "top-two, 100, 64 in flight": (rounds, ("top-two", 100, 700, 64)),
    "ranking, 30": (rounds, ("ranking", 30, 400)),
    "swiss-information, 30": (rounds, ("swiss-information", 30, 400)),
    "sieve, 10,000": (rounds, ("top-two", 10_000, 20_000)),
    "Bradley-Terry, 100": (fits, (100, 100_000)),
    "Bradley-Terry, 1,000": (fits, (1_000, 1_000_000)),
    "posterior, 300": (posterior_fits, (300, 6_000)),
    "connect four": (connect_four, ()),
}


def measured(name: str) -> None:
    """Print the CPU seconds of the faster of two runs, and a hash of what they gave."""
    make, arguments = WORK[name]
    work, best = make(*arguments), float("inf")
    for _ in range(2):
        work.start = time.process_time()  # type: ignore[attr-defined]
        found = work()
        best = min(best, time.process_time() - work.start)  # type: ignore[attr-defined]
    digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()
    print(json.dumps([best, digest]))


def main(other: str) -> None:
    rows = []
    for name in WORK:
        times: dict[str, list[float]] = {sys.executable: [], other: []}
        hashes = set()
        for python in [sys.executable, other] * TURNS:
            done = subprocess.run(
                [python, __file__, "--measure", name], capture_output=True, text=True, check=True
            )
            spent, digest = json.loads(done.stdout.splitlines()[-1])
            times[python].append(spent)
            hashes.add(digest)
        ours, theirs = min(times[sys.executable]), min(times[other])
        same = "yes" if len(hashes) == 1 else "no"
        rows.append([name, human(theirs), human(ours), f"{ours / theirs:.2f}", same])
        print(*rows[-1], sep="  ", file=sys.stderr)
    show("CPU time of the same work", ["", "other", "this", "ratio", "same bits"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="?", help="the interpreter of the other version")
    parser.add_argument("--measure", choices=WORK, help="do one piece of work, here")
    given = parser.parse_args()
    if given.measure is not None:
        measured(given.measure)
    elif given.other is None or shutil.which(given.other) is None:
        parser.error(f"give the interpreter of the other version; got {given.other!r}")
    else:
        main(given.other)
