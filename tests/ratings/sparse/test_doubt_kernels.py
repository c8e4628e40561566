"""Chances of being better than the leaders, against plain integrals."""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy.special import ndtr

from maxin.ratings import SparsePosterior
from maxin.ratings.posterior.advantage_kernels import expected_score
from maxin.ratings.sparse.doubt_kernels import (
    fill_chances,
    outside_doubt,
    rival_before,
    tail_doubt,
)


def star(scores):
    """Player 0 met as many rivals as there are scores, and nobody else met."""
    posterior = SparsePosterior(len(scores) + 3)
    posterior._next_scales = 10**9
    matches = np.array([[0, rival + 1] for rival in range(len(scores))])
    posterior.tell_many(matches, np.array(scores))
    for _ in range(20):
        posterior.settle(1e-8)
    return posterior


def plain_tail(scores, means, variances, kappa2=0.3):
    """P(r_0 > level), summed, by adaptive integration over its density."""

    def density(rating):
        value = math.exp(-0.5 * rating * rating)
        for score in scores:
            chance, _ = expected_score(rating, 1.0 + kappa2)
            value *= chance**score * (1.0 - chance) ** (1.0 - score)
        return value

    def above(rating):
        return density(rating) * ndtr((rating - means) / np.sqrt(variances)).sum()

    return integrate.quad(above, -9.0, 9.0)[0] / integrate.quad(density, -9.0, 9.0)[0]


@pytest.mark.parametrize("scores", [[0.0], [0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 1.0]])
@pytest.mark.parametrize("level", [1.0, 3.0, 4.5])
def test_the_tail_of_a_player_with_few_matches(scores, level):
    means, variances = np.array([level, level - 0.5]), np.array([0.05, 0.1])
    found = tail_doubt(star(scores).state, 0, means, variances)
    assert found == pytest.approx(plain_tail(scores, means, variances), rel=0.02)


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


def test_doubt_outside_is_that_of_members_who_are_no_contenders():
    posterior = star([1.0, 0.0])
    state, means, variances = posterior.state, np.array([2.0]), np.array([0.1])
    parts = [tail_doubt(state, player, means, variances) for player in range(5)]
    assert outside_doubt(state, np.array([0]), means, variances) == pytest.approx(sum(parts[1:]))
    posterior.leave(4)
    some = outside_doubt(state, np.array([0, 2]), means, variances)
    assert some == pytest.approx(parts[1] + parts[3])


def test_players_with_hardly_a_chance_count_five_times_their_normal_tail():
    state, means, variances = star([1.0]).state, np.array([12.0]), np.array([0.1])
    normal = ndtr((state.ratings[1:] - 12.0) / np.sqrt(0.1 + 1.0 / state.precisions[1:])).sum()
    found = outside_doubt(state, np.array([0]), means, variances)
    assert found == pytest.approx(5.0 * normal)
