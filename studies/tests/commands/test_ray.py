"""`--ray`: sweeps on a cluster that the command starts, and errors without one."""

import pytest

from tests.cli.commands.test_ray import HAS_RAY, maxin
from tests.helpers.command import call


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.skipif(HAS_RAY, reason="the extra 'ray' is installed")
def test_without_ray_the_extra_is_named():
    done = call("bench", "best", "--quick", "--ray", "auto")
    assert done.code != 0
    assert "pip install 'maxin[ray]'" in done.err
    assert "Traceback" not in done.err


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="the extra 'ray' is not installed")
def test_a_sweep_on_a_cluster_gives_the_same_numbers():
    words = ["bench", "best", "--game", "elo:n_players=4", "--seeds", "3", "--rounds", "40"]
    words += ["--scheduler", "top-two"]
    here, there = (
        maxin(*words, "--out", place, *flags)
        for place, flags in (("here", ["--workers", "1"]), ("there", ["--ray", "local"]))
    )
    assert there.returncode == 0, there.stderr
    assert there.stdout.replace("there", "here") == here.stdout


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="the extra 'ray' is not installed")
def test_no_cluster_is_one_sentence():
    done = maxin("paper", "--quick", "--ray", "127.0.0.1:1")
    assert done.returncode == 2
    assert done.stderr.startswith("error: no Ray cluster answers at '127.0.0.1:1'; start one")
    assert len(done.stderr.strip().splitlines()) == 1
