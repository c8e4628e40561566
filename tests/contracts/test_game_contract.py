import numpy as np
import pytest

from maxin.games import GAMES, Game, make_game
from maxin.testing import GAME_CHECKS

SMALL = {"tic-tac-toe": "tic-tac-toe:n_players=10", "hex": "hex:n_players=10"}


@pytest.mark.parametrize("check", GAME_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", [*GAMES, "elo:noise=0.3"])
def test_game_keeps_the_contract(name, check):
    check(make_game(SMALL.get(name, name), np.random.default_rng(0)))


class Crooked(Game):
    """Breaks the contract: its ratings are wrong and its scores are not in [0, 1]."""

    @property
    def ratings(self):
        return np.arange(self.n_players, dtype=float)[::-1].copy()

    def play(self, match, rng):
        return 2.0


@pytest.mark.parametrize("check", GAME_CHECKS[1:], ids=lambda check: check.__name__)
def test_every_check_can_fail(check):
    with pytest.raises(AssertionError):
        check(Crooked("crooked", [[0.0, -0.5], [0.5, 0.0]]))


def test_fairness_check_can_fail():
    game = Game("coin", [[0.0, 0.5], [-0.5, 0.0]])
    game.probabilities = np.array([[0.5, 0.9], [0.2, 0.5]])
    with pytest.raises(AssertionError):
        GAME_CHECKS[0](game)
