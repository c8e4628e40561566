"""Jobs to play, and a check that no process is left behind."""

import pytest

from maxin.core import Entrant
from maxin.runners import Job
from tests.helpers.processes import own_processes
from tests.helpers.waiting import wait_until


@pytest.fixture
def job():
    """Makes jobs; players are given as entrants or by name."""

    def make(first="anna", second="bo", seed=7, number=1):
        players = (
            player if isinstance(player, Entrant) else Entrant(player) for player in (first, second)
        )
        return Job(number, *players, seed)

    return make


@pytest.fixture
def nothing_left():
    """Fails if the test leaves a process behind."""
    yield
    wait_until(lambda: not own_processes())
