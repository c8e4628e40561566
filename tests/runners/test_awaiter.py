"""Coroutine functions: many matches wait on one loop, and none can be left behind."""

import asyncio
import functools
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from maxin.core import Entrant
from maxin.runners import Job, MatchFailed, Threads
from maxin.tournament import Tournament
from maxin.worker import Asked
from tests.helpers.leagues import NAMES
from tests.helpers.waiting import LONG, wait_until

JOB = Job(1, Entrant("anna"), Entrant("bo"), seed=7)


async def judge(first, second, seed):
    await asyncio.sleep(0)
    return first < second


class Client:
    async def compare(self, first, second, seed):
        return await judge(first, second, seed)

    async def __call__(self, first, second, seed):
        return await judge(first, second, seed)


class Promise:
    """Not a coroutine, but it can be awaited."""

    def __await__(self):
        return judge("anna", "bo", 7).__await__()


AWAITED = [judge, Client(), Client().compare, functools.partial(judge), lambda *_: Promise()]
AWAITED += [lambda *given: judge(*given)]


@pytest.mark.parametrize("play", AWAITED)
def test_whatever_a_function_returns_is_awaited(play):
    assert Threads(play).play(JOB).score == 1.0


def test_all_matches_share_one_loop_with_the_runs_before():
    loops = []

    async def play(first, second, seed):
        loops.append(asyncio.get_running_loop())
        return 0.5

    for _ in range(2):
        Tournament(NAMES).run(play, budget=4, confidence=None, workers=2)
    assert len(loops) == 8
    assert len(set(map(id, loops))) == 1


def test_as_many_matches_as_workers_wait_at_the_same_time():
    waiting, everybody = set(), 50
    all_here = asyncio.Event()

    async def play(first, second, seed):
        waiting.add(seed)
        if len(waiting) == everybody:
            all_here.set()
        await asyncio.wait_for(all_here.wait(), LONG)
        return 0.5

    tournament = Tournament([f"p{number}" for number in range(30)])
    report = tournament.run(play, budget=everybody, confidence=None, workers=everybody)
    assert report.n_matches == everybody


def failure(play):
    with pytest.raises(MatchFailed) as caught:
        Threads(play).play(JOB)
    return caught.value


def test_an_exception_is_a_failure_with_its_traceback_and_its_cause():
    async def play(first, second, seed):
        raise ValueError("no such model")

    failed = failure(play)
    line = play.__code__.co_firstlineno + 1
    assert failed.reason == f"ValueError: no such model (test_awaiter.py, line {line})"
    assert "in play" in failed.log
    assert isinstance(failed.__cause__, ValueError)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, asyncio.CancelledError])
def test_no_exception_ends_the_loop(error):
    async def play(first, second, seed):
        raise error

    assert failure(play).reason.startswith(error.__name__)
    assert Threads(judge).play(JOB).score == 1.0


def test_an_invalid_score_is_named():
    async def play(first, second, seed):
        return "anna"

    assert "got 'anna'" in failure(play).reason


def test_a_kill_cancels_what_is_awaited():
    started, cancelled = threading.Barrier(3, timeout=LONG), []

    async def play(first, second, seed):
        try:
            await asyncio.to_thread(started.wait)
            await asyncio.sleep(LONG)
        except asyncio.CancelledError:
            cancelled.append(first)
            raise

    runner = Threads(play)
    with ThreadPoolExecutor(2) as pool:
        games = [pool.submit(runner.play, JOB) for _ in range(2)]
        started.wait()
        runner.kill()
        failures = [game.exception(timeout=LONG) for game in games]
    assert [error.reason for error in failures] == ["the game was stopped"] * 2
    wait_until(lambda: cancelled == ["anna"] * 2)


def test_a_second_interrupt_cancels_the_matches():
    begun, cancelled = threading.Event(), []

    async def play(first, second, seed):
        begun.set()
        try:
            await asyncio.sleep(LONG)
        except asyncio.CancelledError:
            cancelled.append(seed)
            raise

    def watch(event):
        if isinstance(event, Asked):
            assert begun.wait(LONG)
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    report = Tournament(NAMES).run(play, budget=9, watch=watch)
    assert (report.reason, report.n_matches) == ("interrupted", 0)
    wait_until(lambda: len(cancelled) == 1)
