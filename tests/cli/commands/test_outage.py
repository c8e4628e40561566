"""A run whose database server goes away: it says so, waits, and can be left."""

import json
import re
import signal
import sys
import time

import pytest

from maxin.tournament import Tournament
from tests.helpers.forked_processes import forked_command
from tests.helpers.waiting import wait_until

PLAY = """
import os, time
open("playing", "w").close()
while not os.path.exists("done"):
    time.sleep(0.01)
print(1)
"""


def test_ctrl_c_while_the_server_is_away_can_be_resumed(postgres, tmp_path):
    url = postgres.new_database("interrupted").replace("maxin@", "maxin:s3cret@")
    Tournament(["anna", "bo"], url).close()
    (tmp_path / "play.py").write_text(PLAY)
    ends = ["--budget", "3", "--confidence", "none"]
    words = ["run", "--store", url, "--command", f"{sys.executable} -S play.py {{a}} {{b}}", *ends]
    with forked_command(*words, folder=tmp_path) as run:
        try:
            wait_until(lambda: (tmp_path / "playing").exists() or run.poll() is not None)
            postgres.stop()
            (tmp_path / "done").touch()
            away, kept = run.stderr.readline(), run.stderr.readline()
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=120)
        finally:
            postgres.start()
    shown = url.replace("s3cret", "***")
    assert re.fullmatch(
        rf"the store {re.escape(shown)} cannot be reached: .*; trying again\n", away
    )
    assert kept.startswith("until it is back, finished results are kept in ")
    assert (run.returncode, out) == (130, "")
    stopping, left, resume = err.splitlines()
    assert stopping == "stopping; no match is running"
    assert "1 result kept in " in left
    assert re.search(r" for the next run to record: match 1, (anna - bo|bo - anna): 1$", left)
    assert resume.startswith("to resume: ")
    assert "s3cret" not in away + kept + err
    with forked_command(*words, folder=tmp_path) as again:
        out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert "recorded 1 result that an earlier run had kept" in err
    with Tournament(store=url) as tournament:
        assert [row.number for row in tournament.matches()] == [1, 2, 3]


LOGGED = """
import json, os, sys, time
time.sleep(0.1)
score = int(os.environ["MAXIN_SEED"]) % 3 / 2
with open("log", "a") as log:
    log.write(json.dumps([int(os.environ["MAXIN_MATCH"]), score]) + "\\n")
print(score)
"""
OUTAGE = 120.0  # seconds


@pytest.mark.slow
def test_an_outage_of_two_minutes_loses_and_doubles_nothing(postgres, tmp_path):
    """Every match in the game's own log is recorded once, with the score that it printed."""
    url = postgres.new_database("two_minutes")
    Tournament(["anna", "bo", "cy", "dee"], url).close()
    (tmp_path / "play.py").write_text(LOGGED)
    (tmp_path / "log").touch()
    ends = ["--budget", "60", "--confidence", "none", "--workers", "2"]
    words = ["run", "--store", url, "--command", f"{sys.executable} -S play.py {{a}} {{b}}", *ends]

    def logged():
        lines = (tmp_path / "log").read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    with forked_command(*words, folder=tmp_path) as run:
        wait_until(lambda: len(logged()) >= 20 or run.poll() is not None)
        postgres.stop()
        try:
            time.sleep(OUTAGE)  # the outage itself
            assert run.poll() is None
            n_before = len(logged())
        finally:
            postgres.start()
        out, err = run.communicate(timeout=240)
    assert run.returncode == 0, err
    assert 20 <= n_before < 60
    assert [line.split(maxsplit=1)[0] for line in err.splitlines()] == ["the", "until"]
    with Tournament(store=url) as tournament:
        played = {row.number: row.score for row in tournament.matches()}
        assert tournament.n_matches == 60
        assert tournament.verify().problems == []
    assert sorted(played.items()) == sorted(map(tuple, logged()))
    assert out.count("(seed ") == 60
