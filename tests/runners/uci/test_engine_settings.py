"""The options of a chess player."""

import pytest

from maxin.core import Entrant, InvalidInput, UnknownName
from maxin.runners.uci.engine_settings import (
    EngineSettings,
    Program,
    TimeControl,
    check_program,
    read_duration,
    read_settings,
    read_time_control,
)


def check(options):
    check_program(read_settings(Entrant("x", options)), "player 'x'")


def test_options_become_settings():
    options = {
        "command": "engine --fast 'a net'",
        "options": {"Threads": 1, "Hash": 16},
        "tc": "60+0.5",
    }
    assert read_settings(Entrant("x", options)) == EngineSettings(
        Program(("engine", "--fast", "a net"), (("Hash", 16), ("Threads", 1))),
        tc=TimeControl(60.0, 0.5),
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nodes": 1}, "player 'x' needs a command.*got None"),
        ({"command": "", "nodes": 1}, "player 'x' needs a command.*got ''"),
        ({"command": "sh 'oh", "nodes": 1}, "player 'x': cannot split.*No closing quotation"),
        ({"command": "no-such-engine --fast", "nodes": 1}, "the program 'no-such-engine'"),
        ({"command": "sh"}, "needs exactly one of nodes, depth, movetime, tc; it has none"),
        ({"command": "sh", "nodes": 1, "depth": 2}, "it has nodes and depth"),
        ({"command": "sh", "nodes": 0}, "player 'x': nodes must be positive"),
        ({"command": "sh", "nodes": 1.5}, r"nodes must be a whole number; got 1\.5"),
        ({"command": "sh", "movetime": -1}, "movetime must be a positive time.*got -1"),
        ({"command": "sh", "tc": "fast"}, "tc must be a time control in seconds.*got 'fast'"),
        ({"command": "sh", "clock": 60}, "has clock = 60, which is now part of tc: write tc ="),
        ({"command": "sh", "tc": 60, "increment": 1}, "has increment = 1, which is now part of tc"),
        ({"command": "sh", "nodes": 1, "options": "Hash=1"}, "options must be a table"),
        ({"command": "sh", "nodes": 1, "options": {"Hash": [1]}}, r"'Hash' must be.*got \[1\]"),
    ],
)
def test_invalid_options_are_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        check(options)


def test_an_unknown_option_is_refused_with_a_suggestion():
    with pytest.raises(
        UnknownName, match="option of player 'x' named 'node'; did you mean 'nodes'"
    ):
        check({"command": "sh", "node": 1})


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
