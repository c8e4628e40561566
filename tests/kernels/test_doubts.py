"""Chances of being better than the leaders, against plain integrals."""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy.special import ndtr

from maxin.kernels.posterior import MAY_CYCLE, expected_score
from maxin.kernels.sparse import fill_chances, fill_doubts, rival_before, tail_doubt
from maxin.ratings import SparsePosterior


def star(scores):
    """Player 0 met as many rivals as there are scores, and nobody else met."""
    posterior = SparsePosterior(len(scores) + 3)
    posterior._next_scales = 10**9
    matches = np.array([[0, rival + 1] for rival in range(len(scores))])
    posterior.tell_many(matches, np.array(scores))
    for _ in range(20):
        posterior.settle(1e-8)
    return posterior


def plain_tail(scores, means, variances, kappa2=MAY_CYCLE):
    """P(r_0 > level), summed, by adaptive integration over its density."""

    def density(rating):
        value = (1.0 + 0.5 * rating * rating) ** -2.5  # Student's
        for score in scores:
            chance, _ = expected_score(rating, 1.0 + kappa2)
            value *= chance**score * (1.0 - chance) ** (1.0 - score)
        return value

    def above(rating):
        return density(rating) * ndtr((rating - means) / np.sqrt(variances)).sum()

    whole = integrate.quad(density, -30.0, 60.0, limit=400)[0]
    return integrate.quad(above, -30.0, 60.0, limit=400)[0] / whole


@pytest.mark.parametrize("scores", [[0.0], [0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 1.0]])
@pytest.mark.parametrize("level", [1.0, 3.0, 4.5])
def test_the_tail_of_a_player_with_few_matches(scores, level):
    means, variances = np.array([level, level - 0.5]), np.array([0.05, 0.1])
    found = tail_doubt(star(scores).state, 0, means, variances)
    assert found == pytest.approx(plain_tail(scores, means, variances), rel=0.1)


def test_a_loser_has_a_heavier_tail_than_the_normal_one():
    state = star([0.0, 0.0]).state
    normal = ndtr((state.ratings[0] - 4.0) / math.sqrt(1.0 / state.precisions[0] + 0.01))
    assert tail_doubt(state, 0, np.array([4.0]), np.array([0.01])) > 1.2 * normal


def test_a_rival_is_as_before_the_match():
    state = star([1.0, 1.0]).state
    mean, precision = rival_before(state, int(state.heads[0]))
    assert mean == pytest.approx(0.0, abs=1e-4)
    assert precision == pytest.approx(1.0, abs=1e-4)


def test_chances_are_normal_and_only_those_of_members():
    posterior = star([1.0])
    posterior.leave(2)
    chances = np.empty(4)
    fill_chances(posterior.state, 0.5, 0.2, chances)
    state = posterior.state
    plain = ndtr((state.ratings - 0.5) / np.sqrt(0.2 + 1.0 / state.precisions))
    assert chances == pytest.approx(plain * [1, 1, 0, 1])


def doubts_of(posterior, contenders, top, means, variances):
    doubts = np.empty(posterior.n_players)
    fill_doubts(posterior.state, np.array(contenders), np.array(top), means, variances, doubts)
    return doubts


def test_doubts_are_those_of_members_below_the_top():
    posterior, means, variances = star([1.0, 0.0]), np.array([4.0]), np.array([0.1])
    parts = [tail_doubt(posterior.state, player, means, variances) for player in range(5)]
    found = doubts_of(posterior, [0], [0], means, variances)
    assert found == pytest.approx([0.0, *parts[1:]])
    posterior.leave(4)
    found = doubts_of(posterior, [0], [0], means, variances)
    assert found == pytest.approx([0.0, *parts[1:4], 0.0])


def test_contenders_have_what_a_normal_tail_lacks():
    posterior, means, variances = star([1.0, 0.0]), np.array([4.0]), np.array([0.1])
    state = posterior.state
    normal = ndtr((state.ratings[1] - 4.0) / math.sqrt(0.1 + 1.0 / state.precisions[1]))
    whole = tail_doubt(state, 1, means, variances)
    found = doubts_of(posterior, [0, 1], [0], means, variances)
    assert found[1] == pytest.approx(whole - normal)
    assert found[2] == pytest.approx(tail_doubt(state, 2, means, variances))


def test_a_player_with_many_rivals_has_a_normal_tail():
    posterior, means, variances = star([0.0] * 25), np.array([1.0]), np.array([0.1])
    state = posterior.state
    normal = ndtr((state.ratings[0] - 1.0) / math.sqrt(0.1 + 1.0 / state.precisions[0]))
    assert doubts_of(posterior, [1], [1], means, variances)[0] == pytest.approx(normal)


def test_five_wins_may_be_those_of_somebody_far_better():
    posterior = star([1.0] * 5)
    found = doubts_of(posterior, [1], [1], np.array([4.5]), np.array([0.1]))
    assert found[0] > 0.005
