import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput
from maxin.core.half_life import AgeClock, HalfLife, check_in_matches

TIMES = st.lists(st.floats(0.0, 1e5), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("value", "setting", "words"),
    [
        (1000, 1000, "1,000 matches"),
        ("1000", 1000, "1,000 matches"),
        (1, 1, "1 match"),
        (2.5, 2.5, "2.5 matches"),
        ("7d", "7d", "7 days"),
        ("168h", "7d", "7 days"),
        (" 1.5 h", "90m", "90 minutes"),
        ("1h", "1h", "1 hour"),
        ("2.5s", "2.5s", "2.5 seconds"),
    ],
)
def test_a_half_life_is_a_number_of_matches_or_a_time(value, setting, words):
    half_life = HalfLife.of(value)
    assert half_life.setting == setting
    assert str(half_life) == words
    assert HalfLife.of(half_life.setting) == half_life


@pytest.mark.parametrize(
    "value",
    [
        *("0", "-3", "7x", "nan", "inf", "", "d", "7 days", "0.5s", "1e3"),
        *(0, -3, 0.5, math.nan, math.inf, 10**13, True, [7]),
    ],
)
def test_invalid_half_lives_are_named(value):
    with pytest.raises(InvalidInput, match="half_life must be a number of matches") as error:
        HalfLife.of(value)
    assert f"got {value!r}" in str(error.value)


def test_a_time_is_for_tournaments():
    with pytest.raises(InvalidInput, match=r"must be a number of matches: .* got '7d'"):
        check_in_matches("7d")
    assert check_in_matches(None) is None


def test_a_result_counts_half_after_a_half_life():
    assert HalfLife.of(3200).weight(32) == 0.5
    assert HalfLife.of("7d").weight(64) == 0.25
    assert HalfLife.of(10).weight(10) == 0.5, "a period has at least one match"
    assert HalfLife.of("1s").weight(10**9) == 0.0
    assert HalfLife.of(1000).most_counted == pytest.approx(1000 / math.log(2), rel=0.02)
    assert HalfLife.of("7d").most_counted == math.inf


@given(TIMES, st.sampled_from([1, 40, "5m", "3h"]))
def test_weights_follow_from_the_ages(times, value):
    half_life = HalfLife.of(value)
    clock, weights = AgeClock(half_life), []
    for number, time in enumerate(times):
        assert clock.is_late(time) == (
            half_life.is_time
            and time // half_life.period < max(_periods(half_life, times[:number]))
            if number
            else False
        )
        ageing = clock.tick(time)
        assert 0.0 <= ageing.fade <= 1.0
        assert 0.0 <= ageing.weight <= 1.0
        weights = [ageing.fade * weight for weight in weights] + [ageing.weight]
    periods = _periods(half_life, times)
    ages = [(max(periods) - period) * half_life.period for period in periods]
    expected = [2.0 ** (-age / half_life.length) for age in ages]
    assert weights == pytest.approx(expected, rel=1e-9, abs=1e-300)


def _periods(half_life, times):
    past = times if half_life.is_time else range(len(times))
    return [moment // half_life.period for moment in past]


@given(TIMES, st.sampled_from([1, 40, "5m", "3h"]), st.data())
def test_a_result_is_taken_back(times, value, data):
    clock = AgeClock(HalfLife.of(value))
    for time in times:
        clock.tick(time)
    gone = data.draw(st.integers(0, len(times) - 1))
    clock.untick(times[gone])
    other = AgeClock(HalfLife.of(value))
    for number, time in enumerate(times):
        if number != gone:
            other.tick(time)
    assert clock == other
    copied = clock.copy()
    copied.tick(1e6)
    assert clock == other
