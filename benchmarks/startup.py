"""How much CPU time does a whole process take: `import maxin`, a command, a first answer?

The first run compiles the kernels and caches them beside the package; later runs load them. They
also load Python's own compiled files, whatever PYTHONDONTWRITEBYTECODE says here.
Other work on the machine changes CPU time far less than it changes the time on the clock.

The second table divides the time of each command among the libraries that it loads. What a library
loads is its own, unless it has a column; "work" is what is not loading. The number after a command
is how many players its tournament has, or how many rows its file.
"""

from __future__ import annotations

import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from common import human, show

ANSWER = """
import numpy as np
from maxin import Match, Result, make_scheduler
scheduler = make_scheduler("maxin", 10, np.random.default_rng(0))
for _ in range(20):
    scheduler.tell(Result(scheduler.ask(), 1.0))
"""
LEAGUE = """
from maxin import Tournament
with Tournament([f"p{{i}}" for i in range({n_players})], {url!r}) as tournament:
    tournament.add_results([(f"p{{i}}", f"p{{(i + k) % {n_players}}}", float(k % 2))
                            for i in range({n_players}) for k in range(1, 20)])
    for _ in range({repeats}):
        tournament.ask()
"""
LIBRARIES = ("maxin", "cyclopts", "rich", "sqlalchemy", "numpy", "scipy", "numba")
DIVIDED = f"""
import atexit, json, time
from collections import Counter
from importlib import _bootstrap

load, owners, spent, last = _bootstrap._find_and_load, ["work"], Counter(), time.process_time()
spent["python"] = last

def count():
    global last
    now = time.process_time()
    spent[owners[-1]] += now - last
    last = now

def timed(name, import_):
    count()
    library = name.partition(".")[0]
    inside = "python" if len(owners) == 1 else owners[-1]
    owners.append(library if library in {LIBRARIES} else inside)
    try:
        return load(name, import_)
    finally:
        count()
        owners.pop()

_bootstrap._find_and_load = timed
atexit.register(lambda: (count(), print("\\n" + json.dumps(spent))))
"""
COLUMNS = ("python", *LIBRARIES, "work")
REPEATS = 5
Timed = tuple[str, float | None, list[str]]  # a command's name, limit in seconds, and words


def process(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python, which may keep its compiled files."""
    kept = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}
    whole = [sys.executable, *arguments]
    return subprocess.run(whole, check=True, env=kept | environment, capture_output=True, text=True)


def cpu_seconds(code: str, repeats: int = REPEATS, **environment: str) -> float:
    """The CPU time, user and system, of a process that runs `code`: the least of some repeats."""
    best = float("inf")
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process(["-c", code], **environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, spent)
    return best


def command(*words: str) -> str:
    """Code that calls the command line."""
    return f"import sys; sys.argv = {['maxin', *words]!r}; from maxin.cli import main; main()"


def divided_seconds(code: str) -> dict[str, float]:
    """The CPU time of a process that runs `code`, by library."""
    found: dict[str, float] = json.loads(process(["-c", DIVIDED + code]).stdout.splitlines()[-1])
    return found


def league(n_players: int, folder: str) -> list[Timed]:
    """The commands on a tournament of so many players with 38 matches each."""
    url = f"sqlite:///{folder}/{n_players}.db"
    cpu_seconds(LEAGUE.format(n_players=n_players, url=url, repeats=REPEATS), 1)
    small = n_players == 20
    return [
        (f"tell, {n_players}", 0.5 if small else None, ["tell", "{number}", "1", "--store", url]),
        (f"ask, {n_players}", 0.6 if small else None, ["ask", "--store", url]),
        (f"show, {n_players}", 0.6 if small else None, ["show", "--store", url]),
    ]


def log(folder: str) -> str:
    """A file of 100,000 results between 100 players."""
    rng, path = random.Random(0), Path(folder, "log.csv")
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["first", "second", "score"])
        for _ in range(100_000):
            first, second = rng.sample(range(100), 2)
            rows.writerow([f"player-{first}", f"player-{second}", rng.randrange(3) / 2])
    return str(path)


def measured(timed: Timed) -> list[str]:
    """The row of a command in the second table, in milliseconds: the least of some repeats."""
    name, limit, words = timed
    runs = [
        divided_seconds(command(*(word.format(number=number) for word in words)))
        for number in range(1, REPEATS + 1)
    ]
    best = min(runs, key=lambda spent: sum(spent.values()))
    times = [sum(best.values()), limit, *(best.get(column, 0.0) for column in COLUMNS)]
    return [name, *("" if time is None else f"{1000 * time:.0f}" for time in times)]


def main() -> None:
    bare = cpu_seconds("pass")
    with tempfile.TemporaryDirectory() as empty:
        first, second = (cpu_seconds(ANSWER, 1, NUMBA_CACHE_DIR=empty) for _ in range(2))
    rows = []
    for name, duration in (
        ("python -c pass", bare),
        ("import numpy", cpu_seconds("import numpy")),
        ("import scipy.linalg", cpu_seconds("import scipy.linalg")),
        ("import sqlalchemy", cpu_seconds("import sqlalchemy")),
        ("import numba", cpu_seconds("import numba")),
        ("import maxin", cpu_seconds("import maxin")),
        ("maxin plan 11", cpu_seconds(command("plan", "11"), 3)),
        ("first answer, nothing compiled", first),
        ("first answer, second run", second),
    ):
        rows.append([name, human(duration), f"{duration / bare:.1f} x"])
    show("CPU time of a process", ["what", "CPU time", "against bare Python"], rows)
    with tempfile.TemporaryDirectory() as folder:
        commands: list[Timed] = [
            ("--version", None, ["--version"]),
            ("--help", 0.25, ["--help"]),
            ("run --help", 0.25, ["run", "--help"]),
            *league(20, folder),
            *league(200, folder),
            ("rank, 100k", 2.0, ["rank", log(folder)]),
        ]
        lines = [measured(timed) for timed in commands]
    header = ["maxin ...", "total", "limit", *COLUMNS]
    show("CPU time of a command, in milliseconds", header, lines)


if __name__ == "__main__":
    main()
