"""A run that has nothing to play: it ends at once or, if it has to wait, when it is interrupted."""

import signal
import sys

import pytest

from maxin.tournament import Tournament
from tests.helpers.forked_processes import forked_command, forked_holder
from tests.helpers.holders import finished, wake

NAMES = ["anna", "bo", "cy"]


@pytest.fixture
def url(tmp_path):
    """The URL of a store that does not exist yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"


def run_words(url, *flags):
    how = f"{sys.executable} -S -c print(1) {{a}} {{b}}"
    return ["run", "--store", url, "--command", how, "--confidence", "none", *flags]


def ended(process):
    """The exit code, and what was printed after what we have read."""
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def test_a_run_does_not_wait_for_others_once_the_budget_is_spent(url, tmp_path):
    with Tournament(NAMES, url, seed=1, scheduler="random") as other:
        other.ask(lease=600.0)  # this process lives, so its lease holds
        with forked_command(*run_words(url, "--budget", "3"), folder=tmp_path) as run:
            code, out, err = ended(run)
    assert (code, err) == (0, "")
    *_, headline, details = out.splitlines()
    assert headline.startswith("the budget is spent after 2 matches; too early to say: ")
    assert details.endswith("1 match is pending elsewhere: `maxin show pending` lists who has it")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_run_that_waits_for_others(url, tmp_path, number):
    with Tournament(NAMES[:2], url, seed=1, scheduler="round-robin:cycles=1") as other:
        other.ask(lease=600.0)  # the only match
        with forked_command(*run_words(url, "--budget", "3"), folder=tmp_path) as run:
            assert "waiting for 1 pending match" in run.stderr.readline()
            run.send_signal(number)
            code, _, err = ended(run)
    assert code == 130
    assert "to resume: " in err


def test_one_signal_ends_a_blocked_run_that_has_nothing_to_lose(url, tmp_path):
    Tournament(NAMES, url, seed=1, scheduler="random").close()
    with forked_holder(url) as held:
        with forked_command(*run_words(url, "--budget", "3"), folder=tmp_path) as run:
            assert run.stderr.readline().startswith("waiting for process")
            run.send_signal(signal.SIGTERM)
            assert ended(run)[0] in (130, -signal.SIGTERM)
        wake(held)
        assert finished(held) == "True\n"
