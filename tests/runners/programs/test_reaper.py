"""When a process that plays matches is killed, its matches end with it."""

import os
import random
import signal
import subprocess
import time

import pytest

from maxin.runners.programs import reaper, sweeper
from tests.helpers.processes import helper_processes, is_over, n_descriptors
from tests.helpers.waiting import LONG, wait_until


@pytest.mark.parametrize(
    ("lines", "n_processes"),
    [
        ("play_forever(Command('sleep 600'), 'x')", 3),
        (
            """play_forever(Command("sh -c 'trap \\"\\" TERM HUP; sleep 600 & sleep 600'"), 'x')""",
            9,
        ),
        ("play_forever(Processes(misbehaviour.play), 'hang')", 3),
        ("play_forever(Processes(misbehaviour.play), 'hang with children')", 12),
    ],
)
def test_matches_end_with_the_process_group_that_runs_them(start_parent, lines, n_processes):
    process, mark = start_parent(lines + "\ntime.sleep(600)")
    wait_until(lambda: len(sweeper.marked(mark)) == n_processes)
    os.killpg(process.pid, signal.SIGKILL)
    wait_until(lambda: is_over(mark))


def test_processes_that_are_just_being_started_are_killed_too(start_parent):
    """Eight threads do nothing but start matches when the process is killed."""
    lines = "play_forever(Command('sleep 600', timeout=0.001), 'x', 8)\ntime.sleep(600)"
    process, mark = start_parent(lines)
    wait_until(lambda: sweeper.marked(mark))
    time.sleep(random.uniform(0.0, 0.1))  # any moment will do
    os.killpg(process.pid, signal.SIGKILL)
    wait_until(lambda: is_over(mark))


def test_idle_workers_exit_when_their_runner_is_gone(start_parent):
    lines = """
        runner = Processes(misbehaviour.play)
        runner.check([])
        time.sleep(600)
    """
    process, mark = start_parent(lines)
    wait_until(lambda: len(sweeper.marked(mark)) == 1)
    for helper in helper_processes(mark):
        os.kill(helper, signal.SIGKILL)
    process.kill()  # the process alone, and without a helper to clean up
    wait_until(lambda: not sweeper.marked(mark))


STRAY = """
left = {!r}
script = "setsid sh -c 'touch " + left + "; exec sleep 600' > /dev/null 2>&1 & "
script += "sleep 600"
play_forever(Command('sh -c "' + script + '"'), "x", 1)
time.sleep(600)
"""


def test_a_process_that_left_its_group_ends_with_the_run(start_parent, tmp_path):
    left = tmp_path / "left"
    process, mark = start_parent(STRAY.format(str(left)))
    wait_until(left.exists)
    os.killpg(process.pid, signal.SIGKILL)
    wait_until(lambda: is_over(mark))


def test_a_fork_does_not_keep_the_helper_waiting(start_parent):
    lines = """
        play_forever(Command("sleep 600"), "x")
        child = os.fork()
        if child:
            print(child, flush=True)
        time.sleep(600)
    """
    process, mark = start_parent(lines)
    child = int(process.stdout.readline())
    try:
        wait_until(lambda: len(sweeper.marked(mark)) == 3)
        process.kill()
        wait_until(lambda: is_over(mark))
        os.kill(child, 0)  # it is alive: a fork carries no mark
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.fixture
def sleeper():
    """A process in a group of its own, without a mark."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield process
        process.kill()


@pytest.fixture
def own_reaper():
    """A reaper for this test alone, and its mark."""
    made = reaper.Reaper()
    return made, made.marked({})[reaper.MARK]


def test_a_forgotten_group_is_left_alone(own_reaper, sleeper):
    made, mark = own_reaper
    made.watch(sleeper.pid)
    made.forget(sleeper.pid)
    assert len(helper_processes(mark)) == 1
    made.abandon()
    wait_until(lambda: not helper_processes(mark))
    assert sleeper.poll() is None


def test_a_killed_helper_is_replaced_and_learns_every_group(own_reaper, sleeper):
    made, mark = own_reaper
    made.watch(sleeper.pid)
    (helper,) = helper_processes(mark)
    os.kill(helper, signal.SIGKILL)
    wait_until(lambda: not helper_processes(mark))

    def is_replaced():
        made.forget(0x7FFFFFF)  # any order fails once the pipe of the dead helper is closed
        return len(helper_processes(mark)) == 1

    wait_until(is_replaced)
    made.abandon()
    assert sleeper.wait(timeout=LONG) == -signal.SIGKILL
    wait_until(lambda: not helper_processes(mark))


def test_a_helper_that_cannot_start_is_an_error(monkeypatch, tmp_path):
    (tmp_path / "broken.py").write_text("raise SystemExit(3)")
    monkeypatch.setattr(reaper, "PROGRAM", tmp_path / "broken.py")
    before = n_descriptors()
    with pytest.raises(OSError, match="exited with code 3"):
        reaper.Reaper().marked({})
    assert n_descriptors() == before


def test_the_helper_holds_none_of_our_files(own_reaper):
    made, mark = own_reaper
    (helper,) = helper_processes(mark)
    opened = {int(name) for name in os.listdir(f"/proc/{helper}/fd")}
    try:
        assert opened == {0, 1, 2}
        assert os.getsid(helper) != os.getsid(0)
        assert os.readlink(f"/proc/{helper}/cwd") == "/"
    finally:
        made.abandon()
        wait_until(lambda: not helper_processes(mark))
