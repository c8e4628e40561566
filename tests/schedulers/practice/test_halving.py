import numpy as np
import pytest

from maxin.core import InvalidInput, Result
from maxin.ratings import Pairs
from maxin.schedulers import Halving


def play(scheduler, n_matches):
    """The higher number wins."""
    for _ in range(n_matches):
        match = scheduler.ask()
        scheduler.tell(Result(match, float(match.first > match.second)))


@pytest.mark.parametrize("n_players", [2, 3, 5, 8, 13])
def test_the_better_half_stays_until_one_is_left(n_players):
    scheduler = Halving(n_players, rng=np.random.default_rng(0), budget=400)
    n_stage, sizes = 400 // scheduler.n_stages, []
    for _ in range(scheduler.n_stages):
        sizes.append(len(scheduler.left))
        play(scheduler, n_stage)
    assert sizes == [-(-n_players // 2**stage) for stage in range(scheduler.n_stages)]
    assert (scheduler.n_passes, len(scheduler.left)) == (1, n_players)
    assert int(scheduler.ratings().argmax()) == n_players - 1


def test_the_budget_doubles_from_pass_to_pass():
    scheduler, ends = Halving(8, rng=np.random.default_rng(0)), []
    for _ in range(200):
        n_passes = scheduler.n_passes
        play(scheduler, 1)
        if scheduler.n_passes > n_passes:
            ends.append(scheduler.n_told)
    assert ends == [24, 24 + 48, 24 + 48 + 96]


def test_only_those_left_play_and_all_meet_before_any_meet_again():
    scheduler = Halving(8, rng=np.random.default_rng(0), budget=84)
    first = scheduler.ask_many(28)
    assert len({frozenset(match) for match in first}) == 28
    for match in first:
        scheduler.tell(Result(match, float(match.first > match.second)))
    assert scheduler.left == [4, 5, 6, 7]
    again = scheduler.ask_many(12)
    assert {player for match in again for player in match} == {4, 5, 6, 7}
    seatings = {tuple(match) for match in again}
    assert len(seatings) == 12  # everyone in either seat


def test_matches_of_an_earlier_stage_may_end_late():
    scheduler = Halving(4, rng=np.random.default_rng(0), budget=8)
    late, *asked = scheduler.ask_many(5)
    for match in asked:
        scheduler.tell(Result(match, float(match.first > match.second)))
    assert scheduler.left == [2, 3]
    scheduler.tell(Result(late, 1.0))
    assert set(scheduler.ask()) == {2, 3}


def test_the_stage_follows_from_the_points():
    """Stages of 6 players take 6, 6 and 6 matches, then 12, 12 and 12."""
    points = np.triu(np.ones((6, 6)), 1)  # 15 matches, which the lower number wins
    scheduler = Halving(6, rng=np.random.default_rng(0))
    scheduler.start_from(Pairs.of_table(points), 0.0)
    assert scheduler.left == [0, 1]
    for _ in range(3):
        scheduler.tell(Result(scheduler.ask(), 0.5))
    assert (scheduler.left, scheduler.n_passes) == (list(range(6)), 1)


def test_a_player_who_has_not_played_brings_everyone_back():
    points = np.triu(np.ones((6, 6)), 1)
    points[:, 5] = 0.0
    scheduler = Halving(6, rng=np.random.default_rng(0))
    scheduler.start_from(Pairs.of_table(points), 0.0)
    assert scheduler.left == list(range(6))
    assert scheduler.ask() is not None


@pytest.mark.parametrize("budget", [0, -3])
def test_a_budget_without_a_match_is_refused(budget):
    with pytest.raises(InvalidInput, match=f"at least 1 match; got {budget}"):
        Halving(4, rng=np.random.default_rng(0), budget=budget)
