"""A duel: the scores of two players, counted by game or by pair."""

import pytest

from maxin.ratings import Tally
from maxin.views.recorded.duel import Duel


def duel(tally, players=(0, 1)):
    return Duel.of(("anna", "bo"), tally, players, None)


def test_games_are_counted_from_the_first_players_view_in_either_seat():
    tally = Tally(2)
    tally.add_many([0, 0, 0, 1], [1, 1, 1, 0], [1.0, 1.0, 0.5, 1.0])
    assert duel(tally).sample.counts == (1, 1, 2)


@pytest.mark.parametrize(
    ("games", "place"),
    [([1.0, 1.0], 4), ([1.0, 0.5], 3), ([0.5, 0.5], 2), ([1.0, 0.0], 2), ([0.0, 0.0], 0)],
)
def test_pairs_are_counted_by_their_points(games, place):
    for first, mirrored in ((0, place), (1, 4 - place)):
        tally = Tally(2)
        tally.add_match(first, 1 - first, games)
        tally.add_match(first, 1 - first, [*games, *games])
        counts = duel(tally).sample.counts
        assert [counts[mirrored], sum(counts)] == [3, 3]


def test_a_pair_that_was_retracted_is_gone():
    tally = Tally(2)
    tally.add_match(0, 1, [1.0, 0.5])
    tally.add_match(0, 1, [1.0, 1.0])
    tally.remove_match(0, 1, [1.0, 0.5])
    assert duel(tally).sample.counts == (0, 0, 0, 0, 1)


@pytest.mark.parametrize("games", [[0.3], [0.3, 0.7], [1.0, 0.5, 0.5]])
def test_graded_scores_and_odd_matches_give_no_duel(games):
    tally = Tally(2)
    assert duel(tally) is None
    tally.add_match(0, 1, games)
    assert duel(tally) is None


def test_pairs_and_single_games_are_not_mixed():
    tally = Tally(2)
    tally.add_match(0, 1, [1.0, 0.5])
    tally.add(0, 1, 1.0)
    assert duel(tally) is None


def test_games_against_others_do_not_count():
    tally = Tally(3)
    tally.add_many([0, 2, 1], [1, 0, 2], [1.0, 1.0, 0.3])
    assert duel(tally).sample.counts == (0, 0, 1)
