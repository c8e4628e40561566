import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput
from maxin.ratings import Tally
from maxin.views.crosstable import Coverage, Crosstable, n_pairs_met

NAMES = ["anna", "bo", "cy", "dee"]
games = st.lists(
    st.tuples(st.permutations(range(4)), st.sampled_from([0.0, 0.5, 1.0])), max_size=30
)


def tally_of(played):
    tally = Tally(4)
    for (first, second, *_), score in played:
        tally.add(first, second, score)
    return tally


@given(games, st.sets(st.integers(0, 3)))
def test_pairs_are_counted_without_a_table(played, players):
    tally, some = tally_of(played), sorted(players)
    table = Crosstable.of(NAMES, tally, [NAMES[player] for player in some])
    assert n_pairs_met(tally, some) == table.coverage.n_pairs_met


@given(games)
def test_the_points_of_a_pair_add_up_to_its_matches(played):
    table = Crosstable.of(NAMES, tally_of(played))
    np.testing.assert_allclose(table.points + table.points.T, table.n_met)
    assert table.n_met.sum() == 2 * len(played)
    np.testing.assert_array_equal(table.n_met.sum(axis=1), table.n_played)


@given(games, st.permutations(NAMES))
def test_the_order_of_the_players_changes_nothing_but_the_order(played, ranked):
    tally = tally_of(played)
    plain, ordered = Crosstable.of(NAMES, tally), Crosstable.of(NAMES, tally, ranked)
    for row, one in enumerate(ranked):
        for column, other in enumerate(ranked):
            pair = NAMES.index(one), NAMES.index(other)
            assert ordered.points[row, column] == plain.points[pair]
            assert ordered.n_met[row, column] == plain.n_met[pair]
    assert sorted(ordered.coverage.starved) == sorted(plain.coverage.starved)
    assert ordered.coverage._replace(starved=()) == plain.coverage._replace(starved=())


def test_a_match_of_several_games_counts_once():
    tally = Tally(2)
    tally.add_many([0, 1, 0], [1, 0, 1], [1.0, 0.0, 0.5], [1 / 3] * 3)
    table = Crosstable.of(["anna", "bo"], tally)
    assert table.n_met[0, 1] == 1
    assert table.points[0, 1] == pytest.approx(2.5 / 3)


def test_players_that_are_not_shown_still_count_as_opponents():
    tally = Tally(3)
    tally.add_many([0, 0, 1], [1, 2, 2], [1.0, 1.0, 0.5])
    table = Crosstable.of(["anna", "bo", "cy"], tally, ["bo", "anna"])
    assert table.names == ("bo", "anna")
    assert table.n_met.sum() == 2
    assert table.n_played.tolist() == [2, 2]


def test_coverage_names_every_player_with_the_fewest_matches():
    tally = Tally(4)
    tally.add_many([0, 0, 1], [1, 2, 0], [1.0, 1.0, 0.5])
    coverage = Crosstable.of(NAMES, tally).coverage
    assert coverage == Coverage(n_pairs=6, n_pairs_met=2, fewest_matches=0, starved=("dee",))
    assert Crosstable.of(NAMES, Tally(4)).coverage.starved == tuple(NAMES)


@pytest.mark.parametrize("n_players", [0, 1])
def test_without_a_pair_there_is_no_share(n_players):
    coverage = Crosstable.of(NAMES[:n_players], Tally(n_players)).coverage
    assert coverage.share_met is None
    assert coverage.n_pairs == coverage.fewest_matches == 0


def test_the_documents_are_json():
    tally = Tally(2)
    tally.add(0, 1, 0.5)
    table = Crosstable.of(["anna", "bo"], tally)
    assert json.loads(json.dumps(table.document())) == {
        "players": ["anna", "bo"],
        "points": [[0.0, 0.5], [0.5, 0.0]],
        "matches": [[0, 1], [1, 0]],
    }
    assert json.loads(json.dumps(table.coverage.document())) == {
        "n_pairs": 1,
        "n_pairs_met": 1,
        "share_met": 1.0,
        "fewest_matches": 1,
        "starved": ["anna", "bo"],
    }


def test_names_must_fit_the_tally():
    with pytest.raises(InvalidInput, match="a tally of 2 players needs as many names; got 1"):
        Crosstable.of(["anna"], Tally(2))
    with pytest.raises(InvalidInput, match="shows players of the tally; got 'zoe'"):
        Crosstable.of(["anna", "bo"], Tally(2), ["zoe"])
