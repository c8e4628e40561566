import itertools

import numpy as np
import pytest

from maxin.core import Match, Result
from maxin.ratings import BradleyTerry
from maxin.schedulers import RoundRobin
from maxin.schedulers.base import n_pairs


def rng(seed=0):
    return np.random.default_rng(seed)


def asks(scheduler, n):
    return [scheduler.ask() for _ in range(n)]


@pytest.mark.parametrize("n_players", [2, 3, 4, 7, 10])
def test_every_pair_meets_once_and_nobody_plays_twice_in_a_round(n_players):
    matches = asks(RoundRobin(BradleyTerry(n_players), rng=rng()), n_pairs(n_players) + 1)
    assert matches.pop() is None
    assert len({frozenset(match) for match in matches}) == n_pairs(n_players)
    per_round = n_players // 2
    for start in range(0, len(matches), per_round):
        busy = list(itertools.chain(*matches[start : start + per_round]))
        assert len(set(busy)) == len(busy)
    first = np.bincount([match.first for match in matches], minlength=n_players)
    assert first.max() - first.min() <= 2


def test_seats_are_swapped_in_the_second_cycle():
    matches = asks(RoundRobin(BradleyTerry(4), rng=rng(), cycles=2), 13)
    assert matches.pop() is None
    assert matches[6:] == [Match(b, a) for a, b in matches[:6]]


def test_a_result_nobody_asked_for_counts_as_the_pairs_match():
    scheduler = RoundRobin(BradleyTerry(4), rng=rng())
    scheduler.tell(Result(Match(0, 1), 1.0))
    assert frozenset((0, 1)) not in {frozenset(match) for match in asks(scheduler, 5)}
    assert scheduler.ask() is None
