"""The tally of judges: a judge's results are among all, and survive storing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.ratings.judging.judge_log import JudgeLog
from maxin.ratings.judging.judged_tally import JudgedTally

VOTES = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bo", "ünì"]),
        st.permutations(range(3)),
        st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=2),
        st.booleans(),
    ),
    max_size=12,
)


def counted(votes):
    """A tally of these votes."""
    tally = JudgedTally(3)
    for judge, (first, second, _), games, is_swapped in votes:
        tally.add_judged(judge, first, second, games, is_swapped=is_swapped)
    return tally


@given(VOTES)
def test_judges_add_up_to_all_results(votes):
    tally = counted(votes)
    found = sum((one.crosstable() for one in tally.judged.values()), np.zeros((3, 3)))
    assert found == pytest.approx(tally.crosstable())


@given(VOTES)
def test_a_removed_item_leaves_nothing(votes):
    tally = counted(votes)
    for judge, (first, second, _), games, is_swapped in votes:
        tally.remove_judged(judge, first, second, games, is_swapped=is_swapped)
    assert tally.is_like(JudgedTally(3))
    assert not tally.judged


@given(VOTES)
def test_a_log_gives_the_same_tally(votes):
    log, rows = JudgeLog(), []
    for judge, (first, second, _), games, is_swapped in votes:
        for number, score in enumerate(games):
            log.add(len(rows), judge, is_swapped=is_swapped)
            seats = (second, first, 1.0 - score) if number % 2 else (first, second, score)
            rows.append((*seats, 1.0 / len(games), sum(games) / len(games)))
    columns = np.array(rows).reshape(-1, 5).T
    players, (scores, weights, means) = columns[:2].astype(np.int64), columns[2:]
    tally = JudgedTally(3)
    tally.add_many(*players, scores, weights, means=means)
    log.note(tally, players, scores, weights, means)
    assert tally.is_like(counted(votes), 1e-12)


def test_players_who_join_can_be_judged():
    tally = counted([("ann", (0, 1, 2), [1.0], False)])
    tally.grow(4)
    tally.add_judged("ann", 3, 0, [1.0])
    assert tally.judged["ann"].n_players == 4


def test_other_judges_make_another_tally():
    ann, bo = (counted([(name, (0, 1, 2), [1.0], False)]) for name in ("ann", "bo"))
    assert not ann.is_like(bo)
