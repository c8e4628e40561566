"""Nothing survives us: a process that runs matches is killed, and its matches are gone."""

import ast
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from maxin.runners.programs import reaper, sweeper

# Runs matches until it is killed; prints its mark as soon as the helper is there.
PARENT = """
import os, sys, threading, time
sys.path.insert(0, sys.argv[1])
from maxin.core import Entrant
from maxin.runners import Command, Job, MatchFailed, Processes
from maxin.runners.programs import reaper
from tests.helpers import misbehaviour

def many(runner, act, n_threads=3):
    def go_on():
        while True:
            try:
                runner.play(Job(1, Entrant(act), Entrant("bo"), 7))
            except MatchFailed:
                pass
    for _ in range(n_threads):
        threading.Thread(target=go_on, daemon=True).start()

print(reaper.marked({})[reaper.MARK], flush=True)
"""


@pytest.fixture
def parent():
    """Starts such a process, in a group of its own, with more lines; gives it and its mark."""
    started = []

    def start(lines):
        process = subprocess.Popen(
            [sys.executable, "-c", PARENT + textwrap.dedent(lines), str(Path(__file__).parents[3])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in started:
        with process:
            process.kill()


def helpers(mark):
    """The helper processes that serve the owner of `mark`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words and str(reaper.PROGRAM).encode() in words:
            found.append(int(folder.name))
    return found


def is_over(mark):
    return not sweeper.marked(mark) and not helpers(mark)


@pytest.mark.parametrize(
    ("lines", "n_processes"),
    [
        ("many(Command('sleep 60'), 'x')", 3),
        ("""many(Command("sh -c 'trap \\"\\" TERM HUP; sleep 60 & sleep 60'"), 'x')""", 9),
        ("many(Processes(misbehaviour.play), 'hang')", 3),
        ("many(Processes(misbehaviour.play), 'hang with kin')", 12),
    ],
)
def test_matches_die_with_the_process_group_that_runs_them(parent, eventually, lines, n_processes):
    process, mark = parent(lines + "\ntime.sleep(60)")
    assert eventually(lambda: len(sweeper.marked(mark)) == n_processes)
    os.killpg(process.pid, signal.SIGKILL)
    assert eventually(lambda: is_over(mark))


def test_nothing_escapes_by_being_started_at_that_very_moment(parent, eventually):
    """Eight threads do nothing but start matches when the blow falls."""
    process, mark = parent("many(Command('sleep 60', timeout=0.001), 'x', 8)\ntime.sleep(60)")
    assert eventually(lambda: sweeper.marked(mark))
    time.sleep(random.uniform(0.0, 0.1))
    os.killpg(process.pid, signal.SIGKILL)
    assert eventually(lambda: is_over(mark))


def test_idle_workers_leave_when_their_runner_is_gone(parent, eventually):
    lines = """
        runner = Processes(misbehaviour.play)
        runner.check([])
        time.sleep(60)
    """
    process, mark = parent(lines)
    assert eventually(lambda: len(sweeper.marked(mark)) == 1)
    for helper in helpers(mark):
        os.kill(helper, signal.SIGKILL)
    process.kill()  # alone, and with nobody to reap
    assert eventually(lambda: not sweeper.marked(mark))


STRAY = """
runner = Command("sh -c 'setsid sleep 60 > /dev/null 2>&1 & echo 1; sleep 0.05'")
print(runner.play(Job(1, Entrant("anna"), Entrant("bo"), 7)).score, flush=True)
sys.stdin.readline()
"""


def test_a_stray_that_left_its_group_ends_with_the_run(parent, eventually):
    process, mark = parent(STRAY)
    assert process.stdout.readline() == "1.0\n"
    assert len(sweeper.marked(mark)) == 1
    process.communicate("done\n")
    assert process.returncode == 0
    assert eventually(lambda: is_over(mark))


def test_a_fork_of_us_does_not_keep_the_helper_waiting(parent, eventually):
    lines = """
        many(Command("sleep 60"), "x")
        child = os.fork()
        if child:
            print(child, flush=True)
        time.sleep(60)
    """
    process, mark = parent(lines)
    child = int(process.stdout.readline())
    try:
        assert eventually(lambda: len(sweeper.marked(mark)) == 3)
        process.kill()
        assert eventually(lambda: is_over(mark))
        os.kill(child, 0)  # is alive, and was no business of ours
    finally:
        os.kill(child, signal.SIGKILL)


def test_signals_do_not_end_the_helper(parent, eventually):
    process, mark = parent("many(Command('sleep 60'), 'x')\ntime.sleep(60)")
    assert eventually(lambda: len(sweeper.marked(mark)) == 3)
    (helper,) = helpers(mark)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        os.kill(helper, number)
    process.kill()
    assert eventually(lambda: is_over(mark))


@pytest.fixture
def sleeper():
    """A process in a group of its own, without a mark."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as process:
        yield process
        process.kill()


@pytest.fixture
def ours():
    """A reaper of our own, and its mark."""
    reaping = reaper.Reaper()
    return reaping, reaping.marked({})[reaper.MARK]


def test_a_group_that_was_forgotten_is_left_alone(ours, sleeper, eventually):
    reaping, mark = ours
    reaping.watch(sleeper.pid)
    reaping.forget(sleeper.pid)
    assert len(helpers(mark)) == 1
    reaping.abandon()
    assert eventually(lambda: not helpers(mark))
    assert sleeper.poll() is None


def test_a_helper_that_was_killed_is_replaced_and_told_everything(ours, sleeper, eventually):
    reaping, mark = ours
    reaping.watch(sleeper.pid)
    (helper,) = helpers(mark)
    os.kill(helper, signal.SIGKILL)
    assert eventually(lambda: not helpers(mark))
    reaping.forget(0x7FFFFFF)  # any order finds out
    assert len(helpers(mark)) == 1
    reaping.abandon()
    assert sleeper.wait(timeout=5) == -signal.SIGKILL
    assert eventually(lambda: not helpers(mark))


def test_the_helper_needs_no_packages():
    tree = ast.parse(reaper.PROGRAM.read_text())
    imported = {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    assert imported == {"contextlib", "os", "signal", "sys", "time"}


def test_the_helper_holds_none_of_our_files(ours, eventually):
    reaping, mark = ours
    (helper,) = helpers(mark)
    opened = {int(name) for name in os.listdir(f"/proc/{helper}/fd")}
    try:
        assert opened == {0, 1, 2}
        assert os.getsid(helper) != os.getsid(0)
        assert os.readlink(f"/proc/{helper}/cwd") == "/"
    finally:
        reaping.abandon()
        assert eventually(lambda: not helpers(mark))


def test_a_helper_that_cannot_start_is_said(monkeypatch, tmp_path):
    (tmp_path / "broken.py").write_text("raise SystemExit(3)")
    monkeypatch.setattr(reaper, "PROGRAM", tmp_path / "broken.py")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="ended with 3"):
        reaper.Reaper().marked({})
    assert len(os.listdir("/proc/self/fd")) == before
