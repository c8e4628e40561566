"""Which players are shown of many."""

import pytest

from maxin.views.overview import MANY, MOST_OTHERS, Leaders
from tests.helpers.leagues import crowd, league


@pytest.fixture(scope="module")
def overview():
    return crowd([f"player {n}" for n in range(200)], 1_000).overview()


def test_the_best_are_shown_and_the_likeliest_candidates_below_them(overview):
    leaders = Leaders.of(overview)
    ranked = [row.player for row in overview.leaderboard]
    assert leaders.names[:MANY] == ranked[:MANY]
    below = [name for name in overview.top.candidates if name not in ranked[:MANY]]
    others = leaders.names[MANY:]
    assert set(others) == set(below[:MOST_OTHERS])
    assert others == sorted(others, key=ranked.index)
    assert leaders.n_hidden == len(below) - len(others)


@pytest.mark.parametrize("count", [5, 20])
def test_candidates_below_the_best_are_never_lost(overview, count):
    leaders = Leaders.of(overview, count)
    candidates = set(overview.top.candidates)
    assert len(candidates & set(leaders.names)) + leaders.n_hidden == len(candidates)
    assert len(leaders.others) == min(MOST_OTHERS, leaders.n_hidden + len(leaders.others))
    assert f"the best {count} of 200 players" in leaders.sentence


def test_everyone_of_a_few_is_shown():
    leaders = Leaders.of(league(["anna", "bo", "cy"], 9).overview())
    assert leaders.is_all
    assert (len(leaders.best), leaders.others, leaders.n_hidden) == (3, (), 0)
    assert leaders.sentence == "all 3 players"


def test_those_below_the_best_are_with_them_if_all_are_candidates():
    overview = league(["anna", "bo", "cy"], 1).overview()
    assert len(overview.top.candidates) == 3
    leaders = Leaders.of(overview, count=1)
    assert leaders.is_all
    assert (len(leaders.best), leaders.others) == (3, ())


def test_nobody_is_a_candidate_before_the_first_match():
    leaders = Leaders.of(crowd([f"player {n}" for n in range(60)], 0).overview())
    assert len(leaders.rows) == MANY
    assert leaders.sentence == "the best 50 of 60 players"
