"""`--ray`: matches on a cluster that the command starts, and errors without one."""

import importlib.util
import signal
import subprocess
import sys
from collections import Counter

import pytest

from maxin.tournament import Tournament
from tests.helpers.command import call
from tests.helpers.processes import maxin_process
from tests.helpers.ray_clusters import LATE, small_cluster
from tests.helpers.waiting import LONG, wait_until

HAS_RAY = importlib.util.find_spec("ray") is not None
RUN = [
    "run",
    "--player",
    "anna",
    "--player",
    "bo",
    "--player",
    "cy",
    "--budget",
    "12",
    "--confidence",
    "none",
]
PLAY = "import sys\nprint(float(sys.argv[1] < sys.argv[2]))\n"
JOURNAL = """
echo $MAXIN_MATCH >>"$1"
while [ $MAXIN_MATCH -gt 8 ] && [ ! -e "$2" ]; do sleep 0.02; done
echo 0.5
"""  # from the ninth match on, they wait until they may end


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
        words = (*RUN, "--command", " ".join(command), "--ray", "local", "--workers", "2")
        done = wait_until(
            lambda: next((one for one in [maxin(*words)] if LATE not in one.stderr), 0)
        )
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

    def test_ctrl_c_on_a_cluster_elsewhere_loses_nothing_and_doubles_nothing(
        self, tmp_path, cluster
    ):
        journal, may_end = tmp_path / "journal", tmp_path / "may end"
        (tmp_path / "play.sh").write_text(JOURNAL)
        command = f"sh {tmp_path}/play.sh {journal} '{may_end}'"
        words = (*RUN[:-3], "30", *RUN[-2:], "--command", command, "--ray", cluster)
        words = (*words, "--workers", "4")

        def n_begun():
            return len(journal.read_text().splitlines()) if journal.exists() else 0

        with maxin_process(*words, folder=tmp_path) as process:
            wait_until(lambda: n_begun() > 8 or process.poll() is not None)
            process.send_signal(signal.SIGINT)
            seen = wait_until(lambda: "finishing" in process.stderr.readline(), LONG)
            assert seen
            may_end.touch()
            _, err = process.communicate(timeout=LONG)
        assert process.returncode == 130, err
        with Tournament(store=tmp_path / "maxin.db") as tournament:
            assert 8 < tournament.n_matches < 30
            assert tournament.n_pending == 0
        done = maxin(*words)
        assert done.returncode == 0, done.stderr
        with Tournament(store=tmp_path / "maxin.db") as tournament:
            assert tournament.verify().problems == []
            numbers = [row.number for row in tournament.matches()]
        assert sorted(numbers) == list(range(1, 31))
        assert Counter(map(int, journal.read_text().split())) == Counter(numbers)


@pytest.fixture
def cluster():
    """The address, host:port, of a cluster of this machine that other processes are."""
    made = small_cluster(2)
    yield made.address
    made.shutdown()
