"""Pig: exact chances against rolled dice."""

import numpy as np
import pytest

from maxin.games import pig
from maxin.games.families.pig import finish_chances, turn_chances


def rolled_turn(hold, rng):
    points = 0
    while points < hold:
        side = int(rng.integers(1, 7))
        if side == 1:
            return 0
        points += side
    return points


def rolled_turns(hold, target, rng):
    """How many turns a game takes."""
    points, n_turns = 0, 0
    while points < target:
        points += rolled_turn(min(hold, target - points), rng)
        n_turns += 1
    return n_turns


@pytest.mark.parametrize("hold", [1, 6, 20])
def test_the_chances_of_a_turn_are_those_of_dice(hold):
    rng = np.random.default_rng(hold)
    turns = [rolled_turn(hold, rng) for _ in range(4000)]
    chances = turn_chances(hold)
    assert chances.sum() == pytest.approx(1.0)
    shares = np.bincount(turns, minlength=len(chances)) / len(turns)
    assert np.abs(shares - chances).max() < 0.035


def test_the_mean_of_a_turn_is_known():
    """Who holds at 20 earns 8.14 points per turn, the most there is."""
    means = [turn_chances(hold) @ np.arange(hold + 6) for hold in range(1, 41)]
    assert means[19] == pytest.approx(8.14, abs=0.01)
    assert max(means) == pytest.approx(means[19], abs=1e-9)


@pytest.mark.parametrize(("hold", "target"), [(3, 20), (20, 50), (30, 30)])
def test_the_length_of_a_game_is_that_of_dice(hold, target):
    rng = np.random.default_rng(hold)
    lengths = [rolled_turns(hold, target, rng) for _ in range(1500)]
    chances = finish_chances(hold, target)
    assert chances.sum() == pytest.approx(1.0, abs=1e-9)
    mean = chances @ np.arange(1, len(chances) + 1)
    assert np.mean(lengths) == pytest.approx(mean, abs=5 * np.std(lengths) / 1500**0.5)


def test_good_players_are_nearly_even():
    game = pig(np.random.default_rng(0))
    good = game.probabilities[17:28, 17:28]
    assert np.abs(good - 0.5).max() < 0.04
    assert game.mean_scores[:3].max() < 0.2
