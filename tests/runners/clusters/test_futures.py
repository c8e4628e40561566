"""Executors: pools of threads and processes, and a Dask cluster, whose workers may die."""

import os
import signal
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from maxin.core import Entrant, InvalidInput
from maxin.runners import Futures, Job, MatchFailed, RunnerLost
from maxin.tournament import Tournament
from maxin.worker import MatchesFailed, Told, Voided
from tests.helpers.leagues import NAMES, alphabet, results_of
from tests.helpers.waiting import LONG

JOB = Job(1, Entrant("anna"), Entrant("bo"), seed=7)


def processes(n_workers):
    return ProcessPoolExecutor(n_workers, get_context("spawn"))


def deadly(first: Entrant, second: Entrant, seed: int):
    """Kills its process, once there is a file `armed`, which it removes."""
    armed = Path(first.options["folder"], "armed")
    if armed.exists():
        armed.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return float(first.name < second.name)


def entrants(folder):
    return [Entrant(name, {"folder": str(folder)}) for name in NAMES]


async def judge(first, second, seed):
    return first < second


def broken(first, second, seed):
    raise ValueError("no such model")


def checked(tournament, n_matches):
    """The record verifies, and has each match once."""
    assert tournament.verify().problems == []
    numbers = [row[0] for row in results_of(tournament)]
    assert len(numbers) == len(set(numbers)) == tournament.n_matches == n_matches


@pytest.fixture(scope="module")
def pool():
    with processes(2) as executor:
        yield executor


@pytest.mark.parametrize("play", [alphabet, judge])
def test_a_tournament_in_a_pool_of_processes(pool, play):
    tournament = Tournament(NAMES, seed=1)
    tournament.run(Futures(play, pool), budget=20, confidence=None, workers=4)
    checked(tournament, 20)
    here = Tournament(NAMES, seed=1)
    here.run(alphabet, budget=20, confidence=None)
    assert {row[3] for row in results_of(tournament)} == {row[3] for row in results_of(here)}


def test_an_exception_elsewhere_is_a_failure_with_its_place(pool):
    with pytest.raises(MatchFailed) as caught:
        Futures(broken, pool).play(JOB)
    assert caught.value.reason.startswith("ValueError: no such model (test_futures.py, line ")
    assert not isinstance(caught.value, RunnerLost)


def test_a_function_that_cannot_be_sent_is_refused_before_the_first_match(pool):
    runner = Futures(lambda first, second, seed: 0.5, pool)
    with pytest.raises(InvalidInput, match=r"^the executor cannot play <function .*pickle"):
        Tournament(NAMES).run(runner)


def test_a_broken_pool_ends_the_run_and_loses_nothing(pool, tmp_path):
    tournament = Tournament(entrants(tmp_path), f"sqlite:///{tmp_path}/league.db")
    events = []

    def watch(event):
        events.append(type(event))
        if isinstance(event, Told) and events.count(Told) == 9:  # matches have worked
            (tmp_path / "armed").touch()

    ends = {"budget": 40, "confidence": None, "workers": 3}
    with processes(2) as executor:
        runner = Futures(deadly, executor)
        with pytest.raises(MatchesFailed, match=r"es: the executor is broken: BrokenProcessPool: "):
            tournament.run(runner, **ends, watch=watch)
    assert 9 <= tournament.n_matches < 40
    assert Voided not in events
    assert set(tournament.states.values()) == {"active"}  # nobody is to blame
    tournament.run(Futures(deadly, pool), **ends)
    checked(tournament, 40)


def test_an_executor_that_was_shut_down_ends_the_run():
    executor = ThreadPoolExecutor(2)
    runner, tournament = Futures(alphabet, executor), Tournament(NAMES)
    tournament.run(runner, budget=5, confidence=None)
    executor.shutdown()
    with pytest.raises(RunnerLost, match=r"^the executor takes no games: RuntimeError: cannot sch"):
        runner.play(JOB)
    with pytest.raises(InvalidInput, match="takes no games"):
        tournament.run(runner, budget=9, confidence=None)
    assert tournament.n_matches == 5


class Never(Executor):
    """Takes games, counts them, and never plays any."""

    def __init__(self):
        self.given = []

    def submit(self, function, /, *arguments):
        self.given.append(Future())
        return self.given[-1]


def test_no_more_games_than_workers_wait_on_the_executor():
    counts = []

    class Counting(ThreadPoolExecutor):
        n_waiting, lock = 0, threading.Lock()

        def count(self, change):
            with self.lock:
                self.n_waiting += change
                counts.append(self.n_waiting)

        def submit(self, function, /, *arguments):
            self.count(+1)
            future = super().submit(function, *arguments)
            future.add_done_callback(lambda _: self.count(-1))
            return future

    with Counting(8) as executor:
        Tournament(NAMES).run(Futures(alphabet, executor), budget=60, confidence=None, workers=3)
    assert max(counts) <= 3


def test_a_kill_cancels_what_waits_on_the_executor():
    executor = Never()
    runner = Futures(alphabet, executor)
    with ThreadPoolExecutor(3) as threads:
        games = [threads.submit(runner.play, JOB) for _ in range(3)]
        while len(executor.given) < 3:
            pass
        runner.kill()
        reasons = [game.exception(timeout=LONG).reason for game in games]
    assert reasons == ["the game was stopped"] * 3
    assert all(future.cancelled() for future in executor.given)


def test_a_game_that_the_executor_cancels_ends_the_run():
    executor = Never()
    with ThreadPoolExecutor(1) as threads:
        game = threads.submit(Futures(alphabet, executor).play, JOB)
        while not executor.given:
            pass
        executor.given[0].cancel()
        assert isinstance(game.exception(timeout=LONG), RunnerLost)


def test_something_else_than_an_executor_is_refused():
    with pytest.raises(InvalidInput, match=r"^executor must be a concurrent.futures.Executor, .*3"):
        Futures(alphabet, 3)


# Dask


@pytest.fixture(scope="module")
def dask():
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_tournament_on_dask(dask):
    tournament = Tournament(NAMES, seed=1)
    runner = Futures(lambda first, second, seed: first < second, dask.get_executor())
    report = tournament.run(runner, budget=40, workers=4)
    assert report.top.players == ("anna",)
    checked(tournament, report.n_matches)


def test_equal_games_are_played_twice_on_dask(dask):
    import random

    def chance(first, second, seed):
        return random.random()

    runner = Futures(chance, dask.get_executor())
    with ThreadPoolExecutor(4) as threads:
        scores = list(threads.map(lambda _: runner.play(JOB).score, range(4)))
    assert len(set(scores)) == 4


def test_a_dask_worker_that_dies_loses_nothing(dask, tmp_path):
    tournament = Tournament(entrants(tmp_path), f"sqlite:///{tmp_path}/league.db")
    runner = Futures(deadly, dask.get_executor())
    tournament.run(runner, budget=5, confidence=None, workers=2)
    (tmp_path / "armed").touch()
    tournament.run(runner, budget=20, confidence=None, workers=2)
    assert not (tmp_path / "armed").exists()
    checked(tournament, 20)
