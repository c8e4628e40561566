"""`--ray`: matches on a cluster that the command starts, and errors without one."""

import importlib.util
import signal
import socket
import subprocess
import sys
from collections import Counter

import pytest

from maxin.tournament import Tournament
from tests.helpers.command import call
from tests.helpers.processes import descends, maxin_process
from tests.helpers.ray_clusters import LATE, add_node, raylet, small_cluster
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
echo $MAXIN_MATCH $$ >>"$1"
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


@pytest.mark.skipif(not HAS_RAY, reason="the extra 'ray' is not installed")
@pytest.mark.filterwarnings("ignore")  # the warnings of Ray itself
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

    @pytest.mark.parametrize("scheme", ["", "ray://"])
    def test_a_run_outlives_a_node_takes_a_new_one_and_resumes_after_ctrl_c(
        self, tmp_path, cluster, scheme
    ):
        """No result is lost or counted twice; only what the killed node played is played again."""
        cluster, addresses = cluster
        journal, may_end = tmp_path / "journal", tmp_path / "may end"
        (tmp_path / "play.sh").write_text(JOURNAL)
        command = f"sh {tmp_path}/play.sh {journal} '{may_end}'"
        words = (*RUN[:-3], "30", *RUN[-2:], "--command", command, "--workers", "4")
        words = (*words, "--ray", addresses[scheme])

        def begun_on(node):
            """The matches after the eighth, which wait, that were begun on a node."""
            rows = [line.split() for line in lines(journal)]
            found = [(int(row[0]), int(row[1])) for row in rows if int(row[0]) > 8]
            return {match for match, pid in found if descends(pid, raylet(node))}

        doomed = add_node(cluster, 1)
        with maxin_process(*words, folder=tmp_path) as process:
            lost = wait_until(lambda: begun_on(doomed))
            cluster.remove_node(doomed, allow_graceful=False)
            joined = add_node(cluster, 1)
            wait_until(lambda: begun_on(joined))
            process.send_signal(signal.SIGINT)
            assert wait_until(lambda: "finishing" in process.stderr.readline())
            may_end.touch()
            _, err = process.communicate(timeout=LONG)
        assert process.returncode == 130, err
        with Tournament(store=tmp_path / "maxin.db") as tournament:
            assert 8 < tournament.n_matches < 30
            assert tournament.n_pending <= len(lost)  # which may wait to be played again
        done = maxin(*words)
        assert done.returncode == 0, done.stderr
        with Tournament(store=tmp_path / "maxin.db") as tournament:
            assert tournament.verify().problems == []
            assert set(tournament.states.values()) == {"active"}
            numbers = [row.number for row in tournament.matches()]
        assert sorted(numbers) == list(range(1, 31))
        again = Counter(int(line.split()[0]) for line in lines(journal)) - Counter(numbers)
        assert again == Counter(lost)


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def cluster():
    """A cluster of this machine that is other processes, and its addresses by their scheme."""
    with socket.socket() as free:
        free.bind(("", 0))
        port = free.getsockname()[1]
    made = small_cluster(1, ray_client_server_port=port)
    host = made.address.rpartition(":")[0]
    yield made, {"": made.address, "ray://": f"ray://{host}:{port}"}
    made.shutdown()
