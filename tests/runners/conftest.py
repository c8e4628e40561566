"""Jobs to play, patience for what comes in its own time, and proof that no process is left."""

import time

import pytest

from maxin.core import Entrant
from maxin.runners import Job
from maxin.runners.programs import reaper, sweeper


def eventually(condition, within=5.0):
    """Whether `condition` comes true soon."""
    until = time.monotonic() + within
    while not (met := condition()) and time.monotonic() < until:
        time.sleep(0.005)
    return met


@pytest.fixture(name="eventually")
def patience():
    return eventually


@pytest.fixture
def job():
    def make(first="anna", second="bo", seed=7, number=1):
        players = (
            player if isinstance(player, Entrant) else Entrant(player) for player in (first, second)
        )
        return Job(number, *players, seed)

    return make


def ours():
    """The processes that runners of this process have started, and whatever those started."""
    return sweeper.marked(reaper.marked({})[reaper.MARK])


@pytest.fixture
def running():
    return ours


@pytest.fixture
def nothing_left():
    """No test leaves a process behind."""
    yield
    assert eventually(lambda: not ours(), within=2.0), f"still running: {ours()}"
