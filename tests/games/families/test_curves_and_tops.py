"""Checkpoints and spinning tops: their log-odds by the rule."""

import numpy as np
import pytest

from maxin.games import checkpoints, spinning_top


def odds_of(game):
    return np.log(game.probabilities / (1.0 - game.probabilities))


def test_a_top_is_transitive_at_its_ends_and_cyclic_in_the_middle():
    game = spinning_top(np.random.default_rng(0), n_players=99)
    order, odds = np.argsort(-game.ratings), odds_of(game)

    def cyclic(players):
        """The mean square of log-odds around triangles, 0 where ratings alone decide."""
        here = odds[np.ix_(players, players)]
        return float(np.mean((here[:, :, None] + here[None] - here[:, None, :]) ** 2))

    assert cyclic(order[:8]) < 0.1
    assert cyclic(order[-8:]) < 0.1
    assert cyclic(order[45:54]) > 1.0


def test_a_top_without_a_cycle_is_a_ladder():
    odds = odds_of(spinning_top(np.random.default_rng(0), n_players=9, skill=2.0, cycle=0.0))
    assert odds.max() == pytest.approx(2.0)
    np.testing.assert_allclose(odds[0] - odds[1], odds[0, 0] - odds[1, 0])


def test_a_smooth_curve_rises_by_its_gain():
    game = checkpoints(np.random.default_rng(0), gain=1.5, noise=0.0, chase=0.0, n_players=50)
    assert (np.diff(game.ratings) > 0.0).all()
    assert odds_of(game)[-1, 0] == pytest.approx(1.5 * (1.0 - np.exp(-3.0 * 49 / 50)))


def test_a_checkpoint_beats_its_recent_past_and_forgets_what_was_before():
    odds = odds_of(checkpoints(np.random.default_rng(0), gain=0.0, noise=0.0, window=8))
    assert odds[40, 36] == pytest.approx(0.5)
    assert odds[40, 28] == pytest.approx(-0.5)
    assert odds[40, 20] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("memory", "low", "high"), [(0.0, 0.25, 0.33), (0.95, 0.0, 0.11)])
def test_noise_is_as_rough_as_asked(memory, low, high):
    """Steps have the standard deviation noise sqrt(2 - 2 memory); the noise itself has noise."""
    options = {"n_players": 1000, "gain": 0.0, "noise": 0.2, "chase": 0.0, "memory": memory}
    ratings = checkpoints(np.random.default_rng(0), **options).ratings
    assert low < np.diff(ratings).std() < high
    assert 0.15 < ratings.std() < 0.25
