"""How much CPU time does a whole process take: `import maxin`, a command, a first answer?

The first run compiles the kernels and caches them beside the package; later runs load them.
Other work on the machine changes CPU time far less than it changes the time on the clock.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

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
    tournament.add_results([(f"p{{i}}", f"p{{(7 * i + k) % {n_players}}}", float(k % 2))
                            for i in range({n_players}) for k in (1, 2, 4, 5)
                            if (7 * i + k) % {n_players} != i])
"""


def cpu_seconds(code: str, repeats: int = 5, **environment: str) -> float:
    """The CPU time, user and system, of a process that runs `code`: the least of some repeats."""
    best = float("inf")
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            env=os.environ | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, spent)
    return best


def command(*words: str) -> str:
    """Code that calls the command line."""
    return f"import sys; sys.argv = {['maxin', *words]!r}; from maxin.cli import main; main()"


def league(n_players: int, folder: str) -> list[tuple[str, float]]:
    """The commands on a tournament of so many players with four matches each."""
    url = f"sqlite:///{folder}/{n_players}.db"
    cpu_seconds(LEAGUE.format(n_players=n_players, url=url), 1)
    asking = cpu_seconds(command("ask", "--store", url))
    telling = min(
        cpu_seconds(command("tell", str(number), "1", "--store", url), 1) for number in range(1, 6)
    )
    showing = cpu_seconds(command("show", "--store", url), 3)
    players = f"{n_players} players"
    return [
        (f"maxin tell, {players}", telling),
        (f"maxin ask, {players}", asking),
        (f"maxin show, {players}", showing),
    ]


def main() -> None:
    bare = cpu_seconds("pass")
    with tempfile.TemporaryDirectory() as empty:
        first, second = (cpu_seconds(ANSWER, 1, NUMBA_CACHE_DIR=empty) for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        commands = [row for n_players in (20, 200) for row in league(n_players, folder)]
    rows = []
    for name, duration in (
        ("python -c pass", bare),
        ("import numpy", cpu_seconds("import numpy")),
        ("import sqlalchemy", cpu_seconds("import sqlalchemy")),
        ("import numba", cpu_seconds("import numba")),
        ("import maxin", cpu_seconds("import maxin")),
        ("maxin --version", cpu_seconds(command("--version"))),
        ("maxin --help", cpu_seconds(command("--help"))),
        *commands,
        ("maxin plan 11", cpu_seconds(command("plan", "11"), 3)),
        ("first answer, nothing compiled", first),
        ("first answer, second run", second),
    ):
        rows.append([name, human(duration), f"{duration / bare:.1f} x"])
    show("CPU time of a process", ["what", "CPU time", "against bare Python"], rows)


if __name__ == "__main__":
    main()
