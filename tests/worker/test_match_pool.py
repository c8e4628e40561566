"""Retries wait: longer each time, by chance, and not when the run ends."""

import threading

import pytest

from maxin.core import Entrant
from maxin.core.retrying import LONGEST_BACKOFF, retry_pause
from maxin.runners import MatchFailed, Threads
from maxin.tournament import Tournament
from maxin.worker.match_pool import MatchPool
from maxin.worker.source import Fail, Tell
from tests.helpers.leagues import NAMES
from tests.helpers.shaky import Shaky
from tests.helpers.waiting import LONG


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
    [(_, done)] = pool.finished()
    pool.dismiss()
    assert isinstance(done, Tell)
    assert [failure.reason for failure in done.failures] == ["busy"] * 3
    assert clock.waits == [
        retry_pause(attempt, 2.0, LONGEST_BACKOFF, seed=ticket.seed) for attempt in (1, 2, 3)
    ]


def test_matches_that_wait_for_a_thread_are_taken_back():
    begun, ends = threading.Event(), threading.Event()

    def play(first, second, seed):
        begun.set()
        ends.wait(LONG)
        return 1.0

    tournament = Tournament(NAMES)
    pool = MatchPool(Threads(play), 1, 1, retries=0, backoff=1.0)
    played, *others = tournament.ask_many(3)
    for ticket in (played, *others):
        pool.start(ticket, Entrant(ticket.first), Entrant(ticket.second))
    assert begun.wait(LONG)
    assert (pool.n_free, pool.n_waiting) == (0, 2)
    assert pool.take_back() == others
    assert (list(pool.running.values()), pool.n_waiting) == ([played], 0)
    ends.set()
    pool.wait(LONG)
    [(ticket, _)] = pool.finished()
    pool.dismiss()
    assert ticket == played
    assert pool.n_free == 1


@pytest.mark.parametrize("retries", [1, 5])
def test_an_interrupted_run_does_not_wait_for_a_retry(retries):
    tournament, runner = Tournament(NAMES), failing(9)
    pool = MatchPool(runner, 1, 1, retries=retries, backoff=LONG * 1000)
    ticket = tournament.ask()
    threading.Timer(0.05, pool.leave).start()
    pool.start(ticket, Entrant(ticket.first), Entrant(ticket.second))
    pool.wait(LONG)
    [(_, done)] = pool.finished()
    pool.dismiss()
    assert isinstance(done, Fail)
    assert len(runner.attempts) == 1
