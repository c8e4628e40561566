"""A match gets an allow-list of the environment, and none of its secrets."""

import json
import shlex
import sys

import pytest

from maxin.core import InvalidInput
from maxin.runners import Command
from maxin.runners.programs.environment import PASSED, check_env

SECRETS = {
    "MAXIN_STORE": "postgresql://me:secret@host/league",
    "PGPASSWORD": "secret",
    "AWS_SECRET_ACCESS_KEY": "secret",
}
SEEN = "import json, os; print(json.dumps({'score': 1, 'data': dict(os.environ)}))"
COMMAND = f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(SEEN)}".replace("{", "{{").replace(
    "}", "}}"
)
OURS = {"MAXIN_A", "MAXIN_B", "MAXIN_SEED", "MAXIN_MATCH", "MAXIN_MARK"}


@pytest.fixture(autouse=True)
def secrets(monkeypatch):
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


def seen(job, **options):
    """The environment that a command sees."""
    return Command(COMMAND, **options).play(job()).data


def test_a_command_sees_no_secret(job, monkeypatch):
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    found = seen(job)
    assert "secret" not in json.dumps(found)
    assert {"PATH", "LC_TIME", "CUDA_VISIBLE_DEVICES", *OURS} <= found.keys()
    foreign = {name for name in found if not name.startswith("LC_")} - {*PASSED, *OURS}
    assert not foreign


def test_a_command_gets_the_variables_that_env_names(job):
    found = seen(job, env=["PGPASSWORD", "NOT_SET_ANYWHERE"])
    assert found["PGPASSWORD"] == "secret"
    assert "MAXIN_STORE" not in found
    assert "NOT_SET_ANYWHERE" not in found


@pytest.mark.parametrize("env", ["PATH", ["A=B"], [""], ["9"], [3], 4, ["é"]])
def test_env_must_hold_names_of_variables(env):
    with pytest.raises(InvalidInput, match="env must"):
        check_env(env)
