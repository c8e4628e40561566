import numpy as np

from maxin.core import Match, Result
from maxin.ratings import BradleyTerry
from maxin.schedulers import RGUCB
from maxin.schedulers.base import n_pairs


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_pair_is_dropped_once_its_intervals_separate():
    scheduler = RGUCB(BradleyTerry(3), rng=rng(), delta=0.2)
    for n_wins in range(1, 6):
        scheduler.tell(Result(Match(1, 0), 1.0))
        is_separate = np.sqrt(np.log(10.0) / (2 * n_wins)) < 0.5
        assert is_separate == (n_wins >= 5)
        seen = {frozenset(scheduler.ask()) for _ in range(6)}
        for match in list(scheduler.in_flight):
            scheduler.withdraw(match)
        assert (frozenset((0, 1)) not in seen) == is_separate


def test_nothing_is_asked_when_every_pair_is_resolved():
    scheduler = RGUCB(BradleyTerry(4), rng=rng())
    n_matches = 0
    while (match := scheduler.ask()) is not None:
        scheduler.tell(Result(match, float(match.first < match.second)))
        n_matches += 1
    assert n_matches == 5 * n_pairs(4)
