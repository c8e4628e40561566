import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput
from maxin.core.half_life import HalfLife
from maxin.ratings import Tally
from maxin.ratings.fading import FadingTally, fade, weighed, weights_of
from maxin.ratings.judging.judged_tally import JudgedTally

RESULTS = st.lists(
    st.tuples(st.sampled_from([(0, 1), (1, 0), (2, 1)]), st.sampled_from([0.0, 0.5, 1.0])),
    min_size=1,
    max_size=40,
)


def fading(results, half_life, times=None):
    """A tally of results, one by one."""
    tally = FadingTally(3, HalfLife.of(half_life))
    for number, ((first, second), score) in enumerate(results):
        tally.add_match(first, second, [score])
        assert tally.new_weight(0.0 if times is None else times[number]) == 1.0
        tally.weighed.add_match(first, second, [score])
    return tally


@given(RESULTS, st.sampled_from([1, 3, 64]))
def test_weights_are_those_of_the_ages(results, half_life):
    tally = fading(results, half_life)
    weights = weights_of(HalfLife.of(half_life), np.zeros(len(results)))
    plain = Tally(3)
    for ((first, second), score), weight in zip(results, weights, strict=True):
        plain.add(first, second, score, weight)
    assert tally.games.sum() == len(results)
    now = weighed(tally)
    for name in ("games", "points", "splits"):
        here, there = (one.table(getattr(one, name)) for one in (now, plain))
        assert here == pytest.approx(there, abs=1e-8)


def test_judges_fade_too():
    tally = JudgedTally(2)
    tally.add_judged("ann", 0, 1, [1.0])
    fade(tally, 0.25)
    assert tally.judged["ann"].games == [0.25]
    assert tally.games == [0.25]


def test_negligible_weights_are_dropped():
    tally = Tally(2)
    tally.add(0, 1, 1.0)
    fade(tally, 1e-10)
    assert tally.games == tally.points == [0.0]
    fade(tally, 0.0)
    with pytest.raises(InvalidInput, match=r"from 0 to 1; got 1\.5"):
        fade(tally, 1.5)


def test_a_copy_is_independent_and_alike():
    tally = fading([((0, 1), 1.0)] * 5, 2)
    other = tally.copy()
    assert tally.is_like(other)
    assert other.clock == tally.clock
    other.new_weight(0.0)
    assert not tally.is_like(other)
    assert tally.is_like(other, tolerance=10.0)
    other.grow(7)
    assert other.weighed.n_players == 7


def test_a_tally_that_lacks_a_retraction_is_compared_by_its_results():
    tally = fading([((0, 1), 1.0)] * 5, 2)
    other = tally.copy()
    other.new_weight(0.0)
    other.mark_stale()
    assert tally.is_like(other)
    other.forget()
    assert not tally.is_like(other)
