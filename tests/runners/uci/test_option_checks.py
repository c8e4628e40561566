"""Options that an engine does not have are refused before the first game."""

import pytest

from maxin.core import Entrant, InvalidInput
from tests.helpers.uci import fake, needs_stockfish, open_runner, stockfish

pytest.importorskip("chess", reason="python-chess is not installed")
pytestmark = pytest.mark.usefixtures("nothing_left")


def refused(*players):
    """What `check` says of these players."""
    with open_runner(timeout=20.0) as runner, pytest.raises(InvalidInput) as caught:
        runner.check(players)
    return str(caught.value)


@pytest.mark.parametrize("proto", ["uci", "xboard"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Stile": "x"}, "there is no option of fake named 'Stile'; "),
        ({"Depth": 10}, "option 'Depth' of fake must be a whole number from 1 to 9; got 10"),
        ({"Depth": "deep"}, "option 'Depth' of fake must be a whole number from 1 to 9; got 'd"),
        ({"Depth": True}, "option 'Depth' of fake must be a whole number from 1 to 9; got True"),
    ],
)
def test_wrong_options_are_refused(options, message, proto):
    assert message in refused(fake("anna", "plays", options=options, proto=proto))


def test_every_engine_is_named_with_all_that_is_wrong():
    words = refused(
        fake("good", "plays", options={"Style": "x", "Depth": 9}),
        fake("bo", "plays", options={"Depth": 0}),
        fake("cy", "dies", options={"Depth": 0, "Tempo": 1}),
    )
    assert "good" not in words
    assert [part.split("'")[1] for part in words.split("; player")] == ["bo", "cy", "cy"]


def test_a_program_that_is_no_engine_is_refused_with_what_it_wrote():
    words = refused(Entrant("sh", {"command": ["sh", "-c", "echo no net >&2"], "nodes": 1}))
    assert words.startswith("player 'sh': 'sh' does not start as a uci engine: ")
    assert "it wrote 'no net'" in words


def test_players_of_one_program_start_it_once(tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))
    with open_runner() as runner:
        runner.check([fake(f"p{depth}", "plays", options={"Depth": depth}) for depth in (1, 2, 3)])
    lines = (tmp_path / "log").read_text().splitlines()
    assert sum(line.endswith(" uci") for line in lines) == 1
    assert not any("setoption" in line for line in lines)


@needs_stockfish
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Skil Level": 3}, "named 'Skil Level'; did you mean 'Skill Level'?"),
        ({"Hash": 0}, "must be a whole number from 1 to"),
        ({"UCI_LimitStrength": "yes"}, "must be true or false; got 'yes'"),
        ({"Ponder": True}, "is set by maxin; leave it out"),
    ],
)
def test_stockfish_is_asked_for_its_options(options, message):
    assert message in refused(stockfish(10, options=options))
