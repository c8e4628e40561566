"""Chess players for tests: scripted engines, and Stockfish if it is installed."""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from maxin.core import Entrant
from maxin.runners import Job, Uci

FAKE = Path(__file__).with_name("fake_engine.py")
STOCKFISH = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")
needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")

SCHOLARS_MATE = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
FOOLS_MATE = ["f2f3", "e7e5", "g2g4", "d8h4"]
BACK_AND_FORTH = ["g1f3", "g8f6", "f3g1", "f6g8"]


def fake(name, manner, moves=(), **options):
    """A scripted engine, see `fake_engine`."""
    command = [sys.executable, "-S", str(FAKE), manner, *moves]
    return Entrant(name, {"command": command, "nodes": 1, **options})


def stockfish(nodes, **options):
    return Entrant(f"{nodes} nodes", {"command": [STOCKFISH], "nodes": nodes, **options})


@contextmanager
def open_runner(**arguments):
    """A runner that is closed at the end."""
    runner = Uci(**{"env": ["FAKE_LOG"], **arguments})
    try:
        yield runner
    finally:
        runner.close()


def played(white, black, *, seed=0, **arguments):
    """The outcome of one game."""
    with open_runner(**arguments) as runner:
        return runner.play(Job(1, white, black, seed))
