"""`maxin run --env`: which variables a match command gets, from the flag to the program."""

import json
import shlex
import sys

from tests.helpers.command import right

SEEN = "import os; print(float('MAXIN_STORE' not in os.environ and 'SEEDS' in os.environ))"
COMMAND = f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(SEEN)}"
FLAGS = ("--player", "anna", "--player", "bo", "--confidence", "none", "--budget", "2")


def test_a_flag_passes_the_variables_it_names_and_no_other(tmp_path, monkeypatch):
    monkeypatch.setenv("MAXIN_STORE", f"sqlite:///{tmp_path}/league.db")
    monkeypatch.setenv("SEEDS", "9")
    env = ("--env", "SEEDS", "--env", "NOT_SET_ANYWHERE")
    done = right("run", "--json", *FLAGS, "--command", COMMAND, *env)
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [event["score"] for event in events if event["event"] == "told"] == [1.0, 1.0]
    assert "the environment variable NOT_SET_ANYWHERE, which env names, is not set" in done.err
