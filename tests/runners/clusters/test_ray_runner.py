"""Ray: a cluster of three nodes, of which one is killed, and workers that die."""

import os
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from maxin.core import Entrant, InvalidInput
from maxin.runners import Command, Job, MatchFailed, Ray, RayExecutor, RunnerLost
from maxin.runners.clusters import ray_runner
from maxin.tournament import Tournament
from maxin.worker import Told
from tests.helpers.leagues import NAMES, alphabet, results_of
from tests.helpers.ray_clusters import add_node, small_cluster
from tests.helpers.waiting import LONG, wait_until
from tests.runners.test_imports import imported

ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # the warnings of Ray itself

RULE = "a Ray cluster is at auto, local, host:port or ray://host:port"
JOB = Job(1, Entrant("anna"), Entrant("bo"), seed=7)


@pytest.fixture(scope="module")
def cluster():
    made = small_cluster(1)
    for _ in range(2):
        add_node(made, 1)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def on(cluster):
    """Makes runners on the cluster, and closes them."""
    made = []

    def make(*arguments, **options):
        made.append(Ray(*arguments, address=cluster.address, **options))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


def failing_with_bo(first, second, seed):
    if "bo" in (first, second):
        os._exit(1)
    return 1.0


def checked(tournament, n_matches):
    """The record verifies, has each match once, and blames nobody."""
    assert tournament.verify().problems == []
    numbers = [row[0] for row in results_of(tournament)]
    assert len(numbers) == len(set(numbers)) == tournament.n_matches == n_matches
    assert set(tournament.states.values()) == {"active"}


@pytest.mark.parametrize("batch", [1, 8])
def test_a_tournament_on_a_cluster(on, batch):
    tournament = Tournament(NAMES, seed=1, lag=24)
    tournament.run(on(alphabet, batch=batch), budget=60, confidence=None, workers=24)
    checked(tournament, 60)
    here = Tournament(NAMES, seed=1, lag=24)
    here.run(alphabet, budget=60, confidence=None)
    assert sorted(results_of(tournament)) == sorted(results_of(here))


def test_a_node_that_dies_in_mid_run_loses_nothing(cluster, on, tmp_path):
    node = add_node(cluster, 2)
    begun = threading.Event()

    def play(first, second, seed):
        import time

        time.sleep(0.02)
        return float(first < second)

    def watch(event):
        if isinstance(event, Told) and event.ticket.id >= 20:
            begun.set()

    def kill():
        assert begun.wait(LONG)
        cluster.remove_node(node, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    store = f"sqlite:///{tmp_path}/league.db"
    with Tournament(NAMES, store, seed=1) as tournament:
        report = tournament.run(
            on(play, batch=2), budget=200, confidence=None, workers=12, backoff=0.1, watch=watch
        )
        killer.join()
        assert report.reason == "budget"
        checked(tournament, 200)


def test_a_node_that_joins_in_mid_run_gets_games(cluster, on, tmp_path):
    joined, used = tmp_path / "joined", tmp_path / "used"

    def play(first, second, seed):
        """When the node has joined, games on the others wait until one was played there."""
        import time

        here = ray.get_runtime_context().get_node_id()
        if joined.exists() and joined.read_text() == here:
            used.touch()
        until = time.monotonic() + LONG
        while joined.exists() and not used.exists() and time.monotonic() < until:
            time.sleep(0.01)
        return {"score": float(first < second), "data": {"node": here}}

    def watch(event):
        if isinstance(event, Told) and event.ticket.id == 10:
            made.append(add_node(cluster, 1))
            part = tmp_path / "part"
            part.write_text(made[0].node_id)
            part.rename(joined)

    made = []
    tournament = Tournament(NAMES, seed=1)
    report = tournament.run(on(play), budget=60, confidence=None, workers=12, watch=watch)
    cluster.remove_node(made[0])
    assert report.reason == "budget"
    checked(tournament, 60)
    assert made[0].node_id in {row.data["node"] for row in tournament.matches()}


def test_only_the_game_that_kills_its_worker_fails(on):
    runner = on(failing_with_bo, batch=20)
    jobs = [Job(n, Entrant(NAMES[n % 4]), Entrant("eve"), seed=n) for n in range(20)]
    with ThreadPoolExecutor(20) as pool:
        games = [pool.submit(runner.play, job) for job in jobs]
        failures = [game.exception(LONG) for game in games]
    failed = [job.first.name for job, failure in zip(jobs, failures, strict=True) if failure]
    assert failed == ["bo"] * 5
    assert "the Ray worker gave no score: " in failures[1].reason


def test_workers_that_may_not_restart_end_the_run(on):
    runner = on(failing_with_bo, max_restarts=0)
    reasons = []
    for _ in range(9):  # each game kills a worker for good
        with pytest.raises(MatchFailed) as caught:
            runner.play(JOB)
        reasons.append(caught.value)
    assert isinstance(reasons[-1], RunnerLost)
    assert reasons[-1].reason.startswith("every Ray worker has died: ")


class Judge:
    """Leaves a file when it is made, which takes long for a real one."""

    def __init__(self, folder):
        Path(folder, uuid.uuid4().hex).touch()
        self.n_games = 0

    def __call__(self, first: Entrant, second: Entrant, seed: int):
        self.n_games += 1
        return {"score": first.options["rank"] / 10, "data": {"games": self.n_games}}


def test_the_player_object_is_made_once_per_worker_and_kept(on, tmp_path):
    runner = on(make=partial(Judge, tmp_path))
    job = Job(1, Entrant("anna", {"rank": 7}), Entrant("bo", {"rank": 1}), seed=0)
    outcomes = [runner.play(job) for _ in range(5)]
    assert [outcome.data["games"] for outcome in outcomes] == [1, 2, 3, 4, 5]
    assert outcomes[0].score == 0.7
    assert len(list(tmp_path.iterdir())) == 1


def test_a_runner_plays_on_the_cluster(on):
    runner = on(make=partial(Command, "echo 0.{seed}"))
    runner.check([Entrant("anna")])
    assert runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=5)).score == 0.5
    with pytest.raises(InvalidInput):
        runner.check([Entrant("an\0na")])


