"""The frozen set: it changes only with its version."""

import numpy as np
import pytest

from maxin_studies.benchmarks.entries.frozen_set import SET
from maxin_studies.benchmarks.races import game_of

FIRST_PLAYERS = [  # of the first public seed: who is the best, and how much the payoffs differ
    ("field:n_players=10", 8, 0.37754339),
    ("field:n_players=30", 29, 0.50622992),
    ("field:n_players=100", 29, 0.51191303),
    ("field:n_players=20,spread=0.5,draws=0.5", 8, 0.26089203),
    ("field:n_players=30,kappa=1", 29, 0.56564817),
    ("connect-four", 31, 0.59323014),
    ("spinning-top", 65, 0.62404914),
    ("blotto:soldiers=10,fields=4,n_players=60", 0, 0.72533517),
]


def test_the_set_is_frozen():
    """A change of the set makes all results unknown, so it needs a new version and new results."""
    assert (SET.version, SET.hash) == (1, "c3454e3b07074d954212")


@pytest.mark.parametrize(("game", "best", "deviation"), FIRST_PLAYERS)
def test_the_players_are_frozen_too(game, best, deviation):
    """Code that makes other players of the same seed needs a new version of the set."""
    made = game_of(game, SET.first_public_seed)
    assert made.ratings.argmax() == best
    assert made.payoffs.std() == pytest.approx(deviation, abs=1e-6)


def test_the_players_of_every_game_are_checked():
    assert [game for game, *_ in FIRST_PLAYERS] == list(SET.games)


@pytest.mark.parametrize("game", SET.games)
def test_the_number_of_a_player_reveals_nothing(game):
    """Under independence, the mean correlation of S seeds and n players has variance 1 / (S n)."""
    seeds = SET.seeds("public", "any")[:15]
    fields = [game_of(game, seed).ratings for seed in seeds]
    found = [np.corrcoef(np.arange(len(field)), field)[0, 1] for field in fields]
    assert abs(np.mean(found)) < 4.0 / np.sqrt(len(seeds) * len(fields[0]))
    assert len({int(field.argmax()) for field in fields}) > 5


def test_the_own_half_follows_from_the_name_and_the_version():
    assert SET.seeds("own", "top-two").start == 219729942960532
    assert SET.seeds("own", "top-two") != SET.seeds("own", "package:TopTwo")
    assert len(SET.seeds("own", "top-two")) == len(SET.seeds("public", "top-two")) == SET.n_seeds
    assert SET.seeds("public", "one") == SET.seeds("public", "other")
