"""Retries wait: longer each time, by chance, and not when the run ends."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import Entrant
from maxin.core.retrying import LONGEST_DELAY, retry_delay
from maxin.runners import MatchFailed
from maxin.tournament import Tournament
from maxin.worker.match_pool import MatchPool
from tests.helpers.leagues import NAMES
from tests.helpers.shaky import Shaky
from tests.helpers.waiting import LONG


@given(st.integers(0, 2**31), st.integers(1, 40), st.floats(0.0, 100.0))
def test_a_retry_waits_at_most_twice_as_long_as_the_one_before(seed, attempt, backoff):
    delay = retry_delay(backoff, attempt, seed)
    assert 0.0 <= delay <= min(backoff * 2.0 ** (attempt - 1), LONGEST_DELAY)
    assert delay == retry_delay(backoff, attempt, seed)


def test_matches_that_failed_together_return_at_different_times():
    delays = sorted(retry_delay(8.0, 1, seed) for seed in range(200))
    assert len(set(delays)) == 200
    assert delays[20] < 1.5 < 6.5 < delays[180]  # about uniform on [0, 8]


def test_nothing_waits_without_a_backoff():
    assert [retry_delay(0.0, attempt, 7) for attempt in (1, 2, 9)] == [0.0] * 3


def failing(n_failures):
    return Shaky(lambda job, attempt: MatchFailed("busy") if attempt <= n_failures else None)


class Clock:
    """An event that notes how long it is waited for, and does not wait."""

    def __init__(self):
        self.waits = []

    def wait(self, seconds):
        self.waits.append(seconds)
        return False


def test_every_retry_waits_its_own_time():
    tournament, runner = Tournament(NAMES), failing(3)
    pool = MatchPool(runner, 1, 1, retries=3, backoff=2.0)
    pool._is_leaving = clock = Clock()
    ticket = tournament.ask()
    pool.start(ticket, Entrant(ticket.first), Entrant(ticket.second))
    pool.wait(LONG)
    [done] = pool.finished()
    pool.dismiss()
    assert done.outcome is not None
    assert [failure.reason for failure in done.failures] == ["busy"] * 3
    assert clock.waits == [retry_delay(2.0, attempt, ticket.seed) for attempt in (1, 2, 3)]


@pytest.mark.parametrize("retries", [1, 5])
def test_an_interrupted_run_does_not_wait_for_a_retry(retries):
    tournament, runner = Tournament(NAMES), failing(9)
    pool = MatchPool(runner, 1, 1, retries=retries, backoff=LONG * 1000)
    ticket = tournament.ask()
    threading.Timer(0.05, pool.leave).start()
    pool.start(ticket, Entrant(ticket.first), Entrant(ticket.second))
    pool.wait(LONG)
    [done] = pool.finished()
    pool.dismiss()
    assert (done.outcome, len(runner.attempts)) == (None, 1)
