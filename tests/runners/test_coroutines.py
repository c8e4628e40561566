"""The limits of a service: places, pace, retries and time. No test depends on speed."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import Entrant, InvalidInput
from maxin.core.retrying import LONGEST_BACKOFF, retry_pause
from maxin.runners import EventLoop, Job, MatchFailed, coroutines
from maxin.runners.coroutines import Pace
from maxin.tournament import Tournament
from maxin.worker import Asked
from tests.helpers.waiting import LONG, with_more_time

ANNA, BO = Entrant("anna"), Entrant("bo")
JOB = Job(1, ANNA, BO, seed=7)


class Busy(Exception):
    """The service has too much to do."""


class Service:
    """Answers after a number of refusals, and counts its calls."""

    def __init__(self, *refusals):
        self.refusals, self.n_calls = list(refusals), 0

    async def __call__(self, first, second, seed):
        self.n_calls += 1
        if self.refusals:
            raise self.refusals.pop(0)
        return first < second


class Crowd:
    """Keeps every call until `size` of them are there, and more would have come."""

    def __init__(self, size, may_leave=lambda: True):
        self.size, self.may_leave, self.inside, self.most = size, may_leave, 0, 0
        self.is_complete = False

    async def __call__(self, first, second, seed):
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.is_complete |= self.inside >= self.size
        while not (self.is_complete and self.may_leave()):
            await asyncio.sleep(0.02)
        self.inside -= 1
        return 0.5


def failure(runner):
    with pytest.raises(MatchFailed) as caught:
        runner.play(JOB)
    return caught.value


def test_five_hundred_calls_are_in_flight_and_no_more():
    asked = []

    def watch(event):
        asked.extend([event] if isinstance(event, Asked) else [])

    crowd = Crowd(500, may_leave=lambda: len(asked) >= 520)
    tournament = Tournament([f"player {number}" for number in range(40)])
    ends = {"budget": 540, "confidence": None, "workers": 520}
    report = tournament.run(EventLoop(crowd, in_flight=500), **ends, watch=watch)
    assert (report.n_matches, crowd.most) == (540, 500)


def test_two_runs_share_the_places_of_a_runner():
    crowd = Crowd(3)
    runner = EventLoop(crowd, in_flight=3)

    def run(seed):
        tournament = Tournament(["anna", "bo", "cy"], seed=seed)
        return tournament.run(runner, budget=20, confidence=None, workers=3).n_matches

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, (1, 2))) == [20, 20]
    assert crowd.most == 3


@given(st.lists(st.floats(0.0, 5.0), min_size=1, max_size=30), st.floats(0.5, 50.0))
def test_calls_start_evenly_spaced_and_wait_no_longer_than_they_must(pauses, rate):
    pace, now, starts = Pace(rate), 0.0, []
    for pause in pauses:
        now += pause
        wait = pace.reserve(now)
        earliest = starts[-1] + 1.0 / rate if starts else 0.0
        assert now + wait == pytest.approx(max(now, earliest))
        starts.append(now + wait)


def test_calls_keep_the_pace_on_a_real_clock():
    starts = []

    async def play(first, second, seed):
        starts.append(asyncio.get_running_loop().time())
        return 0.5

    runner, begun = EventLoop(play, rate=200.0), time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(runner.play, [JOB] * 24))
    # Any call may be late on a slow machine, the first one too, but call k is never early: it
    # waits for k spaces since the first was reserved, which was after `begun`.
    assert starts[-1] - begun >= 23 / 200.0 - 1e-3


def test_the_named_exceptions_are_retried_and_are_no_failures():
    service = Service(Busy(), Busy(), ConnectionResetError())
    tournament = Tournament(["anna", "bo"])
    runner = EventLoop(service, retry_on=(Busy, OSError), retries=3, backoff=0.0)
    events = []
    tournament.run(runner, budget=1, confidence=None, watch=events.append)
    assert service.n_calls == 4
    assert "Failed" not in [type(event).__name__ for event in events]


@pytest.mark.parametrize(
    ("error", "n_calls"), [(Busy("429"), 3), (ValueError("bad"), 1), (SystemExit(), 1)]
)
def test_the_last_attempt_and_any_other_exception_fail_the_match(error, n_calls):
    service = Service(*[error] * 9)
    failed = failure(EventLoop(service, retry_on=Busy, retries=2, backoff=0.0))
    assert failed.reason.startswith(type(error).__name__)
    assert service.n_calls == n_calls


def test_a_retry_waits_as_long_as_any_other(monkeypatch):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    monkeypatch.setattr(coroutines.asyncio, "sleep", sleep)
    EventLoop(Service(Busy(), Busy()), retry_on=Busy, backoff=2.0).play(JOB)
    pauses = [retry_pause(attempt, 2.0, LONGEST_BACKOFF, seed=JOB.seed) for attempt in (1, 2)]
    assert waits == [0.0, pauses[0], 0.0, pauses[1], 0.0]


def test_a_call_that_waits_for_its_retry_leaves_its_place():
    has_failed = threading.Event()

    async def play(first, second, seed):
        if first == "anna" and not has_failed.is_set():
            has_failed.set()
            raise Busy
        return 0.5

    runner = EventLoop(play, in_flight=1, retry_on=Busy, backoff=1e9)  # she waits for 57 s
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(runner.play, JOB)
        assert has_failed.wait(LONG)
        assert runner.play(Job(2, BO, ANNA, seed=7)).score == 0.5
        assert not waiting.done()
        runner.kill()


def test_a_call_that_takes_too_long_fails():
    async def play(first, second, seed):
        await asyncio.sleep(LONG)

    failed = failure(EventLoop(play, timeout=0.01))
    assert failed.reason == "the call timed out after 0.01 s"


def test_a_time_out_may_be_retried():
    calls = []

    async def play(first, second, seed):
        calls.append(seed)
        await asyncio.sleep(LONG if len(calls) < 3 else 0)
        return 1.0

    runner = EventLoop(play, timeout=0.05, retry_on=TimeoutError, backoff=0.0, retries=99)
    assert runner.play(JOB).score == 1.0


def test_waiting_for_a_place_does_not_count_for_the_time_limit():
    def test(limit):
        async def play(first, second, seed):
            await asyncio.sleep(0.6 * limit)
            return 0.5

        runner = EventLoop(play, in_flight=1, timeout=limit)
        with ThreadPoolExecutor(3) as pool:  # the last one waits for 1.2 limits
            assert [game.score for game in pool.map(runner.play, [JOB] * 3)] == [0.5] * 3

    with_more_time(test)


def test_a_time_out_of_the_function_itself_is_its_own():
    failed = failure(EventLoop(Service(TimeoutError("the model sleeps")), timeout=LONG))
    assert failed.reason.startswith("TimeoutError: the model sleeps")


def test_a_kill_cancels_calls_and_waits():
    begun = threading.Event()

    async def play(first, second, seed):
        begun.set()
        await asyncio.sleep(LONG)

    runner = EventLoop(play, in_flight=1)
    with ThreadPoolExecutor(2) as pool:
        games = [pool.submit(runner.play, JOB) for _ in range(2)]  # one calls, one waits
        assert begun.wait(LONG)
        runner.kill()
        reasons = [game.exception(timeout=LONG).reason for game in games]
    assert reasons == ["the game was stopped"] * 2


def test_a_function_that_would_block_the_loop_is_refused():
    failed = failure(EventLoop(lambda first, second, seed: 0.5))
    assert failed.reason == (
        "play must be an async function; it returned 0.5, which cannot be awaited"
    )
    assert failed.is_hopeless


def test_a_function_may_ask_for_entrants():
    async def play(first: Entrant, second: Entrant, seed: int):
        return first.options["strength"] > second.options["strength"]

    job = Job(1, Entrant("a", {"strength": 2}), Entrant("b", {"strength": 1}), seed=0)
    assert EventLoop(play, in_flight=2).play(job).score == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"in_flight": 0}, "in_flight must be at least 1; got 0"),
        ({"rate": -1}, "rate must be positive and finite; got -1"),
        ({"timeout": 0}, "timeout must be positive and finite; got 0"),
        ({"retries": -1}, "retries must be at least 0; got -1"),
        ({"backoff": -0.5}, "backoff must be a number of seconds, at least 0; got -0.5"),
        ({"retry_on": (OSError, 429)}, "retry_on must be exceptions, such as OSError; got 429"),
        ({"retry_on": KeyboardInterrupt}, "retry_on must be exceptions, such as OSError; got <"),
    ],
)
def test_invalid_limits_are_named(options, message):
    with pytest.raises(InvalidInput) as caught:
        EventLoop(Service(), **options)
    assert str(caught.value).startswith(message)
