"""Engines that speak xboard."""

import shutil

import pytest

from maxin.core import Entrant, InvalidInput
from maxin.runners.uci.engine_settings import read_settings
from tests.helpers.uci import SCHOLARS_MATE, fake, open_runner, played

pytest.importorskip("chess", reason="python-chess is not installed")
pytestmark = pytest.mark.usefixtures("nothing_left")

HOICHESS = shutil.which("hoichess") or shutil.which("/usr/games/hoichess")


def xboard(name, manner="plays", moves=SCHOLARS_MATE, **options):
    return fake(name, manner, moves, proto="xboard", **options)


def sent(log):
    """The lines that each process was sent, without those of the start."""
    lines = [line.split(" ", 1) for line in log.read_text().splitlines()]
    return {pid: [text for one, text in lines if one == pid] for pid, _ in lines}


def test_an_xboard_engine_plays_against_a_uci_engine(tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(log))
    white = xboard("w", nodes=None, tc="10+0.1", options={"Style": "wild", "Depth": 3})
    outcome = played(white, fake("b", "plays", SCHOLARS_MATE), opening_plies=0)
    assert (outcome.score, outcome.data["end"]) == (1.0, "checkmate")
    assert outcome.data["moves"].split() == SCHOLARS_MATE
    (lines,) = (lines for lines in sent(log).values() if "xboard" in lines)
    assert "option Style=wild" in lines
    assert "option Depth=3" in lines
    assert lines.count("level 0 0:10 0.1") == 1  # the engine keeps its clock
    assert [line for line in lines if line.startswith("usermove")] == [
        f"usermove {move}" for move in SCHOLARS_MATE[1::2]
    ]


def test_evaluations_are_kept():
    outcome = played(xboard("w", moves=["e2e4@31"]), xboard("b"), opening_plies=0, max_plies=1)
    assert outcome.data["comments"].startswith("+0.31/1 ")


def test_an_engine_that_resigns_loses():
    resigner = xboard("w", moves=[SCHOLARS_MATE[0], "", "resign"])
    outcome = played(resigner, xboard("b"), opening_plies=0)
    assert (outcome.score, outcome.data["end"], outcome.data["plies"]) == (0.0, "resignation", 2)


def test_an_illegal_move_loses_if_it_is_a_loss():
    outcome = played(xboard("w", "illegal"), xboard("b"), opening_plies=0, on_crash="loss")
    assert (outcome.score, outcome.data["end"]) == (0.0, "illegal move")


def test_a_game_starts_again_for_each_pair(tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(log))
    with open_runner(opening_plies=0) as runner:
        from maxin.runners import Job

        for number in (1, 2):
            assert runner.play(Job(number, xboard("w"), xboard("b"), 1)).score == 1.0
    assert all(lines.count("new") == 2 for lines in sent(log).values())


def test_another_protocol_is_refused():
    with pytest.raises(InvalidInput, match="proto must be uci or xboard; got 'cecp'"):
        read_settings(Entrant("a", {"command": "x", "nodes": 1, "proto": "cecp"}))


def test_a_uci_engine_is_refused_as_an_xboard_engine():
    mute = fake("m", "mute", proto="uci")
    with open_runner(timeout=0.5) as runner, pytest.raises(InvalidInput, match="it did not get re"):
        runner.check([mute])


@pytest.mark.skipif(HOICHESS is None, reason="HoiChess is not installed")
def test_a_real_xboard_engine_plays():
    hoichess = Entrant("h", {"command": [HOICHESS], "tc": "3+0.1", "proto": "xboard"})
    outcome = played(hoichess, fake("b", "plays", ["e7e5"]), opening_plies=0, on_crash="loss")
    assert outcome.score == 1.0  # the other one soon makes an illegal move
