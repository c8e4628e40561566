"""Is this version as fast as another one?

    .venv/bin/python benchmarks/versions.py OTHER/.venv/bin/python

Both interpreters run the same work in turn, several times, on one core. The table has the least
CPU time of each and the ratio, and says whether both gave the same numbers to the last bit. What
the first call costs is left out, except for whole commands: see `first_run.py`. `--only TEXT`
measures what has the text in its name.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

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


NAMES = [f"player {number}" for number in range(100)]
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # commands load compiled files


def score(seed: int) -> float:
    return float(seed % 2)


def matches(n_pending: int, n_rounds: int) -> Callable[[], object]:
    """Ask a tournament in a file for so many matches at a time, and report them."""
    from maxin.tournament import Tournament

    def play() -> object:
        with (
            tempfile.TemporaryDirectory() as folder,
            Tournament(NAMES, f"{folder}/league.db", seed=1) as tournament,
        ):
            tournament.tell(tournament.ask(), 1.0)
            play.start = time.process_time()
            for _ in range(n_rounds):
                if n_pending == 1:
                    ticket = tournament.ask()
                    tournament.tell(ticket, score(ticket.seed))
                else:
                    tickets = tournament.ask_many(n_pending)
                    tournament.tell_many([(ticket, score(ticket.seed)) for ticket in tickets])
            return [(row.first, row.second, row.score) for row in tournament.matches()]

    return play


def runs(workers: int, n_matches: int) -> Callable[[], object]:
    """Play a function with `Tournament.run`; with several workers the order is not fixed."""
    from maxin.tournament import Tournament

    def play() -> object:
        with (
            tempfile.TemporaryDirectory() as folder,
            Tournament(NAMES, f"{folder}/league.db", seed=1) as tournament,
        ):
            tournament.tell(tournament.ask(), 1.0)
            play.start = time.process_time()
            tournament.run(
                lambda first, second, seed: score(seed),
                workers=workers,
                budget=n_matches,
                confidence=None,
                progress=False,
            )
            rows = [(row.first, row.second, row.score) for row in tournament.matches()]
            return rows if workers == 1 else len(rows)

    return play


def resumes(n_results: int) -> Callable[[], object]:
    """Open a store with many results, and ask for a match."""
    from maxin.tournament import Tournament

    folder = tempfile.mkdtemp()
    rng = np.random.default_rng(0)
    with Tournament(NAMES, f"{folder}/league.db", seed=1) as tournament:
        pairs = [rng.choice(100, 2, replace=False) for _ in range(n_results)]
        tournament.add_results([(NAMES[i], NAMES[j], float(i > j)) for i, j in pairs])
        tournament.tell(tournament.ask(), 1.0)

    def play() -> object:
        copy = shutil.copytree(folder, f"{folder}-copy", dirs_exist_ok=True)
        play.start = time.process_time()
        with Tournament(store=f"{copy}/league.db") as tournament:
            return tournament.ask()[:4]

    return play


def commands(*words: str) -> Callable[[], object]:
    """A whole command on a stored tournament, with Python's own start."""
    folder = tempfile.mkdtemp()
    maxin = [sys.executable, "-m", "maxin"]
    players = [word for name in NAMES[:20] for word in ("--player", name)]

    def act(*given: str) -> None:
        subprocess.run([*maxin, *given], cwd=folder, check=True, capture_output=True)

    act("start", *players)
    for _ in range(2):
        act("ask")

    def play() -> object:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        act(*words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
        play.spent = user + system
        return None

    return play


def requests(n_pending: int, n_rounds: int) -> Callable[[], object]:
    """The CPU time of a service that is asked for matches and told their results."""

    def play() -> object:
        with tempfile.TemporaryDirectory() as folder:
            maxin, players = [sys.executable, "-m", "maxin"], []
            for name in NAMES:
                players += ["--player", name]
            subprocess.run([*maxin, "start", *players], cwd=folder, check=True, capture_output=True)
            flags = ["--port", "0", "--confidence", "none"]
            with subprocess.Popen(
                [*maxin, "serve", *flags], cwd=folder, stdout=subprocess.PIPE, text=True
            ) as server:
                try:
                    play.spent = _request(server, n_pending, n_rounds)
                finally:
                    server.terminate()
        return None

    return play


def _request(server: subprocess.Popen[str], n_pending: int, n_rounds: int) -> float:
    assert server.stdout is not None
    address = server.stdout.readline().partition("http://")[2].split()[0].rstrip("/,;")
    with closing(http.client.HTTPConnection(address)) as connection:

        def send(path: str, body: object) -> object:
            head = {"Content-Type": "application/json"}
            connection.request("POST", f"/api/v1{path}", json.dumps(body), head)
            return json.loads(connection.getresponse().read())

        def play() -> None:
            tickets = send("/matches", {"n": n_pending, "lease": 600})["tickets"]  # type: ignore[index]
            results = [{"match": one["match"], "score": score(one["seed"])} for one in tickets]
            if n_pending == 1:
                (result,) = results
                send(f"/matches/{result['match']}/result", {"score": result["score"]})
            else:
                send("/results", results)

        play()
        before = _cpu_seconds(server.pid)
        for _ in range(n_rounds):
            play()
        return _cpu_seconds(server.pid) - before


def _cpu_seconds(process: int) -> float:
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


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
    "ask and tell, 1 pending": (matches, (1, 500)),
    "ask and tell, 64 pending": (matches, (64, 10)),
    "run, 1 worker": (runs, (1, 500)),
    "run, 64 workers": (runs, (64, 500)),
    "resume, 5,000 results": (resumes, (5_000,)),
    "resume, 100,000 results": (resumes, (100_000,)),
    "service, 1 pending": (requests, (1, 500)),
    "service, 64 pending": (requests, (64, 10)),
    "maxin --version": (commands, ("--version",)),
    "maxin run --help": (commands, ("run", "--help")),
    "maxin ask": (commands, ("ask",)),
    "maxin tell": (commands, ("tell", "1", "1")),
    "maxin show": (commands, ("show",)),
}


def measured(name: str) -> None:
    """Print the CPU seconds of the faster of two runs, and a hash of what they gave."""
    make, arguments = WORK[name]
    work, best = make(*arguments), float("inf")
    for _ in range(2):
        work.start = time.process_time()  # type: ignore[attr-defined]
        found = work()
        spent = time.process_time() - work.start  # type: ignore[attr-defined]
        best = min(best, getattr(work, "spent", spent))  # of another process, if it says so
    digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()
    print(json.dumps([best, digest]))


def main(other: str, only: str) -> None:
    rows = []
    for name in filter(lambda name: only in name, WORK):
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
    parser.add_argument("--only", default="", help="measure what has this text in its name")
    given = parser.parse_args()
    if given.measure is not None:
        measured(given.measure)
    elif given.other is None or shutil.which(given.other) is None:
        parser.error(f"give the interpreter of the other version; got {given.other!r}")
    else:
        main(given.other, given.only)
