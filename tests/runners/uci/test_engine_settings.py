"""The options of a chess player."""

import pytest

from maxin.core import Entrant, InvalidInput, UnknownName
from maxin.runners.uci.durations import TimeControl
from maxin.runners.uci.engine_settings import EngineSettings, Program, check_program, read_settings


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
