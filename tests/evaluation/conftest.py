"""The paper's payoff matrices, which are stored outside the repository and may be missing."""

from pathlib import Path

import numpy as np
import pytest

GAMES = Path(__file__).resolve().parents[3] / "shared" / "games"
NAMES = [
    "Transitive game",
    "Triangular game",
    "Elo game",
    "Elo game + noise=0.01",
    "Elo game + noise=0.05",
    "Elo game + noise=0.1",
    "Kuhn-poker",
    "AlphaStar",
    "tic_tac_toe",
    "hex(board_size=3)",
    "Blotto",
    "5,3-Blotto",
]


@pytest.fixture
def paper_game():
    """Loads the payoffs of a game by name, or skips the test."""

    def load(name):
        path = GAMES / f"{name}.npy"
        if not path.exists():
            pytest.skip(f"the paper's matrix {name!r} is not at {GAMES}")
        return np.load(path).astype(float)

    return load


@pytest.fixture(params=NAMES)
def any_paper_game(request, paper_game):
    """The payoffs of each game in the paper's Table 2, one after another."""
    return paper_game(request.param)
