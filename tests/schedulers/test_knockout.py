import numpy as np
import pytest

from maxin.core import Result
from maxin.ratings import BradleyTerry
from maxin.schedulers import Knockout


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("n_players", [2, 3, 6, 8, 13])
def test_a_cup_takes_one_match_fewer_than_players(n_players):
    scheduler = Knockout(BradleyTerry(n_players), rng=rng())
    while (match := scheduler.ask()) is not None:
        scheduler.tell(Result(match, float(match.first > match.second)))
    assert scheduler.n_told == n_players - 1
    assert scheduler.champion == n_players - 1


def test_draws_are_replayed_the_final_waits_and_a_new_cup_follows():
    scheduler = Knockout(BradleyTerry(4), rng=rng(), cycles=2)
    one, other = scheduler.ask(), scheduler.ask()
    assert scheduler.ask() is None  # the final has no players yet
    scheduler.tell(Result(one, 0.5))
    assert scheduler.ask() == one
    scheduler.tell(Result(one, 1.0))
    scheduler.tell(Result(other, 0.0))
    final = scheduler.ask()
    assert set(final) == {one.first, other.second}
    scheduler.tell(Result(final, 1.0))
    assert (scheduler.champion, scheduler.n_cups) == (final.first, 1)
    assert scheduler.ask() is not None
