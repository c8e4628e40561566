"""The helper program that kills what is left, as the reaper runs it."""

import ast
import os
import signal
import subprocess

from maxin.runners.programs import reaper, sweeper
from tests.helpers.processes import helper_processes, is_over
from tests.helpers.waiting import LONG, wait_until


def test_it_needs_no_packages():
    tree = ast.parse(reaper.PROGRAM.read_text())
    imported = {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    assert imported == {"contextlib", "os", "signal", "sys", "time"}


def test_signals_do_not_end_it(start_parent):
    process, mark = start_parent("play_forever(Command('sleep 600'), 'x')\ntime.sleep(600)")
    wait_until(lambda: len(sweeper.marked(mark)) == 3)
    (helper,) = helper_processes(mark)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        os.kill(helper, number)
    process.kill()
    wait_until(lambda: is_over(mark))


def test_a_sweep_kills_what_carries_the_mark_and_nothing_else():
    mark = os.urandom(8).hex()
    start = {"args": ["sleep", "600"], "start_new_session": True}
    with (
        subprocess.Popen(**start, env={**os.environ, reaper.MARK: f"outer:{mark}"}) as marked,
        subprocess.Popen(**start) as other,
    ):
        assert sweeper.marked(mark) == [marked.pid]
        sweeper.sweep(mark)
        assert marked.wait(timeout=LONG) == -signal.SIGKILL
        assert other.poll() is None
        other.kill()
