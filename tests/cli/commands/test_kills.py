"""`maxin run` killed without warning, again and again, with the clock moved: nothing is lost."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from maxin.tournament import Tournament
from tests.helpers.waiting import wait_until

NAMES = [f"player {number}" for number in range(8)]
PLAY = """
import os, sys, time
first, second, seed = sys.argv[1:]
with open(os.environ["JOURNAL"], "a") as journal:
    journal.write(os.environ["MAXIN_MATCH"] + "\\n")
time.sleep(int(seed) % 5 / 100)
print(int(seed) % 3 / 2)
"""


class League:
    """A tournament of small real commands, run in pieces."""

    def __init__(self, folder):
        self.folder = folder
        self.url = f"sqlite:///{folder / 'league.db'}"
        self.stream = folder / "stream"
        (folder / "play.py").write_text(PLAY)

    def start(self, budget, *before):
        script = [sys.executable, "-S", "-E", str(self.folder / "play.py")]
        command = [
            *before, sys.executable, "-m", "maxin", "run", "--store", self.url, "--json",
            "--budget", str(budget), "--confidence", "none", "--workers", "4", "--seed", "3",
            "--scheduler", "maxinp", "--env", "JOURNAL",
            "--command", " ".join([*script, "{a} {b} {seed}"]),
            *(word for name in NAMES for word in ("--player", name)),
        ]  # fmt: skip
        with self.stream.open("ab") as stream:
            return subprocess.Popen(
                command,
                stdout=stream,
                stderr=subprocess.PIPE,
                cwd=self.folder,
                start_new_session=True,
                env={**os.environ, "JOURNAL": str(self.folder / "journal")},
            )

    def reported(self):
        """Match and score of every result that the stream reports, whatever was killed."""
        found = []
        for line in self.stream.read_text().splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue  # the kill came in the middle of a line
            if event.get("event") == "told":
                found.append((event["match"], event["score"]))
        return found

    def finish(self, budget, *before):
        running = self.start(budget, *before)
        _, errors = running.communicate(timeout=120)
        assert running.returncode == 0, errors.decode()


def kill_group(running):
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()


def kill_alone(running):
    """Kill the command and nothing that it started."""
    running.kill()
    running.communicate()


def killed_again_and_again(league, n_kills, *, clocks=((),), seed=0, kill=kill_group, n_runs=1):
    """Kill at random moments, early and late; then let it finish and look at what is there.

    With several runs in the store at a time, all of them are killed. Clocks take turns.
    """
    rng = random.Random(seed)
    budget = 12 * n_kills
    deaths = 0
    while deaths < n_kills:
        clock = clocks[deaths % len(clocks)]
        running = [league.start(budget + 400, *clock) for _ in range(n_runs)]
        told = len(league.reported())
        if rng.random() < 0.8:  # most are killed at work, some while starting
            while len(league.reported()) == told and running[0].poll() is None:
                time.sleep(0.01)
        for run in running:
            time.sleep(rng.random() * 0.4)
            assert run.poll() is None, run.communicate()[1]
            kill(run)
        deaths += 1
    with Tournament(store=league.url) as tournament:
        budget = tournament.n_matches + 4 * n_kills
    league.finish(budget)
    reported = league.reported()
    with Tournament(store=league.url) as tournament:
        told = {row.number: row.score for row in tournament.matches()}
        assert len(told) == len(list(tournament.matches())) == budget
        assert len(dict(reported)) == len(reported), "a result was told twice"
        assert all(told[number] == score for number, score in reported)
        for row in tournament.matches():
            assert row.score == row.seed % 3 / 2
        played = set(map(int, (league.folder / "journal").read_text().split()))
        assert played >= told.keys()
        verification = tournament.verify()
        assert verification.problems == []
        assert verification.largest_difference <= 1e-9
    return len(reported)


def processes_of(folder):
    """Processes that name this folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read()
        except OSError:
            continue
        if os.fsencode(folder) in words and int(pid) != os.getpid():
            found.append(words)
    return found


def test_a_few_kills_lose_nothing(tmp_path):
    league = League(tmp_path)
    assert killed_again_and_again(league, 3) >= 3
    wait_until(lambda: processes_of(tmp_path) == [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_kills", "kill", "n_runs"), [(60, kill_alone, 1), (60, kill_group, 1), (30, kill_group, 2)]
)
def test_many_kills_lose_nothing(tmp_path, n_kills, kill, n_runs):
    reported = killed_again_and_again(League(tmp_path), n_kills, seed=1, kill=kill, n_runs=n_runs)
    assert reported >= n_kills


@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")
def test_kills_with_the_clock_moved_lose_nothing(tmp_path):
    clocks = ((), ("faketime", "+3 days"), ("faketime", "-2 days"))
    assert killed_again_and_again(League(tmp_path), 3, clocks=clocks, seed=3) >= 3


def test_a_full_disk_says_so_in_one_line(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if not mounted or mounted.returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        league = League(tmp_path)
        league.url = f"sqlite:///{folder / 'league.db'}"
        running = league.start(5000)
        _, errors = running.communicate(timeout=120)
        words = errors.decode()
        assert running.returncode == 1, words
        assert "make room and run again" in words
        assert "Traceback" not in words
        with Tournament(store=league.url) as tournament:
            told = {row.number: row.score for row in tournament.matches()}
        assert all(told[number] == score for number, score in league.reported())
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
