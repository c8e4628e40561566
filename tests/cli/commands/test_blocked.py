"""Commands that wait for a suspended process say so, and can be interrupted."""

import json
import signal
import sys
from contextlib import contextmanager

import pytest

from maxin.tournament import Tournament
from tests.helpers.forked_processes import forked_command, forked_holder
from tests.helpers.holders import finished, wake
from tests.helpers.waiting import wait_until

PLAY = """
import os, time
open("playing", "w").close()
while not os.path.exists("done"):
    time.sleep(0.01)
print(1)
"""


@pytest.fixture
def url(tmp_path):
    """A store with a pending match."""
    url = f"sqlite:///{tmp_path / 'league.db'}"
    with Tournament(["anna", "bo", "cy"], url, seed=1, scheduler="random") as tournament:
        tournament.ask()
    return url


def named(process):
    return f"waiting for process {process.pid}, which holds the store and is suspended\n"


def ended(process):
    """The exit code, and what was printed after what we have read."""
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def test_a_command_that_only_reads_does_not_wait(url, tmp_path):
    with forked_holder(url) as held:
        with forked_command("show", "--store", url, folder=tmp_path) as reading:
            code, out, err = ended(reading)
            assert (code, err) == (0, "")
            assert out
        wake(held)
        assert finished(held) == "True\n"


@pytest.mark.parametrize("words", [["ask"], ["tell", "1", "0.5"]])
def test_a_command_names_who_holds_the_store(url, tmp_path, words):
    with (
        forked_holder(url) as held,
        forked_command(*words, "--store", url, folder=tmp_path) as waiting,
    ):
        assert waiting.stderr.readline() == named(held)
        wake(held)
        code, out, err = ended(waiting)
        assert (code, err) == (0, "")
        assert out
        assert finished(held) == "True\n"


def test_ctrl_c_ends_the_wait(url, tmp_path):
    with forked_holder(url) as held:
        with forked_command("tell", "1", "0.5", "--store", url, folder=tmp_path) as waiting:
            assert waiting.stderr.readline() == named(held)
            waiting.send_signal(signal.SIGINT)
            words = "interrupted; run the same command again to continue\n"
            assert ended(waiting) == (130, "", words)
        wake(held)
        assert finished(held) == "True\n"
    with Tournament(store=url) as tournament:
        assert [row.number for row in tournament.matches()] == [2]


@contextmanager
def blocked_run(url, folder, *flags):
    """`maxin run` with a result that it cannot save, and the process that is in its way."""
    (folder / "play.py").write_text(PLAY)
    how = f"{sys.executable} -S play.py {{a}} {{b}}"
    ends = ["--budget", "1", "--confidence", "none"]
    words = ["run", "--store", url, "--command", how, *ends, *flags]
    with forked_command(*words, folder=folder) as run:
        wait_until(lambda: (folder / "playing").exists() or run.poll() is not None)
        with forked_holder(url) as held:
            (folder / "done").touch()
            yield run, held


@pytest.fixture
def fresh(tmp_path):
    """A store without pending matches."""
    url = f"sqlite:///{tmp_path / 'league.db'}"
    Tournament(["anna", "bo", "cy"], url, seed=1, scheduler="random").close()
    return url


@pytest.mark.parametrize("flags", [[], pytest.param(["--quiet"], marks=pytest.mark.slow)])
def test_a_run_names_who_holds_the_store(fresh, tmp_path, flags):
    with blocked_run(fresh, tmp_path, *flags) as (run, held):
        assert run.stderr.readline() == named(held)
        wake(held)
        assert finished(held) == "True\n"
        code, _, err = ended(run)
        assert (code, err) == (0, "")
    with Tournament(store=fresh) as tournament:
        assert sorted(row.number for row in tournament.matches()) == [1, 2]


def test_a_run_with_json_has_an_event(fresh, tmp_path):
    with blocked_run(fresh, tmp_path, "--json") as (run, held):
        events = [json.loads(run.stdout.readline()) for _ in range(2)]
        assert [event["event"] for event in events] == ["asked", "blocked"]
        assert events[1]["reason"] == named(held).rstrip("\n")
        wake(held)
        assert ended(run)[0] == 0


def test_two_interrupts_end_a_blocked_run(fresh, tmp_path):
    with blocked_run(fresh, tmp_path) as (run, held):
        assert run.stderr.readline() == named(held)
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGTERM)  # two of the same kind could be seen as one
        code, _, err = ended(run)
        assert code == 130
        kept, resume = err.splitlines()
        assert kept.startswith("1 result kept in ")  # of the match that was played meanwhile
        assert resume.startswith("to resume: ")
        wake(held)
        assert finished(held) == "True\n"
