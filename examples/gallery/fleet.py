"""A fleet: two machines play one tournament over HTTP, and one of them is killed.

Which of 30 strategies of Pig is best? In this game of dice you roll until you hold, or lose the
turn to a 1; "hold-20" holds at 20 points. A service hands out matches of 400 games. Two machines,
here two processes with two workers each, play for it, each with a token of its own. After 50
matches one is killed without warning. The other plays on; it would get the matches of the dead one
when their leases end, after a minute. No result is lost or counted twice: the record is verified.

Run `python examples/gallery/fleet.py`. It needs the extra `web`.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import maxin

STRATEGIES = [maxin.Entrant(f"hold-{points}", {"points": points}) for points in range(5, 35)]
GAMES, GOAL = 400, 100
STORE = "sqlite:///fleet.db"
MAXIN = [sys.executable, "-m", "maxin"]


def turn(hold, rng):
    points = 0
    while points < hold:
        roll = int(rng.random() * 6) + 1
        if roll == 1:
            return 0
        points += roll
    return points


def play(first: maxin.Entrant, second: maxin.Entrant, seed: int):
    """The first player's share of the games; both begin equally often."""
    rng, won = random.Random(seed), 0
    holds = [first.options["points"], second.options["points"]]
    for game in range(GAMES):
        points, mover = [0, 0], game % 2
        while max(points) < GOAL:
            points[mover] += turn(min(holds[mover], GOAL - points[mover]), rng)
            mover = 1 - mover
        won += points[0] >= GOAL
    return won / GAMES


def machine(url, name):
    """A process that plays for the service, as another machine would."""
    add = [*MAXIN, "token", "add", "worker", name, "--store", STORE]
    token = subprocess.run(add, capture_output=True, text=True, check=True).stdout.strip()
    command = [*MAXIN, "work", url, "--call", "fleet:play", "--workers", "2"]
    found = {**os.environ, "MAXIN_TOKEN": token}
    return subprocess.Popen(
        command, env=found, cwd=Path(__file__).parent, stdout=subprocess.DEVNULL
    )


if __name__ == "__main__":
    maxin.Tournament(STRATEGIES, STORE, features=["points"], seed=1).close()
    serve = [*MAXIN, "serve", STORE, "--port", "0"]
    serve += ["--budget", sys.argv[1]] if sys.argv[1:] else []
    service = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
    url = service.stdout.readline().split()[-1]
    lost, other = machine(url, "machine-1"), machine(url, "machine-2")
    with maxin.Client(url) as client:
        while sum(row.matches for row in client.leaderboard()) < 2 * 50 and other.poll() is None:
            time.sleep(0.1)
    lost.kill()
    other.wait()
    service.send_signal(signal.SIGINT)
    service.communicate()
    tournament = maxin.Tournament(store=STORE)
    print(tournament.overview())
    print("matches by worker:", dict(Counter(match.worker for match in tournament.matches())))
    print("problems of the record:", tournament.verify().problems)