def broken():
    raise ValueError("no such model")


def test_an_invalid_setting_is_named_before_the_first_match(on):
    with pytest.raises(InvalidInput, match=r"^a Ray worker cannot start: ValueError: no "):
        Tournament(NAMES).run(on(make=broken))


def written(player):
    path = Path(player.name)
    return path.exists() and path.read_text()


def test_a_kill_ends_the_games_and_their_workers(on, tmp_path):
    def hang(first, second, seed):
        import time

        Path(first).write_text(str(os.getpid()))
        time.sleep(LONG)

    runner = on(hang)
    players = [Entrant(str(tmp_path / str(number))) for number in range(2)]
    with ThreadPoolExecutor(2) as pool:
        games = [pool.submit(runner.play, Job(1, one, one, 7)) for one in players]
        wait_until(
            lambda: all(Path(one.name).exists() and Path(one.name).read_text() for one in players)
        )
        runner.kill()
        assert [game.exception(LONG).reason for game in games] == ["the game was stopped"] * 2
    pids = [written(player) for player in players]
    wait_until(lambda: not any(Path("/proc", pid).exists() for pid in pids))
    with pytest.raises(MatchFailed, match="stopped"):
        runner.play(JOB)


def test_a_runner_that_was_closed_plays_again(on):
    runner = on(alphabet)
    for _ in range(2):
        assert runner.play(JOB).score == 1.0
        runner.close()


def test_a_match_that_no_node_has_room_for_is_refused(cluster, on, monkeypatch):
    monkeypatch.setattr(ray_runner, "START", 0.5)
    runner = on(alphabet, num_gpus=1)
    with pytest.raises(InvalidInput) as caught:
        runner.check([])
    assert str(caught.value) == (
        "no Ray worker was ready within 0.5 s; a match needs num_cpus=1 and num_gpus=1; a node of "
        "the cluster has at most 1 CPUs and 0 GPUs"
    )


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (
            "127.0.0.1:1",
            "no Ray cluster answers at '127.0.0.1:1'; start one with `ray start --head`",
        ),
        (
            "ray://127.0.0.1:1",
            "no Ray cluster answers at 'ray://127.0.0.1:1'; start one with `ray start --head`",
        ),
        ("nonsense", f"{RULE}; got 'nonsense'"),
        ("http://127.0.0.1:1", f"{RULE}; got 'http://127.0.0.1:1'"),
    ],
)
def test_no_cluster_is_one_sentence(address, message):
    code = (
        "from maxin.runners import Ray; from maxin.core import InvalidInput\n"
        f"try: Ray(lambda *_: 1, address={address!r}).check([])\n"
        "except InvalidInput as error: print(error)"
    )
    assert imported(code).startswith(message)


def test_an_executor_runs_calls_on_the_cluster(cluster):
    with RayExecutor(cluster.address) as executor:
        assert executor.n_workers >= 3
        futures = [executor.submit(pow, base, exp=2) for base in range(10)]
        assert [future.result(LONG) for future in futures] == [base**2 for base in range(10)]
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result(LONG)
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(pow, 2, 2)


def test_an_executor_that_is_shut_down_cancels_what_it_has(cluster):
    import time

    executor = RayExecutor(cluster.address)
    futures = [executor.submit(time.sleep, LONG) for _ in range(9)]
    executor.shutdown(cancel_futures=True)
    assert all(future.cancelled() for future in futures)
