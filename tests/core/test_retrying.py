"""Pauses grow, are random below their limit, and respect what a service asks for."""

from hypothesis import given
from hypothesis import strategies as st

from maxin.core.retrying import LONGEST, LONGEST_BACKOFF, retry_pause

SEEDS = st.integers(0, 2**31)


@given(SEEDS, st.integers(1, 40), st.floats(0.0, 100.0))
def test_a_retry_waits_at_most_twice_as_long_as_the_one_before(seed, attempt, first):
    pause = retry_pause(attempt, first, LONGEST_BACKOFF, seed=seed)
    assert 0.0 <= pause <= min(first * 2.0 ** (attempt - 1), LONGEST_BACKOFF)
    assert pause == retry_pause(attempt, first, LONGEST_BACKOFF, seed=seed)


def test_those_who_failed_together_return_at_different_times():
    pauses = sorted(retry_pause(1, 8.0, LONGEST_BACKOFF, seed=seed) for seed in range(200))
    assert len(set(pauses)) == 200
    assert pauses[20] < 1.5 < 6.5 < pauses[180]  # about uniform on [0, 8]
    assert len({retry_pause(9) for _ in range(9)}) == 9


def test_nothing_waits_without_a_backoff():
    assert [retry_pause(attempt, 0.0, seed=7) for attempt in (1, 2, 9)] == [0.0] * 3


@given(SEEDS, st.integers(1, 40), st.floats(0.0, 100.0))
def test_a_service_that_asks_for_more_gets_more(seed, attempt, asked):
    pause = retry_pause(attempt, asked=asked, seed=seed)
    assert asked <= pause <= max(1.5 * asked, LONGEST)


def test_an_outage_may_last_for_days():
    assert retry_pause(100_000) <= LONGEST
