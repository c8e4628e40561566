"""Times as chess people write them."""

import pytest

from maxin.core import InvalidInput
from maxin.runners.uci.durations import TimeControl, read_duration, read_time_control


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (50, 0.05),
        (50.0, 0.05),
        ("50", 0.05),
        ("50ms", 0.05),
        ("1s", 1.0),
        (" .5 s", 0.5),
        ("2m", 120.0),
    ],
)
def test_a_bare_number_is_in_milliseconds_and_a_unit_is_read(value, seconds):
    assert read_duration(value, "movetime") == pytest.approx(seconds)


@pytest.mark.parametrize("value", [0, -1, "0s", "-1s", "fast", "1h", "", True, None, float("nan")])
def test_anything_else_is_refused_with_the_units(value):
    with pytest.raises(InvalidInput, match='movetime must be a positive time: "50ms", "1s"'):
        read_duration(value, "movetime")


@pytest.mark.parametrize("value", [0.05, 1.5, "0.05"])
def test_a_fraction_of_a_millisecond_is_taken_for_seconds_and_refused(value):
    """Earlier versions took bare numbers for seconds."""
    with pytest.raises(InvalidInput, match=rf'milliseconds; got .*; write "{value}s" for seconds'):
        read_duration(value, "movetime")


@pytest.mark.parametrize(
    ("value", "control"),
    [
        ("10+0.1", TimeControl(10.0, 0.1)),
        (60, TimeControl(60.0)),
        (0.5, TimeControl(0.5)),
        ("0/10+0.1", TimeControl(10.0, 0.1)),
        ("40/60+.6", TimeControl(60.0, 0.6, 40)),
        ("1:30+1", TimeControl(90.0, 1.0)),
    ],
)
def test_time_controls_are_in_seconds(value, control):
    assert read_time_control(value, "tc") == control


@pytest.mark.parametrize("value", ["", "0", "0+1", "10+", "+1", "10s", -1, True, None, "1:2:3"])
def test_other_time_controls_are_refused(value):
    with pytest.raises(InvalidInput, match=r'tc must be a time control .*"10\+0\.1".*got'):
        read_time_control(value, "tc")
