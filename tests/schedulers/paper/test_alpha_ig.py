import numpy as np
import pytest
from scipy.special import ndtr

from maxin.core import Match, Result
from maxin.games import good_bad
from maxin.schedulers import AlphaIG
from maxin.schedulers.base import place_of
from maxin.schedulers.paper.alpha_ig import all_patterns


def rng(seed=0):
    return np.random.default_rng(seed)


def entropy_of_rank(means, precisions):
    """The entropy of three players' alpha-rank, if each pair's edge is normal and independent."""
    patterns, chance = all_patterns(3), ndtr(means * np.sqrt(precisions))
    weights = np.where(patterns.signs, chance, 1.0 - chance).prod(axis=1)
    chances = patterns.members @ weights
    chances = chances[chances > 0.0]
    return -(chances * np.log(chances)).sum()


def test_a_gain_is_the_expected_fall_in_entropy():
    """Against sampling: draw an edge, a score, the belief after it, and its entropy."""
    scheduler = AlphaIG(3, rng=rng())
    prior_precision = noise_precision = 4.0  # both standard deviations are 1/2
    precisions, weighted = np.full(3, prior_precision), np.zeros(3)
    for match, score in [((0, 1), 1.0), ((0, 1), 1.0), ((1, 2), 1.0), ((0, 2), 0.0)]:
        scheduler.tell(Result(Match(*match), score))
        precisions[place_of(Match(*match))] += noise_precision
        weighted[place_of(Match(*match))] += noise_precision * (score - 0.5)
    means, gains, draw = weighted / precisions, scheduler.gains(), rng(1)
    for place in range(3):
        left = []
        for _ in range(2000):
            edge = draw.normal(means[place], precisions[place] ** -0.5)
            score = draw.normal(edge, noise_precision**-0.5)
            after, surer = means.copy(), precisions.copy()
            surer[place] += noise_precision
            after[place] = (weighted[place] + noise_precision * score) / surer[place]
            left.append(entropy_of_rank(after, surer))
        expected = entropy_of_rank(means, precisions) - np.mean(left)
        assert gains[place] == pytest.approx(expected, abs=4 * np.std(left) / np.sqrt(2000))


def test_two_good_and_two_bad_players_are_told_apart():
    game, draw = good_bad(rng()), rng(1)
    scheduler = AlphaIG(4, rng=rng(2))
    counts = np.zeros(6)
    for _ in range(1000):
        match = scheduler.ask()
        counts[place_of(match)] += 1
        scheduler.tell(Result(match, game.play(match, draw)))
    assert counts.argmax() == place_of(Match(0, 1))  # which of the good ones is better?
    assert scheduler.ratings().argmax() == 1


def test_more_than_five_players_are_handled_by_sampling():
    scheduler = AlphaIG(8, rng=rng())
    for _ in range(60):
        match = scheduler.ask()
        scheduler.tell(Result(match, float(match.first > match.second)))
    assert scheduler.ratings().argmax() == 7
    assert scheduler.ratings().sum() == pytest.approx(1.0)
