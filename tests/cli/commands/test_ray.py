"""`--ray`: matches on a cluster that the command starts, and errors without one."""

import importlib.util
import subprocess
import sys

import pytest

from tests.helpers.command import call

HAS_RAY = importlib.util.find_spec("ray") is not None
RUN = ["run", "--player", "anna", "--player", "bo", "--player", "cy", "--budget", "12"]
PLAY = "import sys\nprint(float(sys.argv[1] < sys.argv[2]))\n"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def maxin(*arguments):
    """Run the command in a process of its own, which Ray's connection belongs to."""
    return subprocess.run(
        [sys.executable, "-m", "maxin", *arguments], capture_output=True, text=True
    )


@pytest.mark.skipif(HAS_RAY, reason="the extra 'ray' is installed")
def test_without_ray_the_extra_is_named(tmp_path):
    done = call(*RUN, "--command", "echo 1", "--ray", "auto")
    assert done.code != 0
    assert "pip install 'maxin[ray]'" in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "maxin.db").exists()


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="the extra 'ray' is not installed")
class TestWithRay:
    """A cluster takes some ten seconds to start."""

    def test_a_tournament_on_a_cluster_finds_the_files_of_its_folder(self, tmp_path):
        (tmp_path / "play.py").write_text(PLAY)
        command = [sys.executable, "play.py", "{a}", "{b}"]
        done = maxin(*RUN, "--command", " ".join(command), "--ray", "local", "--workers", "2")
        assert done.returncode == 0, done.stderr
        assert "anna" in done.stdout
        assert "12 matches" in maxin("show").stdout
        assert maxin("verify").returncode == 0

    def test_no_cluster_is_one_sentence(self, tmp_path):
        done = maxin(*RUN, "--command", "echo 1", "--ray", "127.0.0.1:1")
        assert done.returncode == 2
        assert done.stderr.startswith("error: no Ray cluster answers at '127.0.0.1:1'; start one")
        assert len(done.stderr.strip().splitlines()) == 1
        assert not (tmp_path / "maxin.db").exists()
