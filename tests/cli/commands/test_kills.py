"""Commands killed without warning, again and again, with the clock moved: nothing is lost."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from maxin.tournament import Tournament
from tests.helpers.ports import reserved_port
from tests.helpers.small_disks import small_disk
from tests.helpers.waiting import LONG, wait_until

NAMES = [f"player {number}" for number in range(8)]
N_KILLS = 100
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

    def __init__(self, folder, url=None):
        self.folder = folder
        self.url = url or f"sqlite:///{folder / 'league.db'}"
        self.stream = folder / "stream"
        (folder / "play.py").write_text(PLAY)

    def start(self, budget, *before):
        """Start `maxin run`."""
        rules = ["--seed", "3", "--scheduler", "maxinp"]
        rules += [word for name in NAMES for word in ("--player", name)]
        stop = ["--budget", str(budget), "--confidence", "none"]
        return self.popen(
            *self.playing("run", "--store", self.url, "--json"), *stop, *rules, before=before
        )

    def playing(self, *words):
        """A command that plays matches."""
        script = f"{sys.executable} -S -E {self.folder / 'play.py'} {{a}} {{b}} {{seed}}"
        return [*words, "--workers", "4", "--env", "JOURNAL", "--command", script]

    def popen(self, *words, before=()):
        """Start a command in a process group of its own."""
        with self.stream.open("ab") as stream:
            return subprocess.Popen(
                [*before, sys.executable, "-m", "maxin", *words],
                stdout=stream,
                stderr=subprocess.PIPE,
                cwd=self.folder,
                start_new_session=True,
                env={**os.environ, "JOURNAL": str(self.folder / "journal")},
            )

    def reported(self):
        """Match and score of every result that the stream reports, whatever was killed."""
        text = self.stream.read_text()
        found = [
            (int(number), float(score))
            for number, score in re.findall(
                r"^#(\d+) .* (\S+)-\S+ \(seed \d+\)$", text, re.MULTILINE
            )
        ]
        for line in text.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue  # of another command, or the kill came in the middle of a line
            if event.get("event") == "told":
                found.append((event["match"], event["score"]))
        return found

    def finish(self, budget, *before):
        running = self.start(budget, *before)
        _, errors = running.communicate(timeout=LONG)
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
    deaths = 0
    while deaths < n_kills:
        clock = clocks[deaths % len(clocks)]
        running = [league.start(100_000, *clock) for _ in range(n_runs)]
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
    return check_nothing_is_lost(league, budget)


def check_nothing_is_lost(league, n_matches):
    """Every result that was reported is recorded once; returns how many there are."""
    reported = league.reported()
    with Tournament(store=league.url) as tournament:
        told = {row.number: row.score for row in tournament.matches()}
        assert len(told) == len(list(tournament.matches())) == n_matches
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


@pytest.mark.slow
@pytest.mark.parametrize("database", ["url", "postgres_url"])
def test_kills_of_run_work_and_serve_lose_nothing(tmp_path, database, request, record_property):
    """All three play one tournament; one of them is killed at a time, and started again."""
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    league = League(tmp_path, request.getfixturevalue(database))
    rng, keeper = random.Random(1), reserved_port()
    league.finish(4)
    port = str(keeper.getsockname()[1])
    starts = {
        "run": lambda: league.start(100_000),
        "serve": lambda: league.popen("serve", league.url, "--port", port, "--confidence", "none"),
        "work": lambda: league.popen(*league.playing("work", f"http://127.0.0.1:{port}")),
    }

    def n_results(name):  # those of the worker show that the service works, too
        return league.stream.read_text().count('"told"' if name == "run" else "\n#")

    def has_worked(name):
        if running["work"].poll() is not None:  # it was started while the service was away
            assert b"no service at" in running["work"].communicate()[1]
            running["work"] = starts["work"]()
        return n_results(name) > reported[name]

    def end(process):
        if process.poll() is None:
            kill_group(process)
        else:
            process.communicate()  # closes its pipes

    running, reported = {name: start() for name, start in starts.items()}, Counter()
    try:
        for name in rng.choices(list(starts), k=N_KILLS):
            if rng.random() < 0.8:  # most are killed at work, some while starting
                wait_until(lambda name=name: has_worked(name))
            time.sleep(rng.random() * 0.4)
            assert name == "work" or running[name].poll() is None
            end(running[name])
            running[name], reported[name] = starts[name](), n_results(name)
    finally:
        for process in running.values():
            end(process)
        keeper.close()
    with Tournament(store=league.url) as tournament:
        budget = tournament.n_matches + tournament.n_pending + 40
    league.finish(budget)
    with Tournament(store=league.url) as tournament:
        n_matches = budget - tournament.n_pending  # the killed worker holds some for a minute
    n_reported = check_nothing_is_lost(league, n_matches)
    assert n_reported >= N_KILLS
    record_property("note", f"{N_KILLS} kills, {n_matches} results, {n_reported} reported before")


@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")
def test_kills_with_the_clock_moved_lose_nothing(tmp_path):
    clocks = ((), ("faketime", "+3 days"), ("faketime", "-2 days"))
    assert killed_again_and_again(League(tmp_path), 3, clocks=clocks, seed=3) >= 3


def test_a_full_disk_says_so_in_one_line(tmp_path):
    with small_disk(tmp_path / "disk", "200k"):
        league = League(tmp_path, f"sqlite:///{tmp_path / 'disk' / 'league.db'}")
        running = league.start(5000)
        _, errors = running.communicate(timeout=LONG)
        words = errors.decode()
        assert running.returncode == 1, words
        assert "make room and run again" in words
        assert "Traceback" not in words
        with Tournament(store=league.url) as tournament:
            told = {row.number: row.score for row in tournament.matches()}
        assert all(told[number] == score for number, score in league.reported())
