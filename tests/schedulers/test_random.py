import numpy as np

from maxin.core import Result
from maxin.ratings import BradleyTerry
from maxin.schedulers import Random
from maxin.schedulers.base import place_of


def rng(seed=0):
    return np.random.default_rng(seed)


def test_every_pair_is_equally_likely():
    scheduler = Random(BradleyTerry(5), rng=rng())
    counts = np.zeros(10)
    for _ in range(5000):
        match = scheduler.ask()
        counts[place_of(match)] += 1
        scheduler.tell(Result(match, 0.5))
    assert (np.abs(counts - 500) < 5 * np.sqrt(500)).all()


def test_no_pair_is_asked_twice_until_all_are_pending():
    scheduler = Random(BradleyTerry(5), rng=rng())
    assert len({frozenset(scheduler.ask()) for _ in range(10)}) == 10
    assert scheduler.ask() is not None  # all are pending, so one is asked again
