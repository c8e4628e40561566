"""The tally against a plain twin, which has a table of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput
from maxin.ratings import Tally
from maxin.ratings.fitting.pairs import Pairs
from maxin.ratings.tally import MOST_IN_TABLE

N = 5
seats = st.permutations(range(N)).map(lambda order: order[:2])
scores = st.sampled_from([0.0, 0.25, 0.5, 1.0])
matches = st.tuples(seats, st.lists(scores, min_size=1, max_size=4))
logs = st.lists(matches, max_size=30)


class Dense:
    """Tables of all pairs, filled game by game."""

    def __init__(self, log):
        self.games, self.points, self.splits = np.zeros((3, N, N))
        self.outcomes = np.zeros((3, N, N), dtype=int)
        for (first, second), games in log:
            for place, score in enumerate(games):
                pair, share = ((first, second), score)
                if place % 2:
                    pair, share = ((second, first), 1.0 - score)
                mean = np.mean(games)
                self.games[pair] += 1 / len(games)
                self.points[pair] += share / len(games)
                self.splits[pair] += mean * (1.0 - mean) / len(games)
                self.outcomes[(share == 0.5) + 2 * (share < 0.5)][pair] += 1


def counted(log):
    tally = Tally(N)
    for (first, second), games in log:
        tally.add_match(first, second, games)
    return tally


def assert_same(tally, dense):
    for name in ("games", "points", "splits"):
        table = tally.table(getattr(tally, name))
        np.testing.assert_allclose(table, getattr(dense, name), atol=1e-12)
    for kind in range(3):
        table = tally.table(tally.outcomes[:, kind])
        np.testing.assert_array_equal(table, dense.outcomes[kind])


@given(logs)
def test_every_number_is_that_of_the_tables(log):
    tally, dense = counted(log), Dense(log)
    assert_same(tally, dense)
    crosstable = dense.points + (dense.games - dense.points).T
    np.testing.assert_allclose(tally.crosstable(), crosstable, atol=1e-12)
    np.testing.assert_allclose(tally.n_first, dense.games.sum(1), atol=1e-12)
    np.testing.assert_allclose(tally.n_second, dense.games.sum(0), atol=1e-12)
    n_matches = dense.games.sum(0) + dense.games.sum(1)
    np.testing.assert_allclose(tally.n_matches, n_matches, atol=1e-12)
    with np.errstate(invalid="ignore"):
        expected = crosstable.sum(1) / n_matches
    np.testing.assert_allclose(tally.scores, expected, atol=1e-12)
    outcomes = dense.outcomes.sum(2) + dense.outcomes[::-1].sum(1)
    np.testing.assert_array_equal(tally.outcomes_of_players(), outcomes.T)


@given(log=logs, players=st.permutations(range(N)).map(lambda order: order[:3]))
def test_some_players_have_their_part_of_the_tables(log, players):
    tally, dense, part = counted(log), Dense(log), np.ix_(players, players)
    np.testing.assert_array_equal(tally.crosstable(players), tally.crosstable()[part])
    np.testing.assert_allclose(tally.table(tally.games, players), dense.games[part], atol=1e-12)
    pairs = Pairs.of_tally(tally, players)
    assert tally.split_among(players) == pytest.approx(dense.splits[part].sum())
    np.testing.assert_allclose(pairs.table(), tally.crosstable(players), atol=1e-12)
    assert (pairs.games > 0.0).all()


@given(log=logs, more=logs)
def test_rows_may_be_added_at_once_and_to_others(log, more):
    tally, flat = counted(log), [*log, *more]
    tally.add_tally(counted(more))
    assert_same(tally, Dense(flat))
    single = [(pair, games[:1]) for pair, games in more]
    tally = counted(log)
    first, second = ([pair[seat] for pair, _ in single] for seat in (0, 1))
    tally.add_many(first, second, [games[0] for _, games in single])
    assert_same(tally, Dense([*log, *single]))
    for pair, games in single:  # one by one into rows that were added at once
        tally.add(*pair, games[0])
    assert_same(tally, Dense([*log, *single, *single]))


@given(log=logs, data=st.data())
def test_removed_matches_leave_nothing_behind(log, data):
    order = data.draw(st.permutations(log))
    n_removed = data.draw(st.integers(0, len(log)))
    tally = counted(log)
    for (first, second), games in order[:n_removed]:
        tally.remove_match(first, second, games)
    assert_same(tally, Dense(order[n_removed:]))
    rest = counted(order[n_removed:])
    assert tally.is_like(rest, 1e-9)


@given(log=logs, data=st.data())
def test_tallies_are_alike_whatever_the_order_of_their_rows(log, data):
    tally, other = counted(log), counted(data.draw(st.permutations(log)))
    assert tally.is_like(other, 1e-9)
    assert tally.is_like(tally.copy())
    other.add(0, 1, 1.0)
    assert not tally.is_like(other, 0.5)
    assert not other.is_like(tally, 0.5)
    larger = tally.copy()
    larger.grow(N + 1)
    assert not tally.is_like(larger, 1.0)


def test_a_copy_shares_nothing():
    tally = counted([((0, 1), [1.0])])
    copied = tally.copy()
    tally.add(0, 1, 0.0)
    tally.add(2, 3, 1.0)
    copied.add(4, 3, 1.0)
    assert tally.table(tally.games)[0, 1] == 2.0
    assert (copied.first.tolist(), copied.second.tolist()) == ([0, 4], [1, 3])
    assert copied.games.tolist() == [1.0, 1.0]


CHANGES = {
    "a row twice": {"seats": [[0, 1], [0, 1]]},
    "another order": {"seats": [[2, 1], [0, 1]]},
    "an unknown player": {"seats": [[0, 1], [2, N]]},
    "a player alone": {"seats": [[0, 1], [2, 2]]},
    "more points than games": {"points": [1.0, 2.0]},
    "too many splits": {"splits": [0.5, 0.0]},
    "fewer games": {"games": [1.0]},
    "negative outcomes": {"outcomes": [[0, 0, -1], [0, 0, 0]]},
}


def test_a_large_field_takes_little_memory_and_refuses_a_table_of_all_pairs():
    rng = np.random.default_rng(0)
    n_players, n_matches = 1_000_000, 200_000
    first = rng.integers(n_players, size=n_matches)
    second = (first + rng.integers(1, n_players, size=n_matches)) % n_players
    tally = Tally(n_players)
    tally.add_many(first, second, np.ones(n_matches))
    tally.add(n_players - 1, 0, 1.0)
    assert tally.n_matches.sum() == 2 * n_matches + 2
    assert tally.crosstable([0, n_players - 1])[1, 0] >= 1.0
    assert tally.copy().is_like(tally)
    words = f"a table of all pairs has at most {MOST_IN_TABLE:,} players; got 1,000,000"
    with pytest.raises(InvalidInput, match=words):
        tally.crosstable()
