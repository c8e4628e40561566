import numpy as np
import pytest

from maxin.core import Match, Result
from maxin.ratings import Pairs
from maxin.schedulers import Swiss
from maxin.schedulers.practice.swiss_pairing import SwissTable, pairing_costs, swiss_round


def play_round(scheduler, rng, in_flight=100):
    """Ask and tell matches until the scheduler has no more to ask for this round."""
    matches = scheduler.ask_many(in_flight)
    for place in rng.permutation(len(matches)).tolist():
        scheduler.tell(Result(matches[place], float(rng.choice([0.0, 0.5, 1.0]))))
    return matches


def seats_of(log, player):
    return [1 if match.first == player else -1 for match in log if player in match]


@pytest.mark.parametrize("n_players", [2, 3, 6, 7, 8, 12, 13])
@pytest.mark.parametrize("seed", range(3))
def test_everyone_plays_once_per_round_and_an_odd_player_has_a_bye(n_players, seed):
    rng = np.random.default_rng(seed)
    swiss = Swiss(n_players, rng=rng)
    rested = []
    for _ in range(n_players):
        matches = play_round(swiss, rng)
        players = [player for match in matches for player in match]
        assert len(set(players)) == len(players) == n_players // 2 * 2
        rested += set(range(n_players)) - set(players)
    if n_players % 2:
        assert sorted(rested) == list(range(n_players))  # nobody twice


@pytest.mark.parametrize("n_players", [6, 7, 10, 11])
@pytest.mark.parametrize("seed", range(5))
def test_nobody_meets_twice_while_that_is_avoidable(n_players, seed):
    """Pairs are met a second time only if no round without rematches is left."""
    rng = np.random.default_rng(seed)
    swiss, met = Swiss(n_players, rng=rng), set()
    for _ in range(n_players // 2):  # a graph in which everyone has half as many rivals left
        pairs = {frozenset(match) for match in play_round(swiss, rng)}
        assert not pairs & met
        met |= pairs


def test_scores_are_close_and_the_halves_of_a_group_meet():
    scores = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    nobody, met = np.zeros(6, dtype=np.int64), np.zeros((6, 6))
    table = SwissTable(scores, met, nobody, nobody, nobody, np.arange(6))
    assert swiss_round(table)[0].tolist() == [[0, 2], [1, 3], [4, 5]]
    met[0, 2] = met[2, 0] = 1.0
    assert swiss_round(table)[0].tolist() == [[0, 3], [1, 2], [4, 5]]
    met[0, :4] = met[:4, 0] = 1.0  # it has met everyone with as many points
    assert swiss_round(table)[0].tolist() == [[0, 4], [1, 3], [2, 5]]


def test_a_seat_matters_less_than_points_and_more_than_the_half_of_a_group():
    scores, seats = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0]), np.array([1, -1, 1, -1, -1, 1])
    nobody, met = np.zeros(6, dtype=np.int64), np.zeros((6, 6))
    table = SwissTable(scores, met, nobody, seats, seats, np.arange(6))
    costs = pairing_costs(table, table.order())
    assert costs[0, [3, 1, 2, 4]].argsort().tolist() == [0, 1, 2, 3]
    pairs, bye = swiss_round(table)
    assert (pairs.tolist(), bye) == ([[3, 0], [1, 2], [4, 5]], None)


@pytest.mark.parametrize("seed", range(5))
def test_seats_are_balanced(seed):
    rng = np.random.default_rng(seed)
    swiss, log = Swiss(10, rng=rng), []
    for _ in range(9):
        log += play_round(swiss, rng)
    totals = [abs(sum(seats_of(log, player))) for player in range(10)]
    assert max(totals) <= 3
    assert np.mean(totals) < 1.7  # one is least: the number of rounds is odd


def test_a_round_waits_for_its_last_match():
    swiss = Swiss(6, rng=np.random.default_rng(0))
    asked = swiss.ask_many(10)
    assert len(asked) == 3
    for match in asked[:2]:
        swiss.tell(Result(match, 1.0))
        assert swiss.ask() is None
    swiss.withdraw(asked[2])
    assert swiss.ask() == asked[2]
    swiss.tell(Result(asked[2], 1.0))
    winners = {match.first for match in asked}
    assert len(set(swiss.ask()) & winners) == 2


def test_results_nobody_asked_for_count_as_points_and_as_meetings():
    swiss = Swiss(4, rng=np.random.default_rng(0))
    first, second = swiss.ask_many(2)
    other = Match(first.first, second.first)
    swiss.tell(Result(other, 1.0))
    assert swiss.scores()[[first.first, second.first]].tolist() == [0.5, -0.5]
    for match in (first, second):
        swiss.tell(Result(match, 0.5))
    assert set(other) not in [set(match) for match in swiss.ask_many(2)]


def test_points_alone_are_enough_to_pair_the_next_round():
    swiss = Swiss(4, rng=np.random.default_rng(0))
    points = np.zeros((4, 4))
    points[0, 1] = points[2, 3] = 1.0
    swiss.start_from(Pairs.of_table(points), 0.0)
    assert [set(match) for match in swiss.ask_many(3)] == [{0, 2}, {1, 3}]
